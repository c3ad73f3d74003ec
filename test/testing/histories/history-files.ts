import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import proto, { type temporal } from '@temporalio/proto';
import { z } from 'zod';

const { History } = proto.temporal.api.history.v1;
type IHistory = temporal.api.history.v1.IHistory;

/** A folder for each release, and `unreleased` for the present code. */
const FOLDER = fileURLToPath(new URL('../../histories', import.meta.url));
const UNRELEASED = path.join(FOLDER, 'unreleased');
const ENDING = '.json.br';

/** A history as JSON: large numbers and bytes are text. */
const WrittenHistory = z.object({ events: z.array(z.looseObject({ eventId: z.string() })).min(1) });
type WrittenHistory = z.infer<typeof WrittenHistory>;

const NewHistory = z.object({ situation: z.string(), workflowId: z.string(), history: WrittenHistory });
export type NewHistory = z.infer<typeof NewHistory>;

/** A history that was recorded. */
export interface RecordedHistory {
  /** Release, operation and situation, for people. */
  readonly name: string;
  readonly workflowId: string;
  readonly workflowType: string;
  readonly history: IHistory;
}

/** Reads every recorded history of every release. */
export function readHistories(): RecordedHistory[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .flatMap((file) => {
      const text = brotliDecompressSync(readFileSync(path.join(FOLDER, file))).toString();
      const operation = file.slice(0, -ENDING.length);
      return z
        .array(NewHistory)
        .parse(JSON.parse(text))
        .map(({ situation, workflowId, history }) => ({
          name: `${operation}: ${situation}`,
          workflowId,
          ...readHistory(history),
        }));
    });
}

function readHistory(written: WrittenHistory): Pick<RecordedHistory, 'history' | 'workflowType'> {
  const history = History.fromObject(written);
  const started = history.events[0]?.workflowExecutionStartedEventAttributes;
  return { history, workflowType: started?.workflowType?.name ?? '' };
}

/**
 * What differs in every recording and has no meaning for a replay: without it the files are half as large, and hold no
 * names of the machine that recorded them.
 */
const WITHOUT_MEANING: Readonly<Record<string, (value: unknown) => unknown>> = {
  identity: () => 'recorder',
  requestId: () => '',
  taskId: () => '0',
  nanos: (value) => Math.floor(Number(value) / 1e6) * 1e6,
};

/** @param history as a client of Temporal reads it @returns it as JSON */
export function writableHistory(history: IHistory): WrittenHistory {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  const replace = (key: string, value: unknown) => WITHOUT_MEANING[key]?.(value) ?? value;
  return WrittenHistory.parse(JSON.parse(JSON.stringify(plain), replace));
}

/** Writes the histories of one operation, as those of the present code. @returns bytes of the file */
export function writeHistories(name: string, histories: readonly NewHistory[]): number {
  const packed = brotliCompressSync(JSON.stringify(histories), {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
  mkdirSync(UNRELEASED, { recursive: true });
  writeFileSync(path.join(UNRELEASED, `${name}${ENDING}`), packed);
  return packed.length;
}
