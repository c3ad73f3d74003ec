import { readFileSync } from 'node:fs';
import { VnflowError } from '../../domain/problems.ts';
import { stallingMember } from '../../domain/vnf-kinds/kubernetes-cluster/etcd-members.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { pollUntil } from '../attempt/poll.ts';
import { controlPlaneSlots } from '../node/control-plane.ts';
import { type NodeContext, onNode } from '../node/node-session.ts';
import { type PhaseContext, runPhaseJob } from '../node/phase-job.ts';
import { listOwnMembers } from './etcd.ts';

const SCRIPT = readFileSync(new URL('./forget_unstarted_member.sh', import.meta.url), 'utf8');
const TIMEOUT_MS = 60_000;

/**
 * Prints how the member of a joining node stands. `started`: its etcd runs, or has ever run. `starting`: the kubelet is
 * to start it. `absent`: it has never started, and nothing would start it.
 */
const LOOK = `if pgrep -x etcd > /dev/null || [ -e /var/lib/etcd/member ]; then echo started
elif [ -s /etc/kubernetes/manifests/etcd.yaml ]; then echo starting
else echo absent; fi`;

/**
 * Takes the manifest of etcd away from a joining node, if etcd has never run there. The kubelet is stopped first, and
 * what it has begun to start gets the time to show. The next join cleans the node and starts the kubelet.
 */
const FENCE = `systemctl stop kubelet > /dev/null 2>&1
sleep 5
if pgrep -x etcd > /dev/null || [ -e /var/lib/etcd/member ]; then systemctl start kubelet; echo started; exit 0; fi
rm -f /etc/kubernetes/manifests/etcd.yaml && echo fenced`;

/** The mark of SCRIPT on a node: id (decimal) and address of the member that it has begun to forget. */
const MARK = '/var/lib/vnflow/etcd/forgetting';

/** A member that has never started, and the only other one, without which etcd cannot take it off its list. */
interface Stall {
  /** The id of the member that has never started, decimal. */
  readonly id: string;
  /** The address of its node. */
  readonly address: string;
}

/**
 * Ends the stall of an etcd whose only member got a second one that has never started, because its join was cut off
 * right after kubeadm had announced it: two voters, one running, no majority for ever. First the joining node loses
 * all that could start its member; then etcd of the other node starts once with `--force-new-cluster`. That loses
 * nothing: what etcd confirmed, it confirmed with the data of that node. Does nothing in every other case.
 * @param joining the node whose join was cut off. No job of its step may run there
 * @throws VnflowError as `runPhaseJob`; CLUSTER_NOT_READY when the joining node cannot be looked at
 */
export async function endStalledJoin(joining: PhaseContext): Promise<void> {
  const found = await findStall(joining);
  if (!found) return;
  const { slot, stall } = found;
  joining.say(
    `etcd has no majority: ${joining.node.nodeName} was announced as its second member and has never started`,
  );
  if (!(await fenceMember(joining))) return;
  await onNode(joining, { slot }, async (only) => {
    // the second look, right before the act
    if ((await lookAtMember(joining)) === 'absent') await forgetMember(only, stall);
  });
}

/**
 * Goes on with the end of a stall that was cut off on this node, in whatever operation: etcd must not keep a manifest
 * with which it would take later members off its list.
 */
export async function finishStalledJoin(only: PhaseContext): Promise<void> {
  const stall = await readMark(only);
  if (stall) await forgetMember(only, stall);
}

/** Asks the other control-plane nodes, until one lists the members of its etcd. */
async function findStall(joining: PhaseContext): Promise<{ slot: string; stall: Stall } | undefined> {
  const { signal, node } = joining;
  const others = (await controlPlaneSlots(joining)).filter((slot) => slot !== node.slot);
  for (const slot of others) {
    try {
      const sight = await onNode(joining, { slot, limitSeconds: 0 }, (other) => lookForStall(other, node.nicAddress));
      if (sight) return sight.stall && { slot, stall: sight.stall };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VnflowError)) throw error;
    }
  }
  return undefined;
}

/** @returns undefined when no etcd answers there */
async function lookForStall(other: PhaseContext, joining: string): Promise<{ stall?: Stall } | undefined> {
  const { session, node } = other;
  const begun = await readMark(other);
  if (begun) return { stall: begun };
  const members = await listOwnMembers(session, node.nicAddress);
  if (!members) return undefined;
  const member = stallingMember(members, { own: node.nicAddress, joining });
  return member ? { stall: { id: BigInt(`0x${member.id}`).toString(), address: joining } } : {};
}

async function readMark({ session, signal }: NodeContext): Promise<Stall | undefined> {
  const { stdout } = await execAsRoot(session, sudoCommand(['cat', MARK]), { signal, timeoutMs: TIMEOUT_MS });
  const [, id, address] = /^(\d+) (\S+)\n$/.exec(stdout) ?? [];
  return id === undefined || address === undefined ? undefined : { id, address };
}

/**
 * Waits for a member that may be starting; it ends the stall by itself.
 * @returns whether it has never started and never will
 */
async function fenceMember(joining: PhaseContext): Promise<boolean> {
  const { deps, signal, node } = joining;
  const limitSeconds = deps.pace.surveyLimit;
  const state = await pollUntil({ pause: deps.pace.poll, limitSeconds, signal }, async (isLate) => {
    const seen = await lookAtMember(joining);
    if (seen !== 'starting' || isLate()) return seen;
    joining.say(`waiting for etcd of ${node.nodeName} to start`);
    return undefined;
  });
  if (state === 'started') return false;
  return (await runOnNode(joining, FENCE, 'fence etcd member')) === 'fenced';
}

function lookAtMember(joining: PhaseContext): Promise<string> {
  return runOnNode(joining, LOOK, 'look at etcd member');
}

async function runOnNode({ session, signal, node }: PhaseContext, snippet: string, name: string): Promise<string> {
  const options = { name, signal, timeoutMs: TIMEOUT_MS };
  const { code, stdout, stderr } = await execAsRoot(session, sudoCommand(['sh', '-c', snippet]), options);
  if (code === 0) return stdout.trim();
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `It cannot be seen whether etcd has ever run on ${node.nodeName}.`,
    seen: stderr.slice(-1000),
  });
}

/** All attempts of all steps have one job per member: it goes on where it was cut off. */
async function forgetMember(only: PhaseContext, { id, address }: Stall): Promise<void> {
  await runPhaseJob(only, {
    kind: 'joinControlPlane',
    name: 'forget-unstarted-member',
    id: `forget-member-${id}`,
    script: SCRIPT,
    environment: { NODE_IP: only.node.nicAddress, UNSTARTED_IP: address, UNSTARTED_ID: id },
  });
}
