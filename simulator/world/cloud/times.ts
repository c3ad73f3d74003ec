/** Formats a time like OpenStack: UTC, whole seconds, `2026-11-21T09:51:07Z`. */
export function timestamp(date = new Date()): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Formats a time like Keystone, with microseconds: `2026-11-21T14:13:37.000000Z`. */
export function microTimestamp(date = new Date()): string {
  return `${date.toISOString().slice(0, 19)}.000000Z`;
}
