import { changedSlots, grantDocuments } from '../../domain/grant-request.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { placedVnfcs } from '../../domain/server-places.ts';
import { slotName, slotNames } from '../../domain/slot.ts';
import { vnfcSlots } from '../../domain/stack-plans/healed-vnfcs.ts';
import { flavour, vduCount } from '../../domain/vnfd.ts';
import { packageOfInstance } from '../../planning/package-of-instance.ts';
import { readFreeInfo } from '../../store/free-info.ts';
import { findPlan } from '../../store/operation-plans.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readFact } from '../facts/kept-facts.ts';
import { readInstance, readOperation } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';

/** What code of a package gets to know of an operation, as plain data. */
export interface CodeDocuments {
  readonly operation: string;
  /** With the secrets in its additional parameters, without those of VIM connections. */
  readonly request: Readonly<Record<string, unknown>>;
  /** VnfInstance as version 2 of the API shows it, with what this operation has found out already. */
  readonly instance: Readonly<Record<string, unknown>>;
  readonly grantRequest: object;
  readonly grant: object;
  /** Image ids by VDU or storage. */
  readonly images: Readonly<Record<string, string>>;
  /** The flavour of the request, or of the instance. */
  readonly flavourId: string;
}

/**
 * Describes an operation for code of its package. Logins to a VIM are left out: the code has no network to use them.
 */
export async function readCodeDocuments(context: ActivityContext): Promise<CodeDocuments> {
  const { deps, input } = context;
  const { operation } = await readOperation(context);
  const instance = await readInstance(context);
  const request: Readonly<Record<string, unknown>> = { ...(await readRequest(context, operation)) };
  const info = (await readFact(context, 'instantiatedVnfInfo')) ?? instance.instantiatedVnfInfo ?? undefined;
  const flavourId = String(
    LCM_OPERATIONS[operation].factsFrom === 'request' ? request['flavourId'] : info?.['flavourId'],
  );
  const { vnfd } = await packageOfInstance(deps, instance);
  const grant = (await readFact(context, 'grant')) ?? { softwareImages: {} };
  const plan = await findPlan(deps.db, input.vnfLcmOpOccId, 'forward');
  const wanted = operation === 'INSTANTIATE' ? newSlots(flavour(vnfd, flavourId), request['instantiationLevelId']) : [];
  const before = instance.instantiatedVnfInfo ?? undefined;
  const changed = plan ? changedSlots(plan, vnfcSlots(before), wanted) : { added: [], removed: [] };
  return {
    operation,
    request: { ...request, vimConnectionInfo: withoutSecrets(request['vimConnectionInfo']) },
    instance: {
      id: instance.id,
      vnfInstanceName: instance.name ?? undefined,
      vnfdId: instance.vnfdId,
      vnfProvider: instance.provider,
      vnfProductName: instance.productName,
      vnfSoftwareVersion: instance.softwareVersion,
      vnfdVersion: instance.vnfdVersion,
      ...(await readFreeInfo(deps.secrets, instance)),
      vimConnectionInfo: withoutSecrets(instance.vimConnectionInfo ?? undefined),
      instantiationState: instance.instantiationState,
      instantiatedVnfInfo: info,
    },
    ...grantDocuments({
      ...input,
      ...changed,
      vnfdId: instance.vnfdId,
      flavourId,
      operation,
      servers: serverIds(before),
      grant,
    }),
    images: grant.softwareImages,
    flavourId,
  };
}

function newSlots(of: ReturnType<typeof flavour>, levelId: unknown): string[] {
  const level = typeof levelId === 'string' ? levelId : undefined;
  return of.vdus.flatMap(({ id }) => slotNames(id, vduCount(of, id, level)));
}

/** Server ids by slot. */
function serverIds(info: Readonly<Record<string, unknown>> | undefined): Map<string, string> {
  const vnfcs = info?.['vnfcResourceInfo'];
  const placed = placedVnfcs(info);
  return new Map(
    (Array.isArray(vnfcs) ? vnfcs : []).flatMap((vnfc: { computeResource?: { resourceId?: unknown } }, at) => {
      const place = placed[at];
      return place
        ? [[slotName(place.vduId, place.index), String(vnfc.computeResource?.resourceId ?? '')] as const]
        : [];
    }),
  );
}
