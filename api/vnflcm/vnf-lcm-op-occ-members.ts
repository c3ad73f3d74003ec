import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import { present } from '../http/present.ts';
import { shownTo, type Viewer } from './shown-to.ts';
import type { ShownOperation } from './waiting-steps.ts';

type Free = Record<string, unknown>;

interface ShownAs {
  /** Who sees it. */
  readonly viewer: Viewer;
  /** Writes a time: Tacker writes those of lists in another way. */
  readonly time: (at: Date) => string;
  /** Writes `operationParams`. @param row the parameters in it are without secrets */
  readonly operationParams: (row: VnfLcmOpOccRow) => unknown;
  /** Writes `changedInfo`. @param info without secrets */
  readonly changedInfo: (info: Free) => Free;
  /** Writes `resourceChanges`. */
  readonly resourceChanges: (changes: Free) => Free | undefined;
}

/**
 * The members of VnfLcmOpOcc in every version of the API, but for its links. What is not set is left out. `startedBy`
 * and `waitingFor` are our own.
 */
export function vnfLcmOpOccMembers(
  given: ShownOperation,
  { viewer, time, operationParams, changedInfo, resourceChanges }: ShownAs,
): Free & { id: string } {
  const row = {
    ...given,
    operationParams: shownTo(viewer, given.operationParams, given.vnfInstanceId),
    changedInfo: given.changedInfo && shownTo(viewer, given.changedInfo, given.vnfInstanceId),
  };
  return {
    id: row.id,
    ...present({
      operationState: row.operationState,
      stateEnteredTime: time(row.stateEnteredTime),
      startTime: time(row.startTime),
      vnfInstanceId: row.vnfInstanceId,
      grantId: row.grantId,
      operation: row.operation,
      startedBy: row.startedBy,
      isAutomaticInvocation: row.isAutomaticInvocation,
      operationParams: operationParams(row),
      isCancelPending: row.isCancelPending,
      cancelMode: row.cancelMode,
      waitingFor: row.waitingFor,
      error: row.error,
      resourceChanges: row.resourceChanges && resourceChanges(row.resourceChanges),
      changedInfo: row.changedInfo && changedInfo(row.changedInfo),
    }),
  };
}

/**
 * The links of VnfLcmOpOcc in every version: all of them, whatever the state, as in Tacker.
 * @param self absolute URL of the operation occurrence
 * @param vnfInstance absolute URL of its instance
 */
export function vnfLcmOpOccLinks(self: string, vnfInstance: string): Record<string, { href: string }> {
  return {
    self: { href: self },
    vnfInstance: { href: vnfInstance },
    cancel: { href: `${self}/cancel` },
    retry: { href: `${self}/retry` },
    rollback: { href: `${self}/rollback` },
    fail: { href: `${self}/fail` },
  };
}
