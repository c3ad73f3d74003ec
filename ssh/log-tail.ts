import { foreignText } from '../domain/foreign-text.ts';
import { redact } from './log-redaction.ts';

const KEPT_BYTES = 64 * 1024;
const SHOWN_LINES = 40;
const SHOWN_CHARACTERS = 4_000;

export interface LogTail {
  /** Offset in the log where the next look begins. */
  readonly next: number;
  append(from: number, bytes: Buffer): void;
  /** The last lines, without secrets. */
  text(): string;
}

/** Keeps the end of a growing log in a limited amount of memory. */
export function createLogTail(secrets: readonly string[]): LogTail {
  let next = 0;
  let kept: Buffer = Buffer.alloc(0);
  return {
    get next() {
      return next;
    },
    append: (from, bytes) => {
      if (bytes.length === 0) return;
      kept = Buffer.concat([from === next ? kept : Buffer.alloc(0), bytes]).subarray(-KEPT_BYTES);
      next = from + bytes.length;
    },
    // cleaned before secrets are looked for: a control character within a secret must not hide it
    text: () => foreignText(lastLines(redact(foreignText(kept.toString('utf8')), secrets))),
  };
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  if (lines.length <= SHOWN_CHARACTERS) return lines;
  const tail = lines.slice(-SHOWN_CHARACTERS);
  return tail.slice(tail.indexOf('\n') + 1);
}
