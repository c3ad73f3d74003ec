import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { installRuntime } from '../../worker/runtime.ts';
import { ANY_PORTS, startTemporalServer, type TemporalServer } from '../../worker/temporal-server.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';

export const BUNDLES = fileURLToPath(new URL('../../.vnflow/bundles', import.meta.url));
export const quiet = pino({ level: process.env['VNFLOW_TEST_LOG'] ?? 'silent' });

let installed = false;

/** For files that start their Temporal server in another way than `startTestTemporal`. */
export function installQuietRuntime(): void {
  if (!installed) installRuntime(quiet);
  installed = true;
}

/**
 * A Temporal server of its own for a test file, in memory. `npm test` finds the program and names it.
 * @param settings dynamic configuration
 */
export async function startTestTemporal(settings: Readonly<Record<string, string>> = {}): Promise<TemporalServer> {
  installQuietRuntime();
  return startTemporalServer({
    binary: process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal',
    ports: ANY_PORTS,
    headless: true,
    settings,
  });
}

export const testBundle = () => workflowBundle(BUNDLES);
