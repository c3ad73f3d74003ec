import { stepKind } from './step-kind.ts';

/** Removes the copy of a registry that was put back. */
export const removeImageCopies = stepKind({
  input: {},
  summary: 'remove the copy of the images, which are back in the registry',
  expectedSeconds: 2,
  timeLimitSeconds: 1800,
  attempts: 20,
  mustRun: false,
  calls: ['delete the copy from the store, or from the container of Swift'],
});
