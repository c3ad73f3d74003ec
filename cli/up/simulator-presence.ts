import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CliFailure } from '../vnfm/failure.ts';

/** The program of the simulator. The production image and the npm package do not have it. */
export const SIMULATOR_PROGRAM = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url));

/** @throws CliFailure that says what to do in an installation without the simulator */
export function checkSimulatorPresent(program = SIMULATOR_PROGRAM): void {
  if (existsSync(program)) return;
  throw new CliFailure(
    'This installation has no simulated OpenStack. Use a real one (`vnflow up --no-simulator`, with VNFLOW_KEYSTONE_URL or OS_AUTH_URL), or run vnflow from its repository.',
  );
}
