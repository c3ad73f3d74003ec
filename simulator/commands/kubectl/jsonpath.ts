/** kubectl's JSONPath templates: fields, `[*]`, indexes, filters, `{range}…{end}`, literals. */

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'recursive'; readonly name: string }
  | {
      readonly kind: 'filter';
      readonly path: readonly Step[];
      readonly operator: string | undefined;
      readonly value: string;
    };

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[] }
  | { readonly kind: 'end' };

export class JsonPathError extends Error {}

/** Renders a template. @throws JsonPathError for a template that kubectl refuses, too */
export function renderJsonPath(template: string, value: unknown): string {
  const pieces = scan(template);
  let at = 0;
  const block = (root: unknown): string => {
    let out = '';
    while (at < pieces.length) {
      const piece = pieces[at];
      at += 1;
      if (!piece || piece.kind === 'end') return out;
      if (piece.kind === 'text') out += piece.text;
      else if (piece.kind === 'path') out += evaluate(piece.steps, root).map(show).join(' ');
      else {
        const start = at;
        const items = evaluate(piece.steps, root);
        if (items.length === 0) {
          block(undefined);
          continue;
        }
        for (const item of items) {
          at = start;
          out += block(item);
        }
      }
    }
    return out;
  };
  return block(value);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function scan(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let rest = template;
  while (rest !== '') {
    const open = rest.indexOf('{');
    if (open !== 0) {
      const text = open < 0 ? rest : rest.slice(0, open);
      pieces.push({ kind: 'text', text });
      rest = rest.slice(text.length);
      continue;
    }
    const close = closing(rest);
    const inner = rest.slice(1, close).trim();
    rest = rest.slice(close + 1);
    if (inner === 'end') pieces.push({ kind: 'end' });
    else if (inner.startsWith('range')) pieces.push({ kind: 'range', steps: parsePath(inner.slice(5).trim()) });
    else if (/^(["']).*\1$/s.test(inner)) {
      pieces.push({
        kind: 'text',
        text: inner.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"'),
      });
    } else pieces.push({ kind: 'path', steps: parsePath(inner) });
  }
  return pieces;
}

function closing(text: string): number {
  let quote = '';
  for (let index = 1; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return index;
  }
  throw new JsonPathError('unclosed action');
}

function parsePath(text: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = text.replace(/^[$@]/, '');
  while (rest !== '') {
    const recursive = /^\.\.([\w-]+)/.exec(rest);
    const field = /^\.?((?:\\.|[^.[\]{}\s])+)/.exec(rest);
    if (recursive?.[1] !== undefined) {
      steps.push({ kind: 'recursive', name: recursive[1] });
      rest = rest.slice(recursive[0].length);
    } else if (rest.startsWith('[')) {
      const end = bracketEnd(rest);
      steps.push(bracket(rest.slice(1, end)));
      rest = rest.slice(end + 1);
    } else if (rest === '.') rest = '';
    else if (field?.[1] !== undefined) {
      const name = field[1].replaceAll(/\\(.)/g, '$1');
      steps.push(name === '*' ? { kind: 'all' } : { kind: 'field', name });
      rest = rest.slice(field[0].length);
    } else
      throw new JsonPathError(
        `unrecognized character in action: U+${(rest.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
      );
  }
  return steps;
}

function bracketEnd(text: string): number {
  let depth = 0;
  let quote = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']') {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  throw new JsonPathError('unterminated array');
}

function bracket(inner: string): Step {
  const text = inner.trim();
  if (text === '*') return { kind: 'all' };
  if (/^-?\d+$/.test(text)) return { kind: 'index', at: Number(text) };
  const filter = /^\?\(\s*(@.*?)\s*(?:(==|!=)\s*(.*?)\s*)?\)$/s.exec(text);
  if (filter?.[1] !== undefined) {
    return {
      kind: 'filter',
      path: parsePath(filter[1]),
      operator: filter[2],
      value: (filter[3] ?? '').replace(/^(["'])(.*)\1$/s, '$2'),
    };
  }
  return { kind: 'field', name: text.replace(/^(["'])(.*)\1$/s, '$2') };
}

function evaluate(steps: readonly Step[], root: unknown): readonly unknown[] {
  let values: readonly unknown[] = root === undefined ? [] : [root];
  for (const step of steps) values = values.flatMap((value) => advance(step, value));
  return values;
}

function advance(step: Step, value: unknown): readonly unknown[] {
  const object = value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  switch (step.kind) {
    case 'field': {
      const found = object?.[step.name];
      return found === undefined ? [] : [found];
    }
    case 'all':
      return Array.isArray(value) ? value : Object.values(object ?? {});
    case 'index': {
      const found = Array.isArray(value) ? value.at(step.at) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'recursive':
      return deep(value, step.name);
    case 'filter':
      return (Array.isArray(value) ? value : []).filter((item) => {
        const found = evaluate(step.path, item);
        if (step.operator === undefined) return found.length > 0;
        const equal = found.some((one) => show(one) === step.value);
        return step.operator === '==' ? equal : !equal;
      });
  }
}

function deep(value: unknown, name: string): readonly unknown[] {
  if (value === null || typeof value !== 'object') return [];
  const own = (value as Record<string, unknown>)[name];
  return [...(own === undefined ? [] : [own]), ...Object.values(value).flatMap((child) => deep(child, name))];
}
