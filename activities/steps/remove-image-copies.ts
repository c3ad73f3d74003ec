import { readIndex } from '../registry/copy-index.ts';
import { copyPlace } from '../registry/copy-place.ts';
import type { StepContextOf } from '../step-context.ts';

/** Removes a copy that was put back. The index, which names the place, goes last. */
export async function removeImageCopies(step: StepContextOf<'removeImageCopies'>): Promise<undefined> {
  const index = await readIndex(step);
  if (index?.container !== undefined) await (await copyPlace(step, index.container)).removeAll();
  await (await copyPlace(step)).removeAll();
}
