import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const project = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  ...readdirSync(project).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(project, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** Links of a page to other files of the project, as they are written. */
function linksOf(page: string): string[] {
  const text = readFileSync(path.join(project, page), 'utf8').replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups?.['target'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The name that a Markdown viewer gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (?<heading>.+)$/gm);
  return [...headings].map(({ groups }) => anchorOf(groups?.['heading'] ?? ''));
}

/** Why a link is broken. Undefined when it is valid. */
function faultOf(page: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? path.join(project, page) : path.resolve(project, path.dirname(page), target);
  if (!existsSync(file)) return `${page}: ${link}: no such file`;
  if (anchor !== undefined && !anchorsOf(file).includes(anchor)) return `${page}: ${link}: no such heading`;
  return undefined;
}

it('every link between the pages leads to a file and a heading that exist', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(20);
  expect(links.flatMap(({ page, link }) => faultOf(page, link) ?? [])).toEqual([]);
});
