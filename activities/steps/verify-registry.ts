import { VnflowError } from '../../domain/problems.ts';
import { pollUntil } from '../attempt/poll.ts';
import { onNode } from '../node/node-session.ts';
import { askRegistry } from '../registry/registry-api.ts';
import type { StepContextOf } from '../step-context.ts';

const ANSWER_SECONDS = 120;

/**
 * Waits until the registry answers at the address of its server. It is asked from the server itself: vnflow reaches a
 * cloud by SSH only, often through a bastion that forwards nothing else. What security groups keep from other clients is
 * not seen this way.
 */
export async function verifyRegistry(step: StepContextOf<'verifyRegistry'>): Promise<undefined> {
  const { pace } = step.deps;
  await onNode(step, {}, async (node) => {
    await pollUntil({ pause: pace.poll, limitSeconds: ANSWER_SECONDS, signal: step.signal }, async (isLate) => {
      try {
        await askRegistry(node);
        return true;
      } catch (error) {
        if (!(error instanceof VnflowError) || error.code !== 'REGISTRY_NOT_READY' || isLate()) throw error;
        step.say(`waiting for the registry of ${node.node.nodeName}`);
        return undefined;
      }
    });
  });
}
