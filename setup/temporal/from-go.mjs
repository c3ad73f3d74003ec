import path from 'node:path';
import { onPath } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { GO_VERSION } from './pins.mjs';

/**
 * Builds the program from source through the Go module proxy. The checksum database of Go verifies the source.
 * @param {{ into: string, env: NodeJS.ProcessEnv }} where `into`: an empty directory
 * @returns {Promise<string>} path of the binary
 * @throws {Error} when there is no Go or it does not build
 */
export async function buildWithGo({ into, env }) {
  const go = onPath('go', env);
  if (go === undefined) throw new Error('there is no go on PATH');
  const build = { ...env, GOBIN: into, GOFLAGS: '-trimpath -ldflags=-s', CGO_ENABLED: '0' };
  await runCommand(go, ['install', `github.com/temporalio/cli/cmd/temporal@v${GO_VERSION}`], {
    env: build,
    timeoutSeconds: 1_800,
  });
  return path.join(into, 'temporal');
}
