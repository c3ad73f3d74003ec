import { VnflowError } from '../../domain/problems.ts';
import {
  type NodeChange,
  type NodeFile,
  type NodeRegistry,
  type NodeSight,
  RECORD_FILE,
  recordDuring,
  registryChange,
  SHARED_FILES,
  type SharedFile,
} from '../../domain/vnf-kinds/kubernetes-cluster/registry-files.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from './node-session.ts';

/** The directory of a node with what vnflow remembers about registries; for root only. */
export const REGISTRIES_DIRECTORY = RECORD_FILE.slice(0, RECORD_FILE.lastIndexOf('/'));

const TIMEOUT_MS = 120_000;

/** Prints `PATH BASE64` for each file that exists, and `docker` where its daemon is installed. */
const LOOK = `for file in "$@"; do
  if [ -f "$file" ]; then printf '%s ' "$file"; base64 "$file" | tr -d '\\n'; echo; fi
done
if command -v dockerd > /dev/null 2>&1; then echo docker; fi
`;

/**
 * Carries out lines of standard input: put MODE PATH BASE64, remove PATH, restart SERVICE, end. Each has five words, the
 * last is a full stop, and the last line is the end, so that lines that were cut off are known. What has to be restarted is remembered until it is done.
 * @internal exported for tests
 */
export const CHANGE = `umask 077
work=$1 finished=no
fail() { printf '%s\\n' "$*" >&2; exit 1; }
mkdir -p "$work" && chmod 700 "$work" || fail "cannot make $work"
while read -r verb one two three end; do
  [ "$end" = . ] || fail "the change of the registries was cut off"
  case "$verb" in
    put)
      (umask 022; mkdir -p "\${two%/*}") || fail "cannot make the directory of $two"
      printf '%s' "$three" | base64 -d > "$two.vnflow" || fail "cannot write $two"
      chmod "$one" "$two.vnflow" && mv -f "$two.vnflow" "$two" || fail "cannot write $two"
      ;;
    remove)
      rm -f "$one" || fail "cannot remove $one"
      rmdir "\${one%/*}" 2> /dev/null
      ;;
    end) finished=yes ;;
    restart) : > "$work/restart.$one" || fail "cannot write in $work" ;;
  esac
done
[ "$finished" = yes ] || fail "the change of the registries was cut off"
for service in containerd docker kubelet; do
  [ -f "$work/restart.$service" ] || continue
  if systemctl is-active --quiet "$service"; then
    case "$service" in
      docker) systemctl reload docker 2> /dev/null || systemctl restart docker || fail "docker does not start" ;;
      *) systemctl restart "$service" || fail "$service does not start" ;;
    esac
  fi
  rm -f "$work/restart.$service"
done
rm -f "$work"/*.crt
exit 0
`;

/**
 * Makes a node pull from these registries, and from no other that vnflow has connected. Files that others have written
 * keep their parts.
 * @throws VnflowError NODE_PROTOCOL for a file of the node that is not of its form, NODE_DISK_FULL, NODE_COMMAND_FAILED
 */
export async function writeRegistries(node: NodeContext, registries: readonly NodeRegistry[]): Promise<void> {
  const sight = await lookAtNode(node);
  const change = readChange(node, registries, sight);
  const { code, stderr } = await execAsRoot(
    node.session,
    sudoCommand(['sh', '-c', CHANGE, 'vnflow', REGISTRIES_DIRECTORY]),
    {
      name: 'write registries',
      stdin: Buffer.from(linesOf(change, sight)),
      signal: node.signal,
      timeoutMs: TIMEOUT_MS,
    },
  );
  if (code === 0) return;
  throw new VnflowError(/No space left/.test(stderr) ? 'NODE_DISK_FULL' : 'NODE_COMMAND_FAILED', {
    detail: `The private registries could not be written on ${node.session.label}.`,
    seen: stderr.slice(-1000),
  });
}

async function lookAtNode({ session, signal }: NodeContext): Promise<NodeSight> {
  const names = Object.keys(SHARED_FILES) as SharedFile[];
  const paths = [RECORD_FILE, ...names.map((name) => SHARED_FILES[name])];
  const { code, stdout, stderr } = await execAsRoot(session, sudoCommand(['sh', '-c', LOOK, 'vnflow', ...paths]), {
    name: 'look at registries',
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  if (code !== 0) {
    throw new VnflowError('NODE_COMMAND_FAILED', {
      detail: `The files about registries could not be read on ${session.label}.`,
      seen: stderr.slice(-1000),
    });
  }
  const lines = stdout.split('\n').map((line) => line.trim().split(' '));
  const texts = new Map(
    lines.flatMap(([path = '', base64 = '']) =>
      path.startsWith('/') ? [[path, Buffer.from(base64, 'base64').toString('utf8')] as const] : [],
    ),
  );
  const record = texts.get(RECORD_FILE);
  return {
    docker: lines.some(([word]) => word === 'docker'),
    texts: Object.fromEntries(
      names.flatMap((name) => {
        const text = texts.get(SHARED_FILES[name]);
        return text === undefined ? [] : [[name, text]];
      }),
    ),
    ...(record === undefined ? {} : { record }),
  };
}

function readChange({ session }: NodeContext, registries: readonly NodeRegistry[], sight: NodeSight): NodeChange {
  try {
    return registryChange(registries, sight);
  } catch (cause) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `A file about registries cannot be changed on ${session.label}.`,
      ...(cause instanceof SyntaxError ? { seen: cause.message.slice(0, 200) } : {}),
      cause,
    });
  }
}

/** The record of all that may be there comes first, that of what is there comes last. */
function linesOf(change: NodeChange, sight: NodeSight): string {
  const during: NodeFile = { path: RECORD_FILE, mode: '0600', text: recordDuring(change, sight) };
  const put = ({ path, mode, text }: NodeFile) => `put ${mode} ${path} ${Buffer.from(text).toString('base64')} .\n`;
  return [
    put(during),
    ...change.restart.map((service) => `restart ${service} - - .\n`),
    ...change.put.slice(0, -1).map(put),
    ...change.remove.map((path) => `remove ${path} - - .\n`),
    ...change.put.slice(-1).map(put),
    'end - - - .\n',
  ].join('');
}
