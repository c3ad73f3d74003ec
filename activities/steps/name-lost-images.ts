import { VnflowError } from '../../domain/problems.ts';
import { imagesOf } from '../../domain/vnf-kinds/private-registry/contents.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { onNode } from '../node/node-session.ts';
import { listContents } from '../registry/list-contents.ts';
import { RegistryClient } from '../registry/registry-client.ts';
import type { StepContextOf } from '../step-context.ts';

/** A server that is healed is often dead: the heal does not wait long for it. */
const REACH_SECONDS = 10;

/**
 * Writes the names of the images that the registry is about to lose into the log of the step. A server that does not
 * answer keeps nothing from being replaced.
 */
export async function nameLostImages(step: StepContextOf<'nameLostImages'>): Promise<undefined> {
  const { deps, input } = step;
  const text = await describeLostImages(step);
  step.say(text);
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, text);
}

async function describeLostImages(step: StepContextOf<'nameLostImages'>): Promise<string> {
  try {
    const images = await onNode(step, { limitSeconds: REACH_SECONDS }, (node) =>
      RegistryClient.use(node, async (registry) => imagesOf((await listContents(registry)).contents)),
    );
    if (images.length === 0) return 'The registry has no images: nothing is lost.';
    return `These images are lost:\n${images.map((image) => `  ${image}\n`).join('')}`;
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    return `Which images are lost cannot be read: ${error.message}`;
  }
}
