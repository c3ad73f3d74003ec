import { z } from 'zod';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';

const Mapping = z.record(z.string(), z.array(z.string()));

/**
 * `metadata.VDU_VNFc_mapping` names the future VNFCs of each VDU: `{vduId: [vnfcInfoId, …]}`, no id twice.
 * @throws VnflowError BAD_REQUEST
 */
export function checkVduVnfcMapping(metadata: Readonly<Record<string, unknown>> = {}): void {
  const given = metadata['VDU_VNFc_mapping'];
  if (given === undefined) return;
  const ids = Object.values(parseMember(Mapping, given, ['metadata', 'VDU_VNFc_mapping'])).flat();
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new VnflowError('BAD_REQUEST', { detail: `metadata.VDU_VNFc_mapping: ${twice} stands there twice.` });
  }
}
