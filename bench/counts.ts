import { countOperation, type NodesBefore, type OperationCounts } from './operation-counts.ts';
import { type ApiVersion, type LargeCluster, largeCluster, type Place, startTestbed } from './testbed.ts';

/** The operations on a cluster, in this order. Each must have the same cost at every size of the cluster. */
const OPERATIONS: Readonly<Record<string, (cluster: LargeCluster) => Promise<unknown>>> = {
  'scale out by 1': (cluster) => cluster.scale('SCALE_OUT', 1),
  'scale out by 3': (cluster) => cluster.scale('SCALE_OUT', 3),
  'scale in by 4': (cluster) => cluster.scale('SCALE_IN', 4),
  'heal a worker': (cluster) => cluster.heal('workerNode'),
  'heal a cp node': (cluster) => cluster.heal('masterNode'),
};
const COLUMNS = ['logins new', 'cp', 'workers', 'commands new', 'cp', 'workers', 'Heat calls'];

interface Row {
  readonly operation: string;
  readonly nodes: number;
  readonly counts: OperationCounts;
}

/**
 * Counts logins, commands and Heat calls per operation for clusters of several sizes, and prints whether they obey the
 * rule: one worker more or less costs the same at every size, and workers that stay are not touched.
 */
export async function benchCounts(
  sizes: readonly number[],
  { speed, version }: { readonly speed: number | undefined; readonly version: ApiVersion },
): Promise<void> {
  console.log(
    `logins, commands and Heat calls per operation, API ${version} (new: nodes that come, cp: control plane)`,
  );
  console.log(`  ${'operation'.padEnd(18)}${'nodes'.padStart(6)}${COLUMNS.map((name) => name.padStart(13)).join('')}`);
  const rows: Row[] = [];
  for (const nodes of sizes) {
    const bed = await startTestbed({ speed: speed ?? bearableSpeed(nodes), hosts: nodes + 20 });
    const found = await countsAt(bed, nodes, { version, onRow: (row) => console.log(line(row)) }).finally(bed.stop);
    rows.push(...found);
  }
  for (const { rule, holds } of verdicts(rows)) console.log(`  ${holds ? 'pass' : 'FAIL'}  ${rule}`);
  console.log();
}

/** The counts do not depend on the speed, but two cores can simulate hundreds of nodes only in real time. */
function bearableSpeed(nodes: number): number {
  return Math.max(1, Math.min(20, 500 / nodes));
}

/**
 * Makes a cluster of that many nodes, and counts its operations.
 * @param version of the API that they go through @param onRow called with each row as soon as it is counted
 */
export async function countsAt(
  place: Place,
  nodes: number,
  { version = 'v2', onRow = () => {} }: { readonly version?: ApiVersion; readonly onRow?: (row: Row) => void } = {},
): Promise<Row[]> {
  const cluster = await largeCluster(place, nodes, { flavour: 'complex', version });
  const rows: Row[] = [];
  const all: typeof OPERATIONS = { instantiate: (made) => made.instantiate(), ...OPERATIONS };
  for (const [operation, run] of Object.entries(all)) {
    const row = await countedRow(place, cluster, { operation, nodes, run: () => run(cluster) });
    rows.push(row);
    onRow(row);
  }
  return rows;
}

async function countedRow(
  place: Place,
  cluster: LargeCluster,
  { operation, nodes, run }: { operation: string; nodes: number; run: () => Promise<unknown> },
): Promise<Row> {
  const before = await nodesOf(place, cluster);
  const since = (await place.ledger()).at(-1)?.seq ?? 0;
  await run();
  return { operation, nodes, counts: countOperation(await place.ledger(since), before) };
}

async function nodesOf({ http }: Place, { vnfInstanceId }: LargeCluster): Promise<NodesBefore> {
  const { data } = await http.get(`/vnflcm/v2/vnf_instances/${vnfInstanceId}`);
  const servers = (vduId: string): ReadonlySet<string> =>
    new Set(
      (data.instantiatedVnfInfo?.vnfcResourceInfo ?? [])
        .filter((vnfc: { vduId: string }) => vnfc.vduId === vduId)
        .map(({ computeResource }: { computeResource: { resourceId: string } }) => computeResource.resourceId),
    );
  return { controlPlane: servers('masterNode'), workers: servers('workerNode') };
}

interface Verdict {
  readonly rule: string;
  readonly holds: boolean;
}

/** Checks the rules against clusters of several sizes. */
export function verdicts(rows: readonly Row[]): Verdict[] {
  return [
    judgeLoginsPerNode(rows.filter(({ operation }) => operation === 'instantiate')),
    judgeScaleOut(rows),
    ...Object.keys(OPERATIONS).flatMap((operation) => {
      const counts = rows.filter((row) => row.operation === operation).map((row) => row.counts);
      const untouched = counts.every(({ logins, commands }) => logins.workers + commands.workers === 0);
      return [
        {
          rule: `${operation}: the same at every size`,
          holds: new Set(counts.map((each) => JSON.stringify(each))).size <= 1,
        },
        { rule: `${operation}: no login and no command on a worker that stays`, holds: untouched },
      ];
    }),
  ];
}

/**
 * One login creates the join credentials, once per operation and not per worker, one labels the workers with their hosts, and one
 * takes the backup.
 */
const SCALE_OUT_SESSIONS = 3;

function judgeScaleOut(rows: readonly Row[]): Verdict {
  const scales = rows.filter(({ operation }) => operation.startsWith('scale out'));
  return {
    rule: `scale out: ${SCALE_OUT_SESSIONS} logins on the control plane for 3 workers as for 1 (join credentials; labels; backup)`,
    holds: scales.every(({ counts }) => counts.logins.controlPlane === SCALE_OUT_SESSIONS),
  };
}

/**
 * Further logins on the control plane that do not depend on the size: load balancers, CNI, verification, a lost
 * session.
 */
const HANDFUL = 10;

/**
 * A node needs one login to prepare it and one to join it (or to start the control plane); a few more do not depend on
 * the size. A join may be repeated: while the second member of etcd starts, the API is away for a moment, because etcd
 * needs two of two votes.
 */
function judgeLoginsPerNode(rows: readonly Row[]): Verdict {
  const beyond = rows.map(({ nodes, counts: { logins } }) => logins.fresh - 2 * nodes);
  return {
    rule: `instantiate: 2 logins per node (3 where a join is repeated), and a handful; here ${[...new Set(beyond)].join(' or ')} more than 2`,
    holds: rows.every(({ nodes }, index) => inRange(beyond[index], HANDFUL + nodes)),
  };
}

function inRange(count: number | undefined, most: number): boolean {
  return count !== undefined && count >= 0 && count <= most;
}

function line({ operation, nodes, counts: { logins, commands, heatCalls } }: Row): string {
  const numbers = [...Object.values(logins), ...Object.values(commands), heatCalls];
  return `  ${operation.padEnd(18)}${`${nodes}`.padStart(6)}${numbers.map((count) => `${count}`.padStart(13)).join('')}`;
}
