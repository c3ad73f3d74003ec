import { Gauge, Registry } from 'prom-client';
import type { Database } from '../../store/open-store.ts';
import {
  countInstances,
  countOperations,
  countWaitingRequests,
  listNewestBackups,
  listVimTokenEnds,
} from '../../store/operation-counts.ts';

/** Scrapers, and two of them at once, share one reading of the store within this time. */
const KEPT_MS = 5_000;

/**
 * What the store says about all instances and operations. Each API process gives the same values: take their maximum,
 * not their sum.
 * @returns writes them as text; rejects while the store is away
 */
export function createStoreMetrics(db: Database): () => Promise<string> {
  const registry = new Registry();
  const gauges = createGauges(registry);
  let kept: { readonly at: number; readonly text: Promise<string> } | undefined;
  return () => {
    if (kept === undefined || Date.now() - kept.at > KEPT_MS) {
      const text = readStore(db, gauges).then(() => registry.metrics());
      text.catch(() => {
        kept = undefined;
      });
      kept = { at: Date.now(), text };
    }
    return kept.text;
  };
}

type Gauges = ReturnType<typeof createGauges>;

function createGauges(registry: Registry) {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers: [registry] });
  return {
    operations: gauge('vnflow_operations', 'Operations by kind and state; states that ended count, too.', [
      'operation',
      'state',
    ]),
    ages: gauge(
      'vnflow_operation_oldest_age_seconds',
      'For how long the oldest operation of a kind has been in a state in which it has not ended.',
      ['operation', 'state'],
    ),
    requests: gauge('vnflow_requests_waiting', 'Requests that no workflow has accepted yet.'),
    instances: gauge('vnflow_vnf_instances', 'VNF instances by VNFD and state.', ['vnfd_id', 'state']),
    backups: gauge('vnflow_backup_age_seconds', 'Age of the newest backup of a cluster; +Inf when it has none.', [
      'vnf_instance_id',
    ]),
    vimTokens: gauge(
      'vnflow_vim_token_seconds_left',
      'How long the token of a cluster that is a VIM is still good; negative when it has ended.',
      ['vnf_instance_id'],
    ),
  };
}

/** States in which an operation waits or runs (SOL003 5.6.2.2). */
const OPEN_STATES = ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'];

async function readStore(db: Database, gauges: Gauges): Promise<void> {
  const [operations, requests, instances, backups, vimTokens] = await Promise.all([
    countOperations(db),
    countWaitingRequests(db),
    countInstances(db),
    listNewestBackups(db),
    listVimTokenEnds(db),
  ]);
  const now = Date.now();
  const ageOf = (since: Date) => Math.max(0, (now - since.getTime()) / 1000);
  for (const gauge of Object.values(gauges)) gauge.reset(); // an instance that is gone must not keep its series
  for (const { operation, operationState: state, count, oldestSince } of operations) {
    gauges.operations.set({ operation, state }, count);
    if (OPEN_STATES.includes(state)) gauges.ages.set({ operation, state }, ageOf(oldestSince));
  }
  gauges.requests.set(requests);
  for (const { vnfdId, instantiationState, count } of instances)
    gauges.instances.set({ vnfd_id: vnfdId, state: instantiationState }, count);
  for (const { vnfInstanceId, takenAt } of backups)
    gauges.backups.set(
      { vnf_instance_id: vnfInstanceId },
      takenAt === null ? Number.POSITIVE_INFINITY : ageOf(takenAt),
    );
  for (const { vnfInstanceId, expiresAt } of vimTokens)
    gauges.vimTokens.set({ vnf_instance_id: vnfInstanceId }, (expiresAt.getTime() - now) / 1000);
}
