import type { World } from '../world.ts';
import type { ClusterState } from './clusters.ts';

/** Formats a simulated time as a time stamp of the cluster. */
export function stamp(cluster: ClusterState, elapsed: number): string {
  const at = Date.parse(cluster.createdIso) + (elapsed - cluster.createdAt) * 1000;
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Formats an age like kubectl: 45s, 6m38s, 41m, 3h5m, 2d4h. */
export function formatAge(world: World, cluster: ClusterState, timestamp: string): string {
  const now = Date.parse(cluster.createdIso) + (world.clock.elapsed() - cluster.createdAt) * 1000;
  return humanDuration(Math.max(0, Math.floor((now - Date.parse(timestamp)) / 1000)));
}

function humanDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const with2 = (big: number, bigUnit: string, small: number, unit: string) =>
    small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${unit}`;
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return with2(minutes, 'm', seconds % 60, 's');
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return with2(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (days < 8) return with2(days, 'd', hours % 24, 'h');
  return `${days}d`;
}
