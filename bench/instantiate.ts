import { criticalPath, type PlanStep } from '../domain/plan.ts';
import { planInstantiate } from '../domain/planner/instantiate.ts';
import { STEP_KINDS } from '../domain/step-kind.ts';
import { GUIDE_LATENCY, type LatencyTable } from '../simulator/kernel/latency.ts';
import { createInstance, onboardSample, operationOf, settled, startSystem } from '../test/testing/system.ts';
import { phaseSeconds } from './phase-seconds.ts';

const LIMIT_MS = 1_800_000;

/**
 * Instantiates the simple flavour against the embedded cloud and compares the time with the critical path of the latency table:
 * what it would take if vnflow itself took no time at all.
 * @param speed simulated seconds per second; 1: real time
 */
export async function benchInstantiate(speed: number): Promise<void> {
  console.log(`instantiate, simple flavour (1 control-plane node, 2 workers), speed ${speed}`);
  const system = await startSystem({ speed });
  try {
    const id = await createInstance(system.http, await onboardSample(system.http));
    const began = Date.now();
    const operation = operationOf(
      await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
    );
    const ended = await settled(system.http, operation, { timeoutMs: LIMIT_MS });
    const took = ((Date.now() - began) / 1000) * speed;
    if (ended.operationState !== 'COMPLETED')
      throw new Error(`the operation ended ${ended.operationState}: ${JSON.stringify(ended.error)}`);

    const { data: timeline } = await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${ended.id}/timeline`);
    const names = new Map<string, string>(
      timeline.steps.flatMap(({ slot, node }: { slot?: string; node?: { name?: string } }) =>
        slot && node?.name ? [[slot, node.name]] : [],
      ),
    );
    const phases = phaseSeconds(system.simulator.ledger.entries(), GUIDE_LATENCY);
    const plan = planInstantiate({
      controlPlane: { vduId: 'masterNode', count: 1 },
      workers: { vduId: 'workerNode', count: 2 },
      loadBalanced: false,
    });
    const { seconds, steps } = criticalPath(plan, (step) => stepSeconds(step, { phases, names, table: GUIDE_LATENCY }));
    const elapsed = new Map<string, number>(
      timeline.steps.map((step: { id: string; startedAt: string; endedAt: string }) => [
        step.id,
        (Date.parse(step.endedAt) - Date.parse(step.startedAt)) / 1000,
      ]),
    );
    for (const step of steps) {
      const expected = stepSeconds(step, { phases, names, table: GUIDE_LATENCY });
      console.log(
        `  ${step.id.padEnd(34)} table ${expected.toFixed(1).padStart(6)} s   took ${((elapsed.get(step.id) ?? 0) * speed).toFixed(1).padStart(6)} s`,
      );
    }
    console.log(
      `  critical path ${seconds.toFixed(1)} s, took ${took.toFixed(1)} s, ratio ${(took / seconds).toFixed(3)} (budget 1.10)\n`,
    );
  } finally {
    await system.stop();
  }
}

interface Facts {
  readonly phases: ReadonlyMap<string, number>;
  /** Slot → node name. */
  readonly names: ReadonlyMap<string, string>;
  readonly table: LatencyTable;
}

/** What the table says a step takes. A stack of these HOTs is: port, then server; floating IPs come along. */
function stepSeconds(step: PlanStep, { phases, names, table }: Facts): number {
  switch (step.kind) {
    case 'applyStack':
      return table.apiCall + table.resource + table.serverActive;
    case 'discover':
      return 3 * table.apiCall;
    case 'verifyCluster':
      return table.login;
    default: {
      const facts = STEP_KINDS[step.kind];
      const phase = 'phase' in facts ? facts.phase : undefined;
      const node = names.get(step.slot ?? '');
      const inPhase = [...phases].filter(
        ([key]) => node !== undefined && phase !== undefined && key.includes(node) && key.includes(` ${phase}`),
      );
      const boot = step.kind === 'prepareNode' ? table.boot : 0;
      return boot + table.login + inPhase.reduce((sum, [, seconds]) => sum + seconds, 0);
    }
  }
}
