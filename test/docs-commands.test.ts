import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { openApiDocument } from '../api/openapi/document.ts';
import { allCommands, createProgram } from '../cli/program.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const pages = ['README.md', ...readdirSync(path.join(project, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

interface Line {
  readonly page: string;
  readonly text: string;
  /** In a block of commands a command is whole. In a sentence its arguments may be left out. */
  readonly isWhole: boolean;
}

/** What a page shows as code: lines of blocks (with continued lines joined), and code in sentences. */
function codeOf(page: string): Line[] {
  const text = readFileSync(path.join(project, page), 'utf8');
  const blocks = [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].flatMap(([, body = '']) =>
    body
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/(^|\s)# .*$/, '')),
  );
  const sentences = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const spans = [...sentences.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [
    ...blocks.map((line) => ({ page, text: line, isWhole: true })),
    ...spans.map((span) => ({ page, text: span, isWhole: false })),
  ];
}

/** The words of each `vnflow …` in a line, up to what ends a command in a shell. */
function vnflowCommands({ text }: Line): string[][] {
  return [
    ...text.matchAll(/(?:^|\$\(|[;&|] *|^\$ )(?:npx )?vnflow(?<rest>(?: +(?:"[^"]*"|'[^']*'|[^\s"'`)|;&#>]+))*)/g),
  ].map(({ groups }) =>
    [...(groups?.['rest'] ?? '').matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, a, b]) => a ?? b ?? word),
  );
}

/** What stands for a value: `OP_OCC`, `FILE`, `$INSTANCE`, `…`. */
const PLACEHOLDER = /^(?:\$\w+|[A-Z][A-Z_]+|…|\[.*\]?)$/;

/** Commands that do something without one of their subcommands. */
const RUN_ALONE = new Set(['ops', 'audit']);

/** Why the command line refuses the words. Undefined when it takes them. */
function refusalOf(words: readonly string[], isWhole: boolean): string | undefined {
  const program: Command = createProgram();
  for (const command of [program, ...allCommands(program)])
    command.configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
  for (const command of allCommands(program)) {
    if (command.commands.length === 0 || RUN_ALONE.has(command.name())) command.action(() => {}); // nothing is run
  }
  try {
    program.parse(
      words.filter((word) => word !== '…'),
      { from: 'user' },
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
    const isLeftOut =
      error.code === 'commander.missingArgument' ||
      error.code === 'commander.missingMandatoryOptionValue' ||
      error.code === 'commander.optionMissingArgument';
    if (!isWhole && isLeftOut) return undefined;
    if (error.code === 'commander.invalidArgument' && words.some((word) => PLACEHOLDER.test(word))) return undefined;
    return error.message;
  }
}

const lines = pages.flatMap(codeOf);

it('every vnflow command in the docs is one that the command line takes', () => {
  const commands = lines.flatMap((line) => vnflowCommands(line).map((words) => ({ ...line, words })));
  expect(commands.length).toBeGreaterThan(100);
  const refused = commands.flatMap(({ page, words, isWhole }) => {
    const why = refusalOf(words, isWhole);
    return why === undefined ? [] : [`${page}: vnflow ${words.join(' ')}: ${why}`];
  });
  expect(refused).toEqual([]);
});

it('a command that there is not, an unknown option and a missing argument are found', () => {
  expect(refusalOf(['statuss', 'x'], true)).toContain('unknown command');
  expect(refusalOf(['status', 'x', '--fast'], true)).toContain('unknown option');
  expect(refusalOf(['watch'], true)).toContain('missing required argument');
  expect(refusalOf(['watch'], false)).toBeUndefined();
});

const BASES: Readonly<Record<string, string>> = {
  $lcm: '/vnflcm/v2',
  $pkgm: '/vnfpkgm/v1',
  $VNFM_URL: '',
  'http://127.0.0.1:9890': '',
};

/** Method and path of each request of a line with curl. */
function requestsOf(text: string): { readonly method: string; readonly path: string }[] {
  if (!/\bcurl\b/.test(text)) return [];
  return [...text.matchAll(/(\$lcm|\$pkgm|\$VNFM_URL|http:\/\/127\.0\.0\.1:9890)(\/[^\s"')?]*)/g)].map(
    ([, base = '', below = '']) => {
      const method =
        / -X (\w+)/.exec(text)?.[1] ??
        (/ -T /.test(text) ? 'PUT' : / -d /.test(text) && !/ -G\b/.test(text) ? 'POST' : 'GET');
      return { method, path: `${BASES[base] ?? ''}${below}` };
    },
  );
}

it('every request with curl in the docs goes to a route that there is', () => {
  const { paths = {} } = openApiDocument('http://127.0.0.1:9890');
  const routes = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods ?? {}).map((method) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${route.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    })),
  );
  const exists = ({ method, path: asked }: { method: string; path: string }) =>
    routes.some((route) => route.method === method && route.pattern.test(asked));
  const PLAIN = /^\/(livez|readyz|metrics)$/;
  const requests = lines.flatMap(({ page, text }) => requestsOf(text).map((request) => ({ page, ...request })));
  expect(requests.length).toBeGreaterThan(15);
  expect(requests.filter((request) => !PLAIN.test(request.path) && !exists(request))).toEqual([]);
  expect(exists({ method: 'PUT', path: '/vnflcm/v2/vnf_instances' })).toBe(false);
});
