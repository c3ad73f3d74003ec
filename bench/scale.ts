import { type Finished, largeCluster, type Measured, startTestbed, type Testbed } from './testbed.ts';

const BUDGET = 1.1;
const MANY = 100;

/**
 * Compares a scale out by 100 with one by 1. Without the time that Heat needs for the servers, both should take equally
 * long.
 */
export async function benchScale({ speed, version }: Measured): Promise<void> {
  console.log(`scale out of a cluster of 5 nodes by 1 and by ${MANY}, API ${version}, speed ${speed}`);
  const bed = await startTestbed({ speed, hosts: 20 });
  try {
    const cluster = await largeCluster(bed, 5, { version });
    await cluster.instantiate();
    const one = await withoutHeat(bed, await cluster.scale('SCALE_OUT', 1));
    const many = await withoutHeat(bed, await cluster.scale('SCALE_OUT', MANY));
    for (const [by, { seconds, heat, rest }] of [[1, one] as const, [MANY, many] as const]) {
      console.log(
        `  by ${`${by}`.padStart(3)}: ${seconds.toFixed(1)} s, of these Heat ${heat.toFixed(1)} s, the rest ${rest.toFixed(1)} s`,
      );
    }
    console.log(`  ratio of the rest ${(many.rest / one.rest).toFixed(3)} (budget ${BUDGET.toFixed(2)})\n`);
  } finally {
    await bed.stop();
  }
}

async function withoutHeat({ http, speed }: Testbed, { opOccId, seconds }: Finished) {
  const { data } = await http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  const grow: { startedAt: string; endedAt: string } = data.steps.find(
    (step: { kind: string }) => step.kind === 'growStack',
  );
  const heat = ((Date.parse(grow.endedAt) - Date.parse(grow.startedAt)) / 1000) * speed;
  return { seconds, heat, rest: seconds - heat };
}
