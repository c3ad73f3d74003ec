import { foreignText } from '../../domain/foreign-text.ts';
import { localClock } from '../local-time.ts';
import type { OperationEvent } from '../vnfm/contract.ts';

/** Formats an event as one line, for logs and pipes: `12:03:07 prepare worker52: done`. */
export function eventLine({ at, text, type, state }: OperationEvent): string {
  const words = foreignText(text.replaceAll(/\s+/g, ' ')).trim();
  return `${localClock(at)} ${type === 'operation' ? `operation ${words || state}` : words}`;
}
