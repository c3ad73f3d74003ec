import { GUIDE_LATENCY } from '../simulator/index.ts';
import { planInstantiate } from '../test/testing/domain/cluster-plans.ts';
import { leastTime } from './least-time.ts';
import { largeCluster, type Measured, startTestbed } from './testbed.ts';

const BUDGET = 1.1;

/**
 * Instantiates the simple flavour against the embedded cloud, and compares the time with the critical path of the
 * latency table: the time that the operation would need if vnflow itself needed none.
 * @param nodes number of all nodes: one control-plane node, the others workers
 * @param speed simulated seconds per real second; 1 is real time @param version of the API that it goes through
 */
export async function benchInstantiate({ nodes, speed, version }: Measured & { nodes: number }): Promise<void> {
  console.log(`instantiate, 1 control-plane node and ${nodes - 1} workers, API ${version}, speed ${speed}`);
  const bed = await startTestbed({ speed, hosts: 20 });
  try {
    const cluster = await largeCluster(bed, nodes, { version });
    const { opOccId, seconds: took } = await cluster.instantiate();
    const plan = planInstantiate({
      controlPlane: { vduId: 'masterNode', count: 1 },
      workers: { vduId: 'workerNode', count: nodes - 1 },
      loadBalanced: false,
      vimNamed: true, // the guide's request has a vim_name
    });
    const least = leastTime(plan, { vnfLcmOpOccId: opOccId, ledger: await bed.ledger(), table: GUIDE_LATENCY });
    const { data: timeline } = await bed.http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
    const measured = new Map<string, number>(
      timeline.steps.map((step: { id: string; startedAt: string; endedAt: string }) => [
        step.id,
        ((Date.parse(step.endedAt) - Date.parse(step.startedAt)) / 1000) * speed,
      ]),
    );
    for (const { id, seconds } of least.steps) {
      console.log(`  ${id.padEnd(34)} table ${secondsText(seconds)}   took ${secondsText(measured.get(id))}`);
    }
    const ratio = took / least.seconds;
    const history = await bed.history(cluster.vnfInstanceId);
    console.log(
      `  critical path ${least.seconds.toFixed(1)} s, took ${took.toFixed(1)} s, ratio ${ratio.toFixed(3)} (budget ${BUDGET.toFixed(2)})`,
    );
    console.log(`  history ${history.events} events (budget 10240), ${(history.bytes / 1e6).toFixed(2)} MB (budget 4)`);
    const repeated = timeline.steps.filter(({ attempt }: { attempt: number }) => attempt > 1).length;
    console.log(`  steps that had to be repeated: ${repeated}`);
    for (const [name, { memory, processor }] of Object.entries(bed.usage())) {
      console.log(`  ${name.padEnd(10)} ${memory} MB at most, ${processor.toFixed(0)} s of processor time`);
    }
    console.log();
  } finally {
    await bed.stop();
  }
}

function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? '     –' : `${seconds.toFixed(1).padStart(6)} s`;
}
