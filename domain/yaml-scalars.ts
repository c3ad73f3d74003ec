import type { ScalarTag } from 'yaml';

/**
 * The plain scalars that PyYAML resolves (`yaml/resolver.py`), which Heat and Tacker read packages with. They differ
 * from YAML 1.1 as the library `yaml` has it: `y`, `n`, `1e3` and `08` are text. Timestamps are left out: Heat and
 * Tacker keep a date as text.
 */
export const PYYAML_SCALARS: readonly ScalarTag[] = [
  {
    tag: 'tag:yaml.org,2002:null',
    default: true,
    test: /^(?:~|null|Null|NULL|)$/,
    resolve: () => null,
  },
  {
    tag: 'tag:yaml.org,2002:bool',
    default: true,
    test: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
    resolve: (text) => /^(?:yes|true|on)$/i.test(text),
  },
  {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    test: /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    resolve: readFloat,
  },
  {
    tag: 'tag:yaml.org,2002:int',
    default: true,
    test: /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    resolve: readInteger,
  },
];

function readFloat(written: string): number {
  const text = written.replaceAll('_', '').toLowerCase();
  if (text.endsWith('.inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (text === '.nan') return Number.NaN;
  return signed(text, (digits) => (digits.includes(':') ? sexagesimal(digits) : Number(digits)));
}

function readInteger(written: string): number {
  return signed(written.replaceAll('_', ''), (digits) => {
    if (digits.includes(':')) return sexagesimal(digits);
    if (/^0[0-7]/.test(digits)) return Number.parseInt(digits, 8);
    return Number(digits);
  });
}

function signed(text: string, read: (digits: string) => number): number {
  const value = read(text.replace(/^[-+]/, ''));
  return text.startsWith('-') ? -value : value;
}

/** `1:30` is 90. */
function sexagesimal(digits: string): number {
  return digits.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}
