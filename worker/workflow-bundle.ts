import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the workflow code into one file, once for each version of the sources. Bundling needs seconds and about 300
 * MB, so a separate process does it, whose memory is free afterwards.
 * @param cache directory of the bundles
 */
export async function workflowBundle(cache: string): Promise<{ codePath: string }> {
  const codePath = path.join(cache, `workflows-${sourcesDigest()}.cjs`);
  if (!existsSync(codePath)) await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), codePath]);
  return { codePath };
}

function sourcesDigest(): string {
  const digest = createHash('sha256');
  const files = ['workflows', 'domain/operation', 'domain/steps'].flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => path.join(room, file)),
  );
  for (const file of [
    ...files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort(),
    existsSync(path.join(root, 'package-lock.json')) ? 'package-lock.json' : 'package.json',
  ]) {
    digest.update(file).update(readFileSync(path.join(root, file)));
  }
  return digest.digest('hex').slice(0, 16);
}

async function bundleInto(codePath: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(root, 'workflows', 'index.ts'),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
  mkdirSync(path.dirname(codePath), { recursive: true });
  writeFileSync(`${codePath}.${process.pid}`, code);
  renameSync(`${codePath}.${process.pid}`, codePath);
}

const target = process.argv[2];
if (import.meta.main && target !== undefined) await bundleInto(target);
