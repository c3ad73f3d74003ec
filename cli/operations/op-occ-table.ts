import { localTime } from '../local-time.ts';
import { table } from '../table.ts';
import type { OpOcc } from '../vnfm/contract.ts';

/** Lists operations, the newest last, because people read the end of the output first. @returns lines */
export function opOccLines(opOccs: readonly OpOcc[]): string[] {
  const rows = opOccs
    .toSorted((a, b) => a.startTime.localeCompare(b.startTime))
    .map(({ id, operation, operationState, vnfInstanceId, startTime }) => [
      id,
      operation,
      operationState,
      vnfInstanceId,
      localTime(startTime),
    ]);
  return table(['OPERATION ID', 'OPERATION', 'STATE', 'VNF INSTANCE', 'STARTED'], rows);
}
