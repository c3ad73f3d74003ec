import type { Cloud, CloudContent } from './cloud.ts';
import type { EngineView, WorkflowFact } from './engine-view.ts';
import type { Place } from './place.ts';
import { readStore, type StoreFact } from './store-view.ts';
import { isAccepted, type OperationBody, type Sent, type Story, type Vnfm } from './vnfm.ts';

export type OperationFact = OperationBody & Story;

/** All facts for the checker. They are read from outside, without code of vnflow. */
export interface Evidence {
  readonly instances: readonly string[];
  readonly sent: readonly Sent[];
  readonly operations: readonly OperationFact[];
  /** Newest workflow by id of the instance. */
  readonly workflows: ReadonlyMap<string, WorkflowFact>;
  readonly cloud: CloudContent;
  /** Rows of the store. Undefined where the store cannot be read from outside. */
  readonly store?: StoreFact;
}

export interface Witnesses {
  readonly place: Place;
  readonly vnfm: Vnfm;
  readonly cloud: Cloud;
  readonly engine: EngineView;
}

/** Reads the facts about instances. @throws Error when one of the witnesses does not answer */
export async function gatherEvidence(witnesses: Witnesses, instances: readonly string[]): Promise<Evidence> {
  const { place, vnfm, cloud, engine } = witnesses;
  const bodies = await vnfm.operations(instances);
  const [operations, workflows] = await Promise.all([
    Promise.all(bodies.map(async (body) => ({ ...body, ...(await vnfm.story(body.id)) }))),
    Promise.all(instances.map(async (instance) => ({ instance, workflow: await engine.workflowOf(instance) }))),
  ]);
  return {
    instances,
    sent: vnfm.sent.filter(({ instance }) => instances.includes(instance)),
    operations,
    workflows: new Map(workflows.flatMap(({ instance, workflow }) => (workflow ? [[instance, workflow]] : []))),
    cloud: await cloud.content(),
    ...(place.databaseUrl === undefined ? {} : { store: await readStore(place.databaseUrl) }),
  };
}

/** Ids of the instances whose DELETE was answered with 204. */
export function deletedInstances({ sent }: Pick<Evidence, 'sent'>): Set<string> {
  return new Set(sent.filter((one) => one.order === 'delete' && isAccepted(one)).map(({ instance }) => instance));
}
