import { foreignText } from '../domain/foreign-text.ts';
import { redact } from './log-redaction.ts';

const LINE_END = 10;
/** A line without an end that is longer is taken as it is. */
const LONGEST_LINE = 64 * 1024;

/** A growing log, as whole lines. */
export interface LogLines {
  append(from: number, bytes: Buffer): void;
  /** The whole lines since the last call, without secrets. @param rest true: the last line, too, without its end */
  take(rest?: boolean): string;
}

/**
 * Makes whole lines of the pieces of a log. Lines are whole because a secret that is cut in two would not be
 * recognised.
 * @param secrets what `***` replaces
 */
export function createLogLines(secrets: readonly string[]): LogLines {
  let next = 0;
  let held: Buffer = Buffer.alloc(0);
  return {
    append: (from, bytes) => {
      if (bytes.length === 0) return;
      const gap = from - next;
      const note = gap > 0 ? `\n… ${gap} bytes of the log were not read …\n` : '';
      held = Buffer.concat([held, Buffer.from(note), bytes]);
      next = from + bytes.length;
    },
    take: (rest = false) => {
      const end = rest || held.length > LONGEST_LINE ? held.length : held.lastIndexOf(LINE_END) + 1;
      const whole = held.subarray(0, end);
      held = held.subarray(end);
      return foreignText(redact(foreignText(whole.toString('utf8')), secrets));
    },
  };
}
