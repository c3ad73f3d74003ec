import { expect, it } from 'vitest';
import { HealVnfRequest } from '../../sol-requests.ts';
import { healedVnfcs, vnfcCounts } from '../../stack-plans/healed-vnfcs.ts';
import { healFacts as factsOfSlots } from './heal-facts.ts';
import type { ClusterParameters } from './parameters.ts';
import { clusterShape } from './shape.ts';

const parameters = {
  master_node: { vdu_id: 'masterNode', nic_cp_name: 'CP1', cluster_cp_name: 'vip' },
  worker_node: { vdu_id: 'workerNode' },
} as unknown as ClusterParameters;

/** What a request means for a cluster, as planning/ puts it together. */
function healFacts(request: HealVnfRequest, of: unknown, { isVim }: { isVim: boolean }) {
  const { slots, recreate } = healedVnfcs(request, of);
  const shape = clusterShape(parameters, { counts: vnfcCounts(of), isVim, separatedVdus: [] });
  return { ...factsOfSlots(slots, shape, request.additionalParams), recreate };
}

const vnfc = (vduId: string, index: number, server: string) => ({
  resource: { id: server, vduId, metadata: { vdu_idx: index, flavor: 'm1' } },
  info: { id: `${vduId}-${server}`, vduId, vnfcResourceInfoId: server, vnfcState: 'STARTED' },
});
const all = [
  vnfc('workerNode', 1, 'w1'),
  vnfc('workerNode', 0, 'w0'),
  vnfc('masterNode', 0, 'm0'),
  vnfc('probe', 0, 'p0'),
];
const info = { vnfcResourceInfo: all.map(({ resource }) => resource), vnfcInfo: all.map((one) => one.info) };

it('finds the slots of the vnfcInfo that a request names', () => {
  expect(
    healFacts({ vnfcInstanceId: ['workerNode-w1', 'masterNode-m0', 'workerNode-w1'] }, info, {
      isVim: true,
    }),
  ).toEqual({
    shape: {
      controlPlane: { vduId: 'masterNode', count: 1 },
      workers: { vduId: 'workerNode', count: 2 },
      workersApart: false,
      loadBalanced: true,
      vimNamed: true,
    },
    controlPlane: ['masterNode[0]'],
    workers: ['workerNode[1]'],
    others: [],
    recreate: false,
    allowRestore: false,
  });
});

it('takes everything when nothing is named; `all` then means the stack anew', () => {
  expect(healFacts({}, info, { isVim: true })).toMatchObject({
    controlPlane: ['masterNode[0]'],
    workers: ['workerNode[0]', 'workerNode[1]'],
    others: ['probe[0]'],
    recreate: false,
    allowRestore: false,
  });
  expect(healFacts({ additionalParams: { all: true } }, info, { isVim: true }).recreate).toBe(true);
  const named = { additionalParams: { all: true }, vnfcInstanceId: ['workerNode-w0'] };
  expect(healFacts(named, info, { isVim: true })).toMatchObject({
    workers: ['workerNode[0]'],
    recreate: false,
  });
});

it('refuses what the instance does not have, and says what it has', () => {
  expect(() => healFacts({ vnfcInstanceId: ['w1'] }, info, { isVim: true })).toThrow(
    /vnfcInstanceId: w1 is no vnfcInfo of this VNF instance; it has workerNode-w1, workerNode-w0, masterNode-m0, probe-p0/,
  );
  expect(HealVnfRequest.safeParse({ vnfcInstanceId: [] }).success).toBe(false);
  expect(HealVnfRequest.safeParse({ additionalParams: { all: 'true' } }).error?.issues[0]?.path).toEqual([
    'additionalParams',
    'all',
  ]);
});
