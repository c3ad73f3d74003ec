import { surveyBeforeHeal } from '../../planning/make-plan.ts';
import type { LeasedContext } from '../activity-context.ts';
import { askControlPlane } from '../etcd/ask-control-plane.ts';
import { keepFacts } from '../facts/kept-facts.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';
import { surveyContents } from '../registry/survey-contents.ts';

/** A person waits for the heal of a registry that is dead for good. */
const MOST_CONTENTS_PATIENCE_SECONDS = 60;

/**
 * Asks the VNF what a heal needs to know before it is planned: of a control plane, which members vote and which nodes
 * answer; of a private registry, what it has. Changes nothing in the VNF. Histories have its name, which is older than
 * registries.
 */
export async function surveyControlPlane(context: LeasedContext): Promise<void> {
  const { deps } = context;
  const asks = await surveyBeforeHeal(deps, {
    instance: await readInstance(context),
    request: await readRequest(context, 'HEAL'),
  });
  if (asks?.about === 'contents') {
    const patienceSeconds = Math.min(deps.pace.surveyLimit, MOST_CONTENTS_PATIENCE_SECONDS);
    await keepFacts(context, { contents: await surveyContents(context, { slot: asks.slot, patienceSeconds }) });
  } else if (asks) {
    const survey = await askControlPlane(context, { last: asks.last, patienceSeconds: deps.pace.surveyLimit });
    await keepFacts(context, { survey });
  }
}
