import { parseSlot } from '../../slot.ts';
import { backupIdOf } from './chosen-backup.ts';
import type { ClusterShape } from './shape.ts';

/** The nodes that a heal of a cluster replaces, and the options of its request. */
export interface HealFacts {
  /** The cluster before the heal. */
  readonly shape: ClusterShape;
  /** Slots of the control-plane nodes that are replaced. */
  readonly controlPlane: readonly string[];
  /** Slots of the workers that are replaced. */
  readonly workers: readonly string[];
  /** Slots of VNFCs that are no nodes of the cluster. The heal only replaces their servers. */
  readonly others: readonly string[];
  /** May a cluster without a majority be brought back from what is left, or from a backup? */
  readonly allowRestore: boolean;
  /**
   * The backup that the cluster is brought back from. Undefined when the newest data is used: that of a node that still
   * answers, or else the newest backup.
   */
  readonly backupId?: string;
}

/** @param slots of the VNFCs that are replaced @param additionalParams of the request */
export function healFacts(
  slots: readonly string[],
  shape: ClusterShape,
  additionalParams: Readonly<Record<string, unknown>> = {},
): HealFacts {
  const ofVdu = (vduId: string) => slots.filter((slot) => parseSlot(slot).vduId === vduId);
  const controlPlane = ofVdu(shape.controlPlane.vduId);
  const workers = ofVdu(shape.workers.vduId);
  const backupId = backupIdOf(additionalParams);
  return {
    shape,
    controlPlane,
    workers,
    others: slots.filter((slot) => !controlPlane.includes(slot) && !workers.includes(slot)),
    allowRestore: additionalParams['allow_restore'] === true,
    ...(backupId === undefined ? {} : { backupId }),
  };
}
