import type { Plan } from './operation/plan.ts';
import { parseSlot } from './slot.ts';
import type { Grant } from './standard-user-data.ts';
import { fatesOfNamedNodes, stepFacts } from './steps/index.ts';

/** The servers that an operation makes and removes, by their slots. */
export interface ChangedSlots {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Which servers a plan makes and removes.
 * @param present slots of the servers before the operation @param wanted slots of the servers of a new stack
 */
export function changedSlots(plan: Plan, present: readonly string[], wanted: readonly string[]): ChangedSlots {
  const added: string[] = [];
  const removed: string[] = [];
  for (const step of plan.steps) {
    if (step.kind === 'applyStack') added.push(...wanted);
    if (step.kind === 'growStack') added.push(...step.servers);
    const { everyNode } = stepFacts(step.kind);
    if (everyNode !== undefined) removed.push(...present);
    if (everyNode === 'replaced') added.push(...present);
    if (step.kind !== 'shrinkStack' && step.kind !== 'replaceServers') continue;
    for (const { slot, fate } of fatesOfNamedNodes(step)) {
      removed.push(slot);
      if (fate === 'replaced') added.push(slot);
    }
  }
  return { added: [...new Set(added)], removed: [...new Set(removed)] };
}

interface GrantFacts extends ChangedSlots {
  readonly vnfInstanceId: string;
  readonly vnfLcmOpOccId: string;
  readonly vnfdId: string;
  readonly flavourId: string | undefined;
  readonly operation: string;
  /** Server ids by slot. */
  readonly servers: ReadonlyMap<string, string>;
  readonly grant: Grant;
}

/**
 * GrantRequest and Grant of SOL003, as far as code of a package reads them: the servers that come and go, and their
 * images. The local NFVO grants what was asked for.
 */
export function grantDocuments(facts: GrantFacts): { readonly grantRequest: object; readonly grant: object } {
  const { vnfInstanceId, vnfLcmOpOccId, vnfdId, flavourId, operation, servers } = facts;
  const added = facts.added.map((slot) => ({
    id: `add ${slot}`,
    type: 'COMPUTE',
    resourceTemplateId: parseSlot(slot).vduId,
  }));
  const removed = facts.removed.map((slot) => ({
    id: `remove ${slot}`,
    type: 'COMPUTE',
    resourceTemplateId: parseSlot(slot).vduId,
    resource: { resourceId: servers.get(slot) ?? '', vimLevelResourceType: 'OS::Nova::Server' },
  }));
  const ids = (resources: readonly { readonly id: string }[]) =>
    resources.map(({ id }) => ({ resourceDefinitionId: id }));
  const images = Object.entries(facts.grant.softwareImages ?? {});
  return {
    grantRequest: {
      vnfInstanceId,
      vnfLcmOpOccId,
      vnfdId,
      ...(flavourId === undefined ? {} : { flavourId }),
      operation,
      isAutomaticInvocation: false,
      ...(added.length === 0 ? {} : { addResources: added }),
      ...(removed.length === 0 ? {} : { removeResources: removed }),
    },
    grant: {
      id: vnfLcmOpOccId,
      vnfInstanceId,
      vnfLcmOpOccId,
      ...(added.length === 0 ? {} : { addResources: ids(added) }),
      ...(removed.length === 0 ? {} : { removeResources: ids(removed) }),
      ...(images.length === 0
        ? {}
        : {
            vimAssets: {
              softwareImages: images.map(([vnfdSoftwareImageId, vimSoftwareImageId]) => ({
                vnfdSoftwareImageId,
                vimSoftwareImageId,
              })),
            },
          }),
    },
  };
}
