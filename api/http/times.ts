/** A time as Tacker shows it in a single resource: seconds, UTC. */
export function solTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A time as Tacker shows it in a list: microseconds, no zone (UTC). */
export function solListTime(time: Date): string {
  return time.toISOString().replace('Z', '000');
}
