import { z } from 'zod';
import { Survey } from './vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { ClusterContext } from './vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { ContentsSurvey } from './vnf-kinds/private-registry/keep-contents.ts';

/** Ids of servers by slot. */
const ServersBySlot = z.record(z.string(), z.string());

/**
 * The facts of an operation by key: an activity finds them, later activities read them. A key never changes its
 * meaning: rows outlive releases.
 */
const FACTS = {
  /** The grant: the Glance image of each software image. */
  grant: z.object({ softwareImages: z.record(z.string(), z.string()) }),
  /** The Nova flavors that were chosen, by VDU. */
  computeFlavors: z.record(z.string(), z.string()),
  /** The cluster, as `discover` found it. */
  cluster: ClusterContext,
  /** Every address of the server of a registry: of its ports, and floating ones. */
  registryAddresses: z.array(z.string()),
  /** `instantiatedVnfInfo` as it will stand on the instance when the operation completes. */
  instantiatedVnfInfo: z.record(z.string(), z.unknown()),
  /** The survey of the control plane before a heal was planned. */
  survey: Survey,
  /** What a private registry had before a heal was planned. */
  contents: ContentsSurvey,
  /** The verdict of a step on a control-plane node after the survey, by slot. */
  confirmed: z.record(z.string(), z.enum(['alive', 'dead', 'unknown'])),
  /** Slots of the control-plane nodes that were stopped before a restore, by server id. */
  fenced: z.record(z.string(), z.string()),
  /** The backup that the cluster is restored from: a retry goes on with it. */
  restore: z.object({ backupId: z.string() }),
  /** Names of the Node objects of workers that were removed from the cluster, by slot. */
  removedNodes: z.record(z.string(), z.string()),
  /** An action of the stack that did not end. Heat sets `updated_time` anew with each action, so it names one. */
  stuckStack: z.object({ stackId: z.string(), since: z.string() }),
  /** The span of the request that began the operation, as the header `traceparent` has it. */
  traceparent: z.string(),
};

/** The servers that a step replaces, as they were when it first looked. */
type ReplacedServersKey = `replaced ${string}`;

export type OperationFactKey = keyof typeof FACTS | ReplacedServersKey;

/** The value of a fact. */
export type OperationFact<K extends OperationFactKey> = K extends keyof typeof FACTS
  ? z.infer<(typeof FACTS)[K]>
  : z.infer<typeof ServersBySlot>;

export type OperationFacts = { readonly [K in OperationFactKey]?: OperationFact<K> };

/** Each step that replaces servers has a fact of its own: several run at once. */
export function replacedServersKey(stepId: string): ReplacedServersKey {
  return `replaced ${stepId}`;
}

/**
 * Reads a fact as a row has it, also one that an older release wrote.
 * @param value undefined when the operation has no such fact
 * @throws ZodError when the value is not of this fact
 */
export function parseOperationFact<K extends OperationFactKey>(key: K, value: unknown): OperationFact<K> | undefined {
  if (value === undefined || value === null) return undefined;
  return schemaOf(key).parse(value) as OperationFact<K>;
}

function schemaOf(key: OperationFactKey): z.ZodType {
  return isReplacedServersKey(key) ? ServersBySlot : FACTS[key];
}

function isReplacedServersKey(key: OperationFactKey): key is ReplacedServersKey {
  return key.startsWith('replaced ');
}
