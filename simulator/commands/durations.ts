/** Converts `5`, `5s`, `2m`, `1h` or `1d` to seconds. */
export function durationSeconds(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  if (amount === undefined) return Number.NaN;
  return Number(amount) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit || 's'] ?? 1);
}
