import { installedNames, installedVersion, isHeld } from '../../world/apt/installed.ts';
import { compareVersions } from '../../world/apt/version-order.ts';
import type { SimNode } from '../../world/world.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { DPKG_LOCK, lockHolder } from './lock.ts';

interface Match {
  readonly name: string;
  readonly unknown: boolean;
}

function matching(node: SimNode, patterns: readonly string[]): readonly Match[] {
  const all = installedNames(node);
  if (patterns.length === 0) return all.map((name) => ({ name, unknown: false }));
  return patterns.flatMap((pattern): readonly Match[] => {
    const plain = pattern.replace(/:(amd64|all)$/, '');
    const expression = new RegExp(
      `^${plain
        .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
    );
    const names = all.filter((name) => expression.test(name));
    return names.length === 0 ? [{ name: pattern, unknown: true }] : names.map((name) => ({ name, unknown: false }));
  });
}

/** The fields of dpkg's database. A held package wants `hold` instead of `install`. */
function fields(node: SimNode, name: string): Readonly<Record<string, string>> {
  const held = isHeld(node, name);
  return {
    Package: name,
    'binary:Package': name,
    Version: installedVersion(node, name) ?? '',
    Status: `${held ? 'hold' : 'install'} ok installed`,
    'db:Status-Abbrev': held ? 'hi ' : 'ii ',
    'db:Status-Want': held ? 'hold' : 'install',
    'db:Status-Status': 'installed',
    'db:Status-Eflag': 'ok',
    Architecture: 'amd64',
    Essential: 'no',
    'binary:Summary': name,
  };
}

function formatted(format: string, values: Readonly<Record<string, string>>): string {
  return format
    .replaceAll(/\$\{([\w:-]+)(?:;(-?\d+))?\}/g, (_, key: string, width?: string) => {
      const value = values[key] ?? '';
      if (width === undefined) return value;
      return Number(width) < 0 ? value.padEnd(-Number(width)) : value.padStart(Number(width));
    })
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t');
}

function query(args: readonly string[], { node }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-f', '--showformat', '--admindir']));
  const [first = ''] = parsed.operands;
  if (parsed.has('-s', '--status')) return status(node, first);
  if (parsed.has('-l', '--list')) return table(node, parsed.operands);
  if (parsed.has('-L', '--listfiles')) {
    return installedVersion(node, first) === undefined
      ? failure(1, `dpkg-query: package '${first}' is not installed`)
      : ok(`/.\n/usr\n/usr/share/doc/${first}\n`);
  }
  if (!parsed.has('-W', '--show')) return failure(2, 'dpkg-query: error: need an action option');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const format = parsed.value('-f', '--showformat')?.replace(/^=/, '') ?? '${binary:Package}\t${Version}\n';
  let stdout = '';
  let stderr = '';
  for (const { name, unknown } of matching(node, parsed.operands)) {
    if (unknown) stderr += `dpkg-query: no packages found matching ${name}\n`;
    else stdout += formatted(format, fields(node, name));
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

function status(node: SimNode, name: string): Output {
  if (installedVersion(node, name) === undefined) {
    return failure(
      1,
      `dpkg-query: package '${name}' is not installed and no information is available\nUse dpkg --info (= dpkg-deb --info) to examine archive files.`,
    );
  }
  const { Status, Version } = fields(node, name);
  return ok(`Package: ${name}\nStatus: ${Status}\nArchitecture: amd64\nVersion: ${Version}\n`);
}

function table(node: SimNode, patterns: readonly string[]): Output {
  const rows = matching(node, patterns);
  const known = rows.filter(({ unknown }) => !unknown);
  const stderr = rows
    .filter(({ unknown }) => unknown)
    .map(({ name }) => `dpkg-query: no packages found matching ${name}\n`)
    .join('');
  if (known.length === 0) return failure(1, stderr);
  const head =
    'Desired=Unknown/Install/Remove/Purge/Hold\n| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n||/ Name                 Version                    Architecture Description\n+++-====================-==========================-============-===========\n';
  const lines = known.map(
    ({ name }) =>
      `${isHeld(node, name) ? 'hi' : 'ii'}  ${name.padEnd(20)} ${(installedVersion(node, name) ?? '').padEnd(26)} amd64        ${name}\n`,
  );
  return { stdout: head + lines.join(''), stderr, exitCode: stderr === '' ? 0 : 1 };
}

const RELATIONS: Readonly<Record<string, (order: number) => boolean>> = {
  lt: (order) => order < 0,
  le: (order) => order <= 0,
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  ge: (order) => order >= 0,
  gt: (order) => order > 0,
};

function configureAll({ node, isRoot }: CommandContext): Output {
  if (!isRoot) return failure(2, 'dpkg: error: requested operation requires superuser privilege');
  const holder = lockHolder(node, DPKG_LOCK);
  if (holder) {
    return failure(
      2,
      `dpkg: error: dpkg frontend lock was locked by another process with pid ${holder.pid}\nNote: removing the lock file is always wrong, can damage the locked area\nand the entire system. See <https://wiki.debian.org/Teams/Dpkg/FAQ#db-lock>.`,
    );
  }
  const updates = '/var/lib/dpkg/updates';
  if (node.root.exists(updates)) {
    for (const name of node.root.list(updates))
      node.root.remove(`${updates}/${name}`, { recursive: false, force: true });
  }
  return ok();
}

function dpkg(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['--compare-versions']));
  if (parsed.has('--version')) return ok("Debian 'dpkg' package management program version 1.21.1 (amd64).\n");
  if (parsed.has('--print-architecture')) return ok('amd64\n');
  if (parsed.has('--print-foreign-architectures')) return ok('i386\n');
  if (parsed.has('--compare-versions')) {
    const [left = '', relation = '', right = ''] = args.slice(args.indexOf('--compare-versions') + 1);
    const test = RELATIONS[relation];
    if (!test) return failure(2, 'dpkg: error: --compare-versions bad relation');
    return failure(test(compareVersions(left, right)) ? 0 : 1, '');
  }
  if (parsed.has('--configure')) return configureAll(context);
  if (parsed.has('--audit', '-C')) return ok();
  if (parsed.has('--get-selections')) {
    const names = installedNames(context.node);
    return ok(names.map((name) => `${name}\t\t\t\t\t${isHeld(context.node, name) ? 'hold' : 'install'}\n`).join(''));
  }
  if (parsed.has('-l', '--list', '-s', '--status', '-L', '--listfiles')) return query(args, context);
  if (parsed.has('-i', '--install')) {
    const [file = ''] = parsed.operands;
    return failure(1, `dpkg: error: cannot access archive '${file}': No such file or directory`);
  }
  return failure(
    2,
    "dpkg: error: need an action option\n\nType dpkg --help for help about installing and deinstalling packages [*];\nUse 'apt' or 'aptitude' for user-friendly package management;",
  );
}

export const DPKG: CommandTable = { dpkg: { run: dpkg }, 'dpkg-query': { run: query } };
