import { VnflowError } from '../../domain/problems.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from '../node/node-session.ts';
import { putFile } from '../node/put-file.ts';
import { type RegistryAccess, registryAccess, registryUrl } from './registry-access.ts';

/** No proxy stands between the server and itself. `--fail` makes an answer of 400 or more an exit code. */
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '10', '--config', '-'];
const TIMEOUT_MS = 60_000;
const CA = { directory: `${JOB_ROOT}/registry`, name: 'ca.crt' } as const;

/**
 * Asks the registry at the address that its clients use, with curl on its server: with the CA and the login that they
 * have.
 * @throws VnflowError REGISTRY_NOT_READY when it does not answer with a status below 400
 */
export async function askRegistry(node: NodeContext): Promise<void> {
  const { session, signal } = node;
  const access = await registryAccess(node);
  const url = `${registryUrl(access)}/v2/`;
  if (access.ca !== undefined) await putAuthority(node, access.ca);
  const options = { stdin: curlConfig(access, url), timeoutMs: TIMEOUT_MS, signal };
  const { code, stderr } = await execAsRoot(session, sudoCommand(CURL), options);
  if (code === 0) return;
  throw new VnflowError('REGISTRY_NOT_READY', {
    detail: `The registry does not answer at ${url}, as seen from ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}

async function putAuthority(node: NodeContext, ca: string): Promise<void> {
  const refused = await putFile(node, { ...CA, content: Buffer.from(ca), timeoutMs: TIMEOUT_MS });
  if (refused === undefined) return;
  throw new VnflowError(/No space left/.test(refused) ? 'NODE_DISK_FULL' : 'NODE_COMMAND_TRANSIENT', {
    detail: `The CA of the registry could not be written on ${node.node.nodeName}.`,
    seen: refused.slice(-1000),
  });
}

/** What curl reads from standard input: every user of the server can see arguments. */
function curlConfig({ ca, login }: RegistryAccess, url: string): string {
  const options = [
    ...(ca === undefined ? [] : [['cacert', `${CA.directory}/${CA.name}`]]),
    ...(login ? [['user', `${login.username}:${login.password}`]] : []),
    ['url', url],
  ];
  return options.map(([name, value = '']) => `${name} = "${value.replaceAll(/[\\"]/g, '\\$&')}"\n`).join('');
}
