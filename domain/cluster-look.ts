import { z } from 'zod';
import { EvictedPod } from './evicted-pods.ts';
import type { ControlPlaneSurvey } from './planner/heal.ts';

export const Survey: z.ZodType<ControlPlaneSurvey> = z.object({
  nodes: z.array(z.object({ slot: z.string(), name: z.string(), address: z.string() })),
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
  survey: Survey,
  /** Absent: the API server did not answer, `podsProblem` says how. */
  pods: z.array(EvictedPod).optional(),
  podsProblem: z.string().optional(),
});
export type ClusterLook = z.infer<typeof ClusterLook>;

/** `drained`: slots of the nodes whose pods are wanted. */
export interface LookRequest {
  readonly vnfInstanceId: string;
  readonly drained: readonly string[];
}
