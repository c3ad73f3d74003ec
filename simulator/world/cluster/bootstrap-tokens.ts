import type { ClusterState } from './clusters.ts';

/** Tokens that have not expired. */
export function validTokens(cluster: ClusterState, now: number): ClusterState['tokens'] {
  return Object.fromEntries(
    Object.entries(cluster.tokens).filter(([, { expiresAt }]) => expiresAt === null || expiresAt > now),
  );
}
