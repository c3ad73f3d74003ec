/**
 * A slot is a node's place in the cluster. It has a name before any server exists: `workerNode[1]` is the VNFC of VDU
 * workerNode with vdu_idx 1. A member of a scaling group keeps its slot as long as it lives.
 */
export function slotName(vduId: string, index: number): string {
  return `${vduId}[${index}]`;
}

export function slotNames(vduId: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => slotName(vduId, index));
}

/** @throws Error when the text is no slot (a defect: slots are only made here) */
export function parseSlot(slot: string): { vduId: string; index: number } {
  const match = /^(.+)\[(\d+)\]$/.exec(slot);
  if (!match?.[1] || match[2] === undefined) throw new Error(`${slot} is no slot`);
  return { vduId: match[1], index: Number(match[2]) };
}

/** The resource of the top HOT that makes the server of a slot: `workerNode-1` for `workerNode[1]`. */
export function stackResourceName(slot: string): string {
  const { vduId, index } = parseSlot(slot);
  return `${vduId}-${index}`;
}
