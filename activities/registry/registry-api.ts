import { VnflowError } from '../../domain/problems.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { NodeContext } from '../node/node-session.ts';
import { registryAccess, registryUrl } from './registry-access.ts';

/** No proxy stands between the server and itself. `--fail` makes an answer of 400 or more an exit code. */
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '10'];
const TIMEOUT_MS = 60_000;

/**
 * Asks the registry at the address that its clients use, with curl on its server.
 * @throws VnflowError REGISTRY_NOT_READY when it does not answer with a status below 400
 */
export async function askRegistry(node: NodeContext): Promise<void> {
  const { session, signal } = node;
  const url = `${registryUrl(await registryAccess(node))}/v2/`;
  const { code, stderr } = await session.exec(commandLine([...CURL, url]), { timeoutMs: TIMEOUT_MS, signal });
  if (code === 0) return;
  throw new VnflowError('REGISTRY_NOT_READY', {
    detail: `The registry does not answer at ${url}, as seen from ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}
