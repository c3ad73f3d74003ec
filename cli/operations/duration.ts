/** Formats seconds as `8 s`, `1 min 05 s` or `2 h 03 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

function two(count: number): string {
  return `${count}`.padStart(2, '0');
}

/** Seconds between two times. @param from ISO 8601 @param to ISO 8601; undefined: `now` */
export function secondsBetween(from: string, to: string | undefined, now: number): number {
  return ((to === undefined ? now : Date.parse(to)) - Date.parse(from)) / 1000;
}
