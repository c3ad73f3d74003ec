import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './child.ts';

/** The search attributes that deploy/temporal-namespace.sh creates. */
const SEARCH_ATTRIBUTES = ['VnfInstanceId', 'VnfLcmOpOccId', 'Operation', 'OperationState', 'Tenant'];

const temporalBinary = (): string => process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal';

/** The command of a Temporal server whose database survives a kill -9. @returns program and arguments */
export async function temporalCommand(directory: string, port: number): Promise<[string, ...string[]]> {
  const [http, metrics] = [await freePort(), await freePort()];
  return [
    temporalBinary(),
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', `${port}`],
    ...['--http-port', `${http}`, '--metrics-port', `${metrics}`],
    ...['--db-filename', path.join(directory, 'temporal.db'), '--sqlite-pragma', 'journal_mode=wal'],
    ...['--sqlite-pragma', 'synchronous=normal', '--log-level', 'warn', '--color', 'never'],
    ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
}

/** The output of `temporal workflow show` for the newest run. */
export async function showWorkflow(address: string, workflowId: string): Promise<string> {
  const args = ['workflow', 'show', '--workflow-id', workflowId, '--address', address, '--color', 'never'];
  const shown = await promisify(execFile)(temporalBinary(), args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => ({ stdout: String(error) }),
  );
  return shown.stdout;
}
