/** Seconds for people: `8 s`, `1 min 05 s`, `2 h 03 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

function two(count: number): string {
  return `${count}`.padStart(2, '0');
}

/** From one moment to another, in seconds. @param from ISO 8601 @param to ISO 8601; none: now */
export function secondsBetween(from: string, to: string | undefined, now: number): number {
  return ((to === undefined ? now : Date.parse(to)) - Date.parse(from)) / 1000;
}
