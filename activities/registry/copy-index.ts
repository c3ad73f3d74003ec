import { z } from 'zod';
import { RegistryContents } from '../../domain/vnf-kinds/private-registry/contents.ts';
import type { LeasedContext } from '../activity-context.ts';

const NAME = 'index';

/** A copy of a registry that is complete, and has not been put back. */
const CopyIndex = z.object({
  contents: RegistryContents,
  /** The container of Swift with the copy. Undefined: the store has it. */
  container: z.string().optional(),
});
export type CopyIndex = z.infer<typeof CopyIndex>;

/** Keeps the index of a copy, in the store. From then on the copy counts as complete. */
export async function keepIndex({ deps, input, mustHold }: LeasedContext, index: CopyIndex): Promise<void> {
  mustHold();
  await deps.registryCopies.store.write(input.vnfInstanceId, NAME, Buffer.from(JSON.stringify(index)));
}

/** The index of the copy that waits to be put back. Undefined when there is none. */
export async function readIndex({
  deps,
  input,
}: Pick<LeasedContext, 'deps' | 'input'>): Promise<CopyIndex | undefined> {
  const text = await deps.registryCopies.store.read(input.vnfInstanceId, NAME);
  return text && CopyIndex.parse(JSON.parse(text.toString('utf8')));
}
