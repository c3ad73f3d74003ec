import path from 'node:path';
import { type StepKind, stepFacts } from '../../domain/steps/index.ts';
import { MONOLITH_COMMANDS } from '../../domain/vnf-kinds/kubernetes-cluster/monolith.ts';
import type { InstallScript } from '../../domain/vnf-kinds/vnf-kind.ts';

export interface CommandFacts {
  readonly vnfInstanceId: string;
  /** The install script in the package; absent where no script runs (terminate). */
  readonly installScript?: InstallScript | undefined;
}

/**
 * What a step would run on its node, or call, for people to read. Parameters go through a file, so they are not here.
 */
export function stepCommands(kind: StepKind, { vnfInstanceId, installScript }: CommandFacts): string[] {
  const { phase, calls = [] } = stepFacts(kind);
  const script = path.posix.basename(installScript?.path ?? '');
  const monolith = installScript?.contract === 'monolith' ? MONOLITH_COMMANDS[kind] : undefined;
  if (monolith) return monolith.map((command) => command.replace('{script}', () => script));
  if (phase !== undefined) return [`bash ${script} ${phase}`];
  return calls.map((call) => call.replace('{id}', vnfInstanceId));
}
