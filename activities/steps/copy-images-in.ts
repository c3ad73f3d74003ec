import { VnflowError } from '../../domain/problems.ts';
import { imagesOf } from '../../domain/vnf-kinds/private-registry/contents.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { onNode } from '../node/node-session.ts';
import { copyIn } from '../registry/copy-in.ts';
import { readIndex } from '../registry/copy-index.ts';
import { copyPlace } from '../registry/copy-place.ts';
import type { StepContextOf } from '../step-context.ts';

/** Puts the copy of a registry back. What is there already stays, so that an attempt that was cut off goes on. */
export async function copyImagesIn(step: StepContextOf<'copyImagesIn'>): Promise<undefined> {
  const { deps, input } = step;
  const index = await readIndex(step);
  if (!index) throw new VnflowError('COPY_DAMAGED', { detail: 'The store has no copy of the registry.' });
  const place = await copyPlace(step, index.container);
  await onNode(step, {}, (node) => copyIn(node, place, index.contents));
  const text = `${imagesOf(index.contents).length} images are back; every tag and digest was checked.`;
  step.say(text);
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, `${text}\n`);
}
