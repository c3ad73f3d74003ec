import { criticalPath, type Plan } from '../domain/operation/plan.ts';
import { commandSeconds, type LatencyTable, type LedgerEntry } from '../simulator/index.ts';
import { jobId } from '../ssh/job.ts';

/** A step of the plan, or an event outside vnflow: a server boots, or a node becomes Ready. */
export interface Work {
  readonly id: string;
  readonly after: readonly string[];
  readonly seconds: number;
}

const BOOT = 'boot';

interface World {
  readonly vnfLcmOpOccId: string;
  /** The ledger of a run of the plan, at any speed. It shows which commands each step ran on its node. */
  readonly ledger: readonly LedgerEntry[];
  /** Duration of each command. */
  readonly table: LatencyTable;
}

/**
 * Computes how long a plan would take if vnflow itself needed no time: the longest path through the graph of its steps,
 * with the durations of the latency table. It uses no measured time.
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
    // In the Heat templates of the sample a server needs its port. Everything else is created in parallel.
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
    // Servers boot while `discover` runs; the login ends long before cloud-init, for which the script waits.
    case 'prepareNode':
      return [{ id, after: [...step.after, BOOT], seconds: inPhase }];
    // A node becomes Ready after its own CNI agent and the network of the cluster (part of installCni) are there.
    case 'verifyCluster':
      return [
        {
          id,
          after: step.after.flatMap((earlier) => [earlier, ...(isJoin(earlier) ? [readyAfter(earlier)] : [])]),
          seconds: table.login,
        },
      ];
    // a call to Temporal, without a node
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

/**
 * Command lines by job. The jobs on a node run one after the other. The node is identified by its server, because names
 * change.
 */
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
