import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readBuildId } from './build-id.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

it('names a build by its version and the commit that is checked out', () => {
  expect(readBuildId()).toMatch(/^\d+\.\d+\.\d+(\+[0-9a-f]{12})?$/);
  if (!existsSync(path.join(ROOT, '.git'))) return;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  expect(readBuildId()).toContain(`+${commit.slice(0, 12)}`);
});
