import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the script of the sample package is the one that vnflow runs for packages without a script', () => {
  const own = read('../activities/registry/install_private_registry.sh');
  expect(read('../samples/private-registry/Scripts/install_private_registry.sh')).toBe(own);
});
