import { createHash } from 'node:crypto';

/**
 * The UUID that v1 shows for something that the internal model names by text, such as `masterNode_CP1-{server id}`. v1
 * wants UUIDs; a text always gives one UUID (RFC 9562, version 8: our own hash).
 */
export function derivedId(text: string): string {
  const hex = createHash('sha256').update(`vnflow/v1/${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
