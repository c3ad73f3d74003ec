import { VnflowError } from '../../domain/problems.ts';
import { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { proxyOfNode } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { pollUntil } from '../attempt/poll.ts';
import { readFact } from '../facts/kept-facts.ts';
import { readOperation } from '../facts/operation-facts.ts';
import { readVnf } from '../facts/plan-question.ts';
import { readRegistries } from '../node/node-registries.ts';
import { onNode } from '../node/node-session.ts';
import { checkRegistry } from '../node/registry-check.ts';
import { writeRegistries } from '../node/registry-files.ts';
import type { StepContextOf } from '../step-context.ts';

/** How long a registry may give no answer: it may be starting. Attempts of the step are for workers that are lost. */
const ANSWER_SECONDS = 30;

/**
 * Lets a node pull from the registries, and checks each of them from the node. A modification brings other registries
 * than those that the instance keeps: they are checked first, and when one cannot be used, the node stays as it is. A new
 * node has nothing to lose: when an operator skips the step, it pulls as soon as the registry can be used.
 */
export async function connectRegistries(step: StepContextOf<'connectRegistries'>): Promise<undefined> {
  const { operation } = await readOperation(step);
  const changed = operation === 'MODIFY_INFO' ? (await readVnf(step)).kept?.parameters : undefined;
  await onNode(step, {}, async (node) => {
    const parameters = ClusterParameters.parse(changed ?? node.parameters);
    const registries = await readRegistries(step, parameters);
    const proxy = proxyOfNode({
      node: { address: node.node.nicAddress },
      parameters,
      cluster: (await readFact(step, 'cluster')) ?? { endpoint: ':', controlPlanes: [] },
    });
    if (!changed) await writeRegistries(node, registries);
    for (const [index, registry] of registries.entries()) {
      step.say(`checking the registry ${registry.server}`);
      await pollUntil(
        { pause: step.deps.pace.poll, limitSeconds: ANSWER_SECONDS, signal: step.signal },
        async (isLate) => {
          try {
            await checkRegistry(node, { registry, index, proxy });
            return true;
          } catch (error) {
            if (!(error instanceof VnflowError) || error.code !== 'REGISTRY_UNREACHABLE' || isLate()) throw error;
            step.say(`waiting for the registry ${registry.server}`);
            return undefined;
          }
        },
      );
    }
    if (changed) await writeRegistries(node, registries);
  });
}
