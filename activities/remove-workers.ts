import { z } from 'zod';
import type { StepActivities, StepInput } from '../domain/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { commandLine } from '../ssh/quote.ts';
import type { SshSession } from '../ssh/session.ts';
import { type ClusterNode, listClusterNodes } from '../store/cluster-nodes.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { onNode } from './node-session.ts';
import { operationOf } from './operation-facts.ts';

const KUBECTL = ['sudo', '-n', 'kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf'];
const REACH_SECONDS = 60;
const KUBECTL_TIMEOUT_MS = 60_000;
/** Evictions of one node must not starve those of another. */
const NODES_AT_ONCE = 10;

/** `additionalParams.drain_timeout`: seconds that pods have to leave a node. */
const DrainTimeout = z.int().min(1).max(3_000).default(300);

/**
 * Takes workers out of the cluster: cordon, drain through the eviction API (disruption budgets respected), delete the node.
 * One session to a control-plane node, whatever the number of workers; none to the workers.
 */
export function createRemoveWorkersActivity(deps: ActivityDependencies): Pick<StepActivities, 'removeWorkers'> {
  return {
    removeWorkers: (input) =>
      heartbeating(async (beat) => {
        const nodes = await listClusterNodes(deps.db, input.vnfInstanceId);
        const victims = nodes.filter(({ slot }) => input.slots?.includes(slot));
        const master = nodes.find(({ role }) => role === 'master');
        if (!master)
          throw new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could be asked.' });
        const timeoutSeconds = await drainTimeoutOf(deps, input);
        await onNode(deps, input, { slot: master.slot, limitSeconds: REACH_SECONDS, beat }, async ({ session }) => {
          for (const victim of victims) await kubectl(session, beat, ['cordon', victim.node_name]);
          for (let at = 0; at < victims.length; at += NODES_AT_ONCE) {
            await Promise.all(
              victims.slice(at, at + NODES_AT_ONCE).map((victim) => remove(session, beat, { victim, timeoutSeconds })),
            );
          }
        });
        return {};
      }),
  };
}

async function drainTimeoutOf(deps: ActivityDependencies, input: StepInput): Promise<number> {
  const params = z.looseObject({ additionalParams: z.looseObject({ drain_timeout: DrainTimeout }).optional() });
  return (
    params.parse((await operationOf(deps, input)).operation_params).additionalParams?.drain_timeout ??
    DrainTimeout.parse(undefined)
  );
}

async function remove(
  session: SshSession,
  beat: Beat,
  { victim, timeoutSeconds }: { victim: ClusterNode; timeoutSeconds: number },
): Promise<void> {
  const { node_name: name } = victim;
  beat.say(`draining ${name}`);
  const drain = [
    'drain',
    name,
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    '--force',
    `--timeout=${timeoutSeconds}s`,
  ];
  const drained = await kubectl(session, beat, drain, (timeoutSeconds + 30) * 1000);
  if (drained.code !== 0) {
    throw new VnflowError('DRAIN_BLOCKED', {
      detail: `${name} could not be drained within ${timeoutSeconds} s.`,
      seen: drained.stderr.split('\n').slice(-20).join('\n'),
    });
  }
  await kubectl(session, beat, ['delete', 'node', name, '--ignore-not-found', '--timeout=60s'], 90_000);
}

/** A node that is gone already is what we want. @throws VnflowError CLUSTER_NOT_READY for anything else, but a drain's own answer */
async function kubectl(session: SshSession, beat: Beat, args: readonly string[], timeoutMs = KUBECTL_TIMEOUT_MS) {
  const result = await session.exec(commandLine([...KUBECTL, ...args]), { timeoutMs, signal: beat.signal });
  const gone = result.code !== 0 && /nodes? "[^"]*" not found/.test(result.stderr);
  if (gone) return { ...result, code: 0 };
  if (result.code === 0 || args[0] === 'drain') return result;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `kubectl ${args.join(' ')} failed on ${session.label}.`,
    seen: result.stderr.slice(-1000),
  });
}
