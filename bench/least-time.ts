import { criticalPath, type Plan } from '../domain/operation/plan.ts';
import { commandSeconds, type LatencyTable, type LedgerEntry } from '../simulator/index.ts';
import { jobId } from '../ssh/job.ts';

/** A step of the plan, or something that the world does by itself: a boot, a node that becomes Ready. */
export interface Work {
  readonly id: string;
  readonly after: readonly string[];
  readonly seconds: number;
}

const BOOT = 'boot';

interface World {
  readonly vnfLcmOpOccId: string;
  /** Of a run of the plan, at any speed: which commands each step ran on its node. */
  readonly ledger: readonly LedgerEntry[];
  /** How long they take. */
  readonly table: LatencyTable;
}

/**
 * How long a plan takes by the latency table alone, if vnflow itself took no time at all: the longest way through the graph
 * of its steps. No measured time goes into it.
 */
export function leastTime(plan: Pick<Plan, 'steps'>, world: World): { seconds: number; steps: Work[] } {
  const commands = commandsByJob(world.ledger);
  const works = plan.steps.flatMap((step) => worksOf(step, commands.get(jobId(world.vnfLcmOpOccId, step.id)), world));
  return criticalPath({ steps: works }, ({ seconds }) => seconds);
}

type Step = Plan['steps'][number];

function worksOf(step: Step, commands: readonly string[] = [], { table }: World): Work[] {
  const { id, kind } = step;
  const inPhase = commands.reduce((sum, line) => sum + commandSeconds(table, line), 0);
  switch (kind) {
    // In the sample's HOTs: a port, then its server. Everything else is made at the same time.
    case 'applyStack':
    case 'growStack': {
      const seconds = table.apiCall + table.resource + table.serverActive;
      return [
        { id, after: step.after, seconds },
        { id: BOOT, after: [id], seconds: table.boot },
      ];
    }
    case 'discover':
      return [{ id, after: step.after, seconds: 3 * table.apiCall }];
    // Servers boot while they are looked for; the login is over long before cloud-init, which the script waits for.
    case 'prepareNode':
      return [{ id, after: [...step.after, BOOT], seconds: inPhase }];
    // Ready waits for the node's own CNI agent, and for the network of the cluster (part of installCni).
    case 'verifyCluster':
      return [
        {
          id,
          after: step.after.flatMap((earlier) => [earlier, ...(isJoin(earlier) ? [readyAfter(earlier)] : [])]),
          seconds: table.login,
        },
      ];
    // a call of Temporal, no node
    case 'scheduleSnapshots':
      return [{ id, after: step.after, seconds: 0 }];
    default: {
      const work = { id, after: step.after, seconds: table.login + inPhase };
      return isJoin(id) ? [work, { id: readyAfter(id), after: [id], seconds: table.nodeReady }] : [work];
    }
  }
}

function isJoin(id: string): boolean {
  return id.startsWith('joinWorker') || id.startsWith('joinControlPlane');
}

function readyAfter(join: string): string {
  return `Ready after ${join}`;
}

/** Job → command lines. On a node the jobs of a plan run one after the other; the node is known by its server, as names change. */
function commandsByJob(ledger: readonly LedgerEntry[]): Map<string, string[]> {
  const jobs = new Map<string, string[]>();
  const current = new Map<string, string[]>();
  for (const { kind, what, detail } of ledger) {
    const server = String(detail?.['server'] ?? '');
    if (kind === 'phase') {
      const job = String(detail?.['unit'] ?? '').replace(/^vnflow-(.*)-\d+$/, '$1');
      const commands = jobs.get(job) ?? [];
      jobs.set(job, commands);
      current.set(server, commands);
    } else if (kind === 'command') current.get(server)?.push(what);
  }
  return jobs;
}
