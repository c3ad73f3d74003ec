import { VnflowError } from '../../domain/problems.ts';
import { RegistryParameters } from '../../domain/vnf-kinds/private-registry/parameters.ts';
import { savedImageProblem } from '../../domain/vnf-kinds/private-registry/saved-image.ts';
import { readPackageFile } from '../facts/package-file.ts';
import { onNode } from '../node/node-session.ts';
import type { PhaseContext } from '../node/phase-job.ts';
import { findDataVolume, mustBeMounted } from '../registry/data-volume.ts';
import { putImage, removeImage } from '../registry/put-image.ts';
import { runRegistryPhase } from '../registry/registry-phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Brings the image of the registry to its server, and starts it, with its volume if it has one. */
export async function startRegistry(step: StepContextOf<'startRegistry'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    const { image_path } = RegistryParameters.parse(node.parameters);
    const volumeId = await findDataVolume(node);
    if (image_path) await startFromPackage(node, image_path, volumeId);
    else await runRegistryPhase(node, 'startRegistry', { volumeId });
    if (volumeId !== undefined) await mustBeMounted(node, volumeId);
  });
}

async function startFromPackage(node: PhaseContext, given: string, volumeId: string | undefined): Promise<void> {
  const archive = await readPackageFile(node, given);
  if (!archive) {
    throw new VnflowError('RESOURCE_MISSING', { detail: `The VNF package has no file ${given} (image_path).` });
  }
  const problem = savedImageProblem(archive); // a request cannot check a large file
  if (problem !== undefined) {
    throw new VnflowError('CSAR_INVALID', { detail: `The VNF package: ${given} (image_path) ${problem}.` });
  }
  const file = await putImage(node, archive);
  await runRegistryPhase(node, 'startRegistry', { archive: file, volumeId });
  await removeImage(node, file);
}
