import { z } from 'zod';
import { keyValuePairs } from '../../domain/sol-requests.ts';

export const CreateVnfPkgInfoRequest = z.object({ userDefinedData: keyValuePairs.optional() });
export type CreateVnfPkgInfoRequest = z.infer<typeof CreateVnfPkgInfoRequest>;

export const VnfPkgInfoModifications = z.object({
  operationalState: z.enum(['ENABLED', 'DISABLED']).optional(),
  userDefinedData: keyValuePairs.optional(),
});
export type VnfPkgInfoModifications = z.infer<typeof VnfPkgInfoModifications>;
