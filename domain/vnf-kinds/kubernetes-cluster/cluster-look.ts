import { z } from 'zod';
import { ContentsSurvey } from '../private-registry/keep-contents.ts';
import type { ControlPlaneSurvey } from './control-plane-survey.ts';
import { EvictedPod } from './evicted-pods.ts';
import { NodeState } from './kubernetes-nodes.ts';

export const Survey: z.ZodType<ControlPlaneSurvey> = z.object({
  nodes: z.array(
    z.object({
      slot: z.string(),
      name: z.string(),
      address: z.string(),
      // A survey of an earlier release has no verdicts. The defaults make it prove nothing.
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

/** The answer of a cluster and its cloud to the look of a dry run. A look changes nothing. */
export const ClusterLook = z.object({
  /** Undefined when servers are added: such a look asks no control-plane node. */
  survey: Survey.optional(),
  /** Only of a private registry. */
  contents: ContentsSurvey.optional(),
  /** Undefined when the API server did not answer; `podsProblem` says why. */
  pods: z.array(EvictedPod).optional(),
  podsProblem: z.string().optional(),
  /** The nodes as the API server shows them. Undefined unless they were wanted, and when it did not answer. */
  nodes: z.array(NodeState).optional(),
  /** Why there are no nodes. */
  nodesProblem: z.string().optional(),
  /** Why the cloud cannot give the new servers; empty when it can. */
  capacityProblems: z.array(z.string()).optional(),
});
export type ClusterLook = z.infer<typeof ClusterLook>;
