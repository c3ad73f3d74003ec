import path from 'node:path';
import { type StepKind, stepFacts } from '../../domain/steps/index.ts';

export interface CommandFacts {
  readonly vnfInstanceId: string;
  /** Path of the install script in the package; absent where no script runs (terminate). */
  readonly scriptPath?: string | undefined;
}

/**
 * What a step would run on its node, or call, for people to read. Parameters go through a file, so they are not here.
 */
export function stepCommands(kind: StepKind, { vnfInstanceId, scriptPath = '' }: CommandFacts): string[] {
  const { phase, calls = [] } = stepFacts(kind);
  if (phase !== undefined) return [`bash ${path.posix.basename(scriptPath)} ${phase}`];
  return calls.map((call) => call.replace('{id}', vnfInstanceId));
}
