/** Lists of version 2 of the API have times in UTC without a zone, as Tacker's. */
function instantOf(time: string): Date {
  return new Date(/(Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);
}

/** A time of the API as local time with its offset: `2026-11-22 23:05:10 +01:00`. @param time ISO 8601 */
export function localTime(time: string): string {
  const at = instantOf(time);
  if (Number.isNaN(at.getTime())) return time;
  const minutes = -at.getTimezoneOffset();
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${localClock(time)} ${offset}`;
}

/** The time of day as the clock on the wall shows it: `23:05:10`. @param time ISO 8601 */
export function localClock(time: string): string {
  const at = instantOf(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
}

function two(count: number): string {
  return `${count}`.padStart(2, '0');
}
