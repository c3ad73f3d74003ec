import type { KubeObject } from './clusters.ts';

/** How a pull stands, as the object of the pod keeps it. */
export interface PullStatus {
  /** Simulated time at which the image was there. */
  readonly pulledAt?: number;
  /** Why it is not there, in the runtime's words. */
  readonly pullProblem?: string;
  readonly pullFailures?: number;
  readonly pullTriedAt?: number;
}

export function pullStatusOf(pod: KubeObject): PullStatus {
  return (pod['status'] ?? {}) as PullStatus;
}

/** What kubectl shows of a pod whose image is not there. Undefined when nothing is wrong. */
export function waitingFor(pod: KubeObject): { readonly reason: string; readonly message: string } | undefined {
  const { pulledAt, pullProblem, pullFailures = 0 } = pullStatusOf(pod);
  if (pulledAt !== undefined || pullProblem === undefined) return undefined;
  return { reason: pullFailures > 1 ? 'ImagePullBackOff' : 'ErrImagePull', message: pullProblem };
}
