import { VnflowError } from '../../domain/problems.ts';
import { bytesOf, imagesOf } from '../../domain/vnf-kinds/private-registry/contents.ts';
import type { ContentsSurvey } from '../../domain/vnf-kinds/private-registry/keep-contents.ts';
import type { LeasedContext } from '../activity-context.ts';
import { pollUntil } from '../attempt/poll.ts';
import { onNode } from '../node/node-session.ts';
import { readIndex } from './copy-index.ts';
import { listContents } from './list-contents.ts';
import { RegistryClient } from './registry-client.ts';

/**
 * Looks what a registry has, before a heal is planned. Changes nothing.
 * @param patienceSeconds how long a registry that does not answer is asked again: a short outage passes in this time
 */
export async function surveyContents(
  context: LeasedContext,
  { slot, patienceSeconds }: { readonly slot: string; readonly patienceSeconds: number },
): Promise<ContentsSurvey> {
  const { deps, signal } = context;
  const { limitBytes } = deps.registryCopies;
  const index = await readIndex(context);
  const { container } = index ?? {};
  const kept = index && {
    images: imagesOf(index.contents).length,
    ...(container === undefined ? {} : { container }),
  };
  const common = { limitBytes, ...(kept ? { kept } : {}) };
  try {
    const look = () => onNode(context, { slot, limitSeconds: 0 }, (node) => RegistryClient.use(node, listContents));
    const { contents, unreadable } = await pollUntil(
      { pause: deps.pace.poll, limitSeconds: patienceSeconds, signal },
      async (isLate) => {
        try {
          return await look();
        } catch (error) {
          if (!(error instanceof VnflowError) || isLate()) throw error;
          context.say(`waiting for the registry: ${error.message}`);
          return undefined;
        }
      },
    );
    return { ...common, images: imagesOf(contents).length, bytes: bytesOf(contents), unreadable: [...unreadable] };
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    return { ...common, problem: error.message, images: 0, bytes: 0, unreadable: [] };
  }
}
