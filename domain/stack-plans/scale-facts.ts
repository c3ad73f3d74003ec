import { VnflowError } from '../problems.ts';
import { byAge, lowestFree, type PlacedVnfc, placedVnfcs } from '../server-places.ts';
import { slotName } from '../slot.ts';
import type { ScaleVnfRequest } from '../sol-requests.ts';
import type { Flavour } from '../vnfd/model.ts';
import type { ScaleFacts } from './scale.ts';

/** The parts of instantiatedVnfInfo that a scale depends on. */
export interface ScaledInfo {
  readonly scaleStatus?: readonly { readonly aspectId: string; readonly scaleLevel: number }[];
  readonly vnfcResourceInfo?: readonly { readonly vduId: string }[];
}

/**
 * What a scale request means for an instance.
 * @throws VnflowError BAD_REQUEST: unknown aspect, a level outside of 0 … max, or an aspect of more than one VDU
 */
export function scaleFacts(
  request: Pick<ScaleVnfRequest, 'type' | 'aspectId' | 'numberOfSteps' | 'additionalParams'>,
  of: Flavour,
  info: ScaledInfo,
): ScaleFacts {
  const aspect = of.aspects.find(({ id }) => id === request.aspectId);
  const status = info.scaleStatus?.find(({ aspectId }) => aspectId === request.aspectId);
  if (!aspect || !status) {
    const known = of.aspects.map(({ id }) => id).join(', ') || 'none';
    throw createScaleProblem(
      `aspectId: flavour "${of.id}" has no scaling aspect "${request.aspectId}"; it has ${known}.`,
    );
  }
  const level = levelAfter(request, status.scaleLevel);
  if (level < 0 || level > aspect.maxScaleLevel) {
    throw createScaleProblem(
      `numberOfSteps: ${request.type} by ${request.numberOfSteps} would take ${request.aspectId} from level ${status.scaleLevel} to ${level}; it must stay within 0 and ${aspect.maxScaleLevel}.`,
    );
  }
  const [delta, ...others] = Object.entries(aspect.vduDeltas);
  if (!delta) {
    throw createScaleProblem(
      `aspectId: the VNFD has no VduScalingAspectDeltas for the first of step_deltas of the aspect ${request.aspectId}; nothing would be scaled.`,
    );
  }
  if (others.length > 0)
    throw createScaleProblem(
      `aspectId: ${request.aspectId} scales ${others.length + 1} VDUs at once; only aspects of one VDU are supported.`,
    );
  const [vduId, perStep] = delta;
  const vnfcs = placedVnfcs(info).filter((vnfc) => vnfc.vduId === vduId);
  const by = perStep * request.numberOfSteps;
  const taken = new Set(vnfcs.map(({ index }) => index));
  const scaled =
    request.type === 'SCALE_OUT'
      ? lowestFree(taken, by)
      : sortByRemoval(vnfcs, isReverse(request.additionalParams))
          .slice(0, by)
          .sort((a, b) => a - b);
  return {
    type: request.type,
    vduId,
    count: vnfcs.length,
    by,
    slots: scaled.map((index) => slotName(vduId, index)),
  };
}

/**
 * The indices of servers in the order in which a scale in removes them: the oldest member of a group first, as Heat
 * does, or with `is_reverse` the newest; of servers that StandardUserData made, the one with the highest index.
 */
function sortByRemoval(vnfcs: readonly PlacedVnfc[], newestFirst: boolean): number[] {
  const order = vnfcs.toSorted((a, b) => (a.member && b.member ? byAge(a.member, b.member) : b.index - a.index));
  const isGroup = vnfcs.some(({ member }) => member !== undefined);
  return (isGroup && newestFirst ? order.toReversed() : order).map(({ index }) => index);
}

/** Tacker's parameter of version 1 is the text "True" or "False". @throws VnflowError BAD_REQUEST */
function isReverse({ is_reverse: given = false }: Readonly<Record<string, unknown>> = {}): boolean {
  const word = String(given).toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw createScaleProblem('additionalParams.is_reverse: must be "True" or "False".');
}

/** The aspect's level after the scale. */
export function levelAfter(
  { type, numberOfSteps }: Pick<ScaleVnfRequest, 'type' | 'numberOfSteps'>,
  level: number,
): number {
  return type === 'SCALE_OUT' ? level + numberOfSteps : level - numberOfSteps;
}

function createScaleProblem(detail: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail });
}
