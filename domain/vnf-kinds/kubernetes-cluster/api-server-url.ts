import type { ClusterContext } from './phase-environment.ts';

/**
 * URL of a cluster's API as others than its nodes reach it: at its floating IP if there is one, else at its endpoint.
 */
export function apiServerUrl({ endpoint, floatingIp }: Pick<ClusterContext, 'endpoint' | 'floatingIp'>): string {
  const colon = endpoint.lastIndexOf(':');
  return `https://${floatingIp ?? endpoint.slice(0, colon)}${endpoint.slice(colon)}`;
}
