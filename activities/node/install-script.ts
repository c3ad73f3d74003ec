import { readFileSync } from 'node:fs';
import { VnflowError } from '../../domain/problems.ts';
import { type InstallContract, installContractOf } from '../../domain/vnf-kinds/kubernetes-cluster/install-contract.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readPackageFile } from '../facts/package-file.ts';

/** Makes phases out of a script of Tacker's contract. */
const ADAPTER = readFileSync(new URL('./monolith-adapter.sh', import.meta.url), 'utf8');
const BASE64_COLUMNS = 100;

/** How a script of each contract becomes a script with phases (docs/install-script.md). */
const WITH_PHASES: Readonly<Record<InstallContract, (script: Buffer) => Buffer | string>> = {
  phases: (script) => script,
  monolith: adaptMonolith,
};

/**
 * Reads the install script of an instance's package as a script with phases.
 * @param given `script_path` of the parameters
 * @throws VnflowError RESOURCE_MISSING
 */
export async function readInstallScript(context: ActivityContext, given: string): Promise<Buffer | string> {
  const script = await readPackageFile(context, given);
  if (!script)
    throw new VnflowError('RESOURCE_MISSING', { detail: `The VNF package has no file ${given} (script_path).` });
  const verdict = installContractOf(script.toString());
  return WITH_PHASES['contract' in verdict ? verdict.contract : 'phases'](script);
}

/** The adapter with the script behind it, in comment lines, so that one file goes to the node. @internal */
export function adaptMonolith(script: Buffer): string {
  const lines = script.toString('base64').match(new RegExp(`.{1,${BASE64_COLUMNS}}`, 'g')) ?? [];
  return `${ADAPTER}${lines.map((line) => `#= ${line}\n`).join('')}`;
}
