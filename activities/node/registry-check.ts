import { nodeLabel } from '../../domain/node-name.ts';
import type { NodeProxy } from '../../domain/node-proxy.ts';
import { VnflowError } from '../../domain/problems.ts';
import { type ProbeResult, probeConfig, readProbe } from '../../domain/vnf-kinds/kubernetes-cluster/registry-check.ts';
import type { NodeRegistry } from '../../domain/vnf-kinds/kubernetes-cluster/registry-files.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from './node-session.ts';
import { putFile } from './put-file.ts';
import { REGISTRIES_DIRECTORY } from './registry-files.ts';

const TIMEOUT_MS = 60_000;
/**
 * What curl is to do stands in its standard input: arguments can be seen in the process list. `--disable`, which must
 * come first, keeps it from the settings of root.
 */
const CURL = sudoCommand(['curl', '--disable', '--config', '-']);

interface Checked {
  readonly registry: NodeRegistry;
  /** Tells the certificates of several registries apart. */
  readonly index: number;
  /** The proxy of the node's container runtime. */
  readonly proxy: NodeProxy | undefined;
}

/**
 * Checks from a node that a registry answers, that its certificate is trusted, and that it accepts the login. Nothing on
 * the node depends on the check.
 * @throws VnflowError REGISTRY_UNREACHABLE, REGISTRY_UNTRUSTED, REGISTRY_CERTIFICATE_EXPIRED, REGISTRY_LOGIN, naming the
 * registry and the node
 */
export async function checkRegistry(node: NodeContext, { registry, index, proxy }: Checked): Promise<void> {
  const authorityFile = await putAuthority(node, registry, index);
  const ask = async (tokenUrl?: string): Promise<ProbeResult> => {
    const config = probeConfig(registry, { authorityFile, proxy, tokenUrl });
    const output = await execAsRoot(node.session, CURL, {
      stdin: Buffer.from(config),
      signal: node.signal,
      timeoutMs: TIMEOUT_MS,
    });
    return readProbe(registry, output, tokenUrl !== undefined);
  };
  const first = await ask();
  const result = first.kind === 'token' ? await ask(first.url) : first;
  if (result.kind !== 'problem') return;
  const { nodeName, nicAddress } = node.node;
  throw new VnflowError(result.code, {
    detail: `${nodeLabel(nodeName, nicAddress)} cannot use the private registry ${registry.server}: ${result.sentence}.`,
  });
}

/** @returns path of the certificate on the node. Undefined when the node's own authorities are enough */
async function putAuthority(
  node: NodeContext,
  { authority }: NodeRegistry,
  index: number,
): Promise<string | undefined> {
  if (authority === undefined) return undefined;
  const name = `${index}.crt`;
  const content = Buffer.from(authority);
  const refused = await putFile(node, { directory: REGISTRIES_DIRECTORY, name, content, timeoutMs: TIMEOUT_MS });
  if (refused === undefined) return `${REGISTRIES_DIRECTORY}/${name}`;
  throw new VnflowError(/No space left/.test(refused) ? 'NODE_DISK_FULL' : 'NODE_COMMAND_TRANSIENT', {
    detail: `A registry's certificate could not be written on ${node.node.nodeName}.`,
    seen: refused.slice(-1000),
  });
}
