import { readFileSync } from 'node:fs';
import type { StepKind } from '../../domain/steps/index.ts';
import { DEFAULT_SCRIPT, RegistryParameters } from '../../domain/vnf-kinds/private-registry/parameters.ts';
import { registryEnvironment } from '../../domain/vnf-kinds/private-registry/registry-environment.ts';
import { readPackageFile } from '../facts/package-file.ts';
import { type PhaseContext, runPhaseJob } from '../node/phase-job.ts';
import { readRegistryCredentials } from './registry-credentials.ts';

/** For packages without an install script. The sample package has a copy of it. */
const OWN_SCRIPT = readFileSync(new URL('./install_private_registry.sh', import.meta.url), 'utf8');

/**
 * Runs a phase of the install script on the server of a registry.
 * @param options.archive path of the registry's image on the server. Undefined when the image is pulled
 * @param options.volumeId the volume for the images. Undefined when they are on the disk of the server
 * @throws VnflowError as `runPhaseJob`
 */
export async function runRegistryPhase(
  step: PhaseContext,
  kind: StepKind,
  { archive, volumeId }: { readonly archive?: string; readonly volumeId?: string | undefined } = {},
): Promise<void> {
  const { node } = step;
  const parameters = RegistryParameters.parse(step.parameters);
  const credentials = kind === 'startRegistry' ? await readRegistryCredentials(step, parameters) : undefined;
  await runPhaseJob(step, {
    kind,
    script: (await readPackageFile(step, parameters.script_path ?? DEFAULT_SCRIPT)) ?? OWN_SCRIPT,
    environment: registryEnvironment({
      address: node.nicAddress,
      nodeName: node.nodeName,
      parameters,
      ...(archive === undefined ? {} : { archive }),
      ...(credentials && { credentials }),
      ...(volumeId === undefined ? {} : { volumeId }),
    }),
  });
}
