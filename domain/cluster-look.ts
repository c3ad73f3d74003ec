import { z } from 'zod';
import type { AddedServers } from './capacity.ts';
import type { ControlPlaneSurvey } from './vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { EvictedPod } from './vnf-kinds/kubernetes-cluster/evicted-pods.ts';

export const Survey: z.ZodType<ControlPlaneSurvey> = z.object({
  nodes: z.array(
    z.object({
      slot: z.string(),
      name: z.string(),
      address: z.string(),
      // a survey of an earlier release has no verdicts: it supports nothing
      verdict: z.enum(['alive', 'dead', 'unknown']).default('unknown'),
      ground: z.enum(['majority', 'etcd', 'nova', 'none']).default('none'),
      seen: z.string().default('not judged'),
    }),
  ),
  majority: z.boolean().default(false),
  members: z.array(
    z.object({
      id: z.string(),
      started: z.boolean(),
      name: z.string(),
      peerUrls: z.array(z.string()),
      learner: z.boolean(),
      healthy: z.boolean(),
    }),
  ),
});

/** What a cluster says about itself when a plan asks: nothing is changed by that. */
export const ClusterLook = z.object({
  /** Absent: a scale out asks no member. */
  survey: Survey.optional(),
  /** Absent: the API server did not answer, `podsProblem` says how. */
  pods: z.array(EvictedPod).optional(),
  podsProblem: z.string().optional(),
  /** Why the cloud would not give the new servers; empty: nothing speaks against it. */
  capacityProblems: z.array(z.string()).optional(),
});
export type ClusterLook = z.infer<typeof ClusterLook>;

/** `drained`: slots of the nodes whose pods are wanted. `added`: a scale out; only the cloud is asked. */
export interface LookRequest {
  readonly vnfInstanceId: string;
  readonly drained: readonly string[];
  readonly added?: AddedServers;
}
