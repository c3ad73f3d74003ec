import { bytesOf, imagesOf, joinContents } from '../../domain/vnf-kinds/private-registry/contents.ts';
import { checkSize, checkUnreadable } from '../../domain/vnf-kinds/private-registry/keep-contents.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { onNode } from '../node/node-session.ts';
import { keepIndex, readIndex } from '../registry/copy-index.ts';
import { copyOut } from '../registry/copy-out.ts';
import { copyPlace } from '../registry/copy-place.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Copies everything that a registry has. Nothing is lost when it fails: the server is still there. A copy that an
 * earlier heal made and never put back is kept, too.
 */
export async function copyImagesOut(step: StepContextOf<'copyImagesOut'>): Promise<undefined> {
  const { deps, input } = step;
  const { container, lossAccepted = false } = input;
  const place = await copyPlace(step, container);
  const { limitBytes } = deps.registryCopies;
  const earlier = await readIndex(step);
  const { contents, unreadable } = await onNode(step, {}, async (node) => {
    const copied = await copyOut(node, place, ({ contents: listed, ...rest }) => {
      checkUnreadable(rest, lossAccepted);
      if (container === undefined) checkSize({ bytes: bytesOf(listed), limitBytes });
    });
    checkUnreadable(copied, lossAccepted);
    return copied;
  });
  const all = earlier && earlier.container === container ? joinContents(earlier.contents, contents) : contents;
  await keepIndex(step, { contents: all, ...(container === undefined ? {} : { container }) });
  const text = [
    `${imagesOf(all).length} images (${Object.keys(all.sizes).length} blobs and manifests, ${bytesOf(all)} bytes) are in ${place.label}.`,
    ...(unreadable.length === 0
      ? []
      : ['These images cannot be read, and are lost:', ...unreadable.map((one) => `  ${one}`)]),
  ].join('\n');
  step.say(text);
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, `${text}\n`);
}
