import PQueue from 'p-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANNED_OPERATIONS } from './testing/histories/planned-operations.ts';
import { type Scene, SITUATIONS } from './testing/histories/situations.ts';
import { newOperation, type OperationWorld, ofOperation, startOperationWorld } from './testing/operation-world.ts';
import { type EarlierBuild, readEarlierBuilds } from './testing/releases.ts';

let world: OperationWorld;
beforeAll(async () => {
  world = await startOperationWorld();
});
afterAll(() => world.stop());

/** A busy machine answers too late when all begin at once. */
const AT_ONCE = 3;
const LIMIT_MS = 240_000;

type Decision = 'retry' | 'rollback' | 'fail';
type End = 'COMPLETED' | 'ROLLED_BACK' | 'FAILED';

const retry = async (scene: Scene) => decide(scene, 'retry');
const rollback = async (scene: Scene) => decide(scene, 'rollback');
const decide = ({ one }: Scene, kind: Decision) => world.control(one, { kind });

interface Journey {
  readonly name: string;
  /** In which situation the upgrade finds the operation (test/testing/histories/situations.ts). */
  readonly situation: string;
  /** What an operator does after the upgrade. Every step that was held goes on besides. */
  readonly steer?: (scene: Scene) => Promise<void>;
  readonly end: End;
}

const JOURNEYS: readonly Journey[] = [
  { name: 'instantiate-cluster', situation: 'running many steps', end: 'COMPLETED' },
  { name: 'scale-out-cluster', situation: 'FAILED_TEMP', steer: retry, end: 'COMPLETED' },
  { name: 'instantiate-registry', situation: 'FAILED_TEMP', steer: rollback, end: 'ROLLED_BACK' },
  { name: 'instantiate-plain', situation: 'rolling back', end: 'ROLLED_BACK' },
  { name: 'instantiate-registry', situation: 'rollback failed', steer: rollback, end: 'ROLLED_BACK' },
  { name: 'heal-registry', situation: 'retried, running', end: 'COMPLETED' },
  { name: 'heal-plain', situation: 'FAILED_TEMP', steer: (scene) => decide(scene, 'fail'), end: 'FAILED' },
  { name: 'heal-cluster', situation: 'control plane is surveyed', end: 'COMPLETED' },
  { name: 'instantiate-cluster', situation: 'grant is awaited', end: 'COMPLETED' },
  {
    name: 'scale-in-plain',
    situation: 'cancel is pending',
    steer: async (scene) => {
      await world.untilRecorded(scene.one, 'FAILED_TEMP OPERATION_CANCELLED');
      await retry(scene);
    },
    end: 'COMPLETED',
  },
  {
    name: 'scale-in-cluster',
    situation: 'paused',
    steer: async ({ one, planned }) => {
      const stepId = planned.forward.steps.at(-1)?.id ?? '';
      await world.control(one, { kind: 'resume', stepId });
    },
    end: 'COMPLETED',
  },
  {
    name: 'terminate-later',
    situation: 'waiting on a timer',
    steer: ({ one }) => world.control(one, { kind: 'skipStep', stepId: 'gracePeriod', reason: 'nobody uses it' }),
    end: 'COMPLETED',
  },
  { name: 'scale-out-plain', situation: 'taken over', steer: retry, end: 'COMPLETED' },
  {
    name: 'modify-info',
    situation: 'end cannot be recorded',
    steer: async (scene) => {
      world.broken.delete(ofOperation(scene.one, 'recordEnd'));
      await rollback(scene);
    },
    end: 'ROLLED_BACK',
  },
];

async function setOut(journey: Journey): Promise<Scene> {
  const planned = PLANNED_OPERATIONS.find(({ name }) => name === journey.name);
  const situation = SITUATIONS.find(({ name }) => name === journey.situation);
  if (!planned || !situation?.fits?.(planned)) throw new Error(`${journey.name} is never: ${journey.situation}`);
  const one = newOperation(planned.operation);
  world.plans.set(one.vnfLcmOpOccId, planned);
  const scene = { world, planned, one };
  await situation.play(scene);
  return scene;
}

type Build = EarlierBuild['bundle'] | undefined;

/** Begins every journey with the first build, changes builds, and goes on with the last. @returns how each ended */
async function travel(first: Build, ...later: readonly Build[]): Promise<string[]> {
  await world.changeBuild(first);
  const scenes = await new PQueue({ concurrency: AT_ONCE }).addAll(JOURNEYS.map((journey) => () => setOut(journey)));
  for (const build of later) {
    await world.changeBuild(build);
    // each build takes every operation before the next comes: a workflow that nothing wakes is not replayed
    for (const { one } of scenes) await world.handle(one).query('__temporal_workflow_metadata');
  }
  world.releaseAll();
  return Promise.all(
    JOURNEYS.map(async ({ name, situation, steer }, index) => {
      const scene = scenes[index];
      if (!scene) throw new Error('no scene');
      await steer?.(scene);
      return `${name}, ${situation}: ${await world.ended(scene.one)}`;
    }),
  );
}

const ENDS = JOURNEYS.map(({ name, situation, end }) => `${name}, ${situation}: ${end}`);
const PRESENT = undefined;

describe.each(readEarlierBuilds())('build $name', ({ bundle }) => {
  it(
    'hands its operations to the present build, and all end as they should',
    async () => {
      expect(await travel(bundle, PRESENT)).toEqual(ENDS);
    },
    LIMIT_MS,
  );

  it(
    'takes over operations of the present build: the way back',
    async () => {
      expect(await travel(PRESENT, bundle)).toEqual(ENDS);
    },
    LIMIT_MS,
  );

  it(
    'goes on with its own operations after an upgrade that was taken back',
    async () => {
      expect(await travel(bundle, PRESENT, bundle)).toEqual(ENDS);
    },
    LIMIT_MS,
  );
});
