import { z } from 'zod';
import { keyValuePairs } from '../../domain/sol-requests.ts';

export const CreateVnfPkgInfoRequest = z.object({ userDefinedData: keyValuePairs.optional() });
export type CreateVnfPkgInfoRequest = z.infer<typeof CreateVnfPkgInfoRequest>;

export const VnfPkgInfoModifications = z.object({
  operationalState: z.enum(['ENABLED', 'DISABLED']).optional(),
  userDefinedData: keyValuePairs.optional(),
});
export type VnfPkgInfoModifications = z.infer<typeof VnfPkgInfoModifications>;

/**
 * The request body, as Tacker checks it. The address may hold a secret (a signed URL), so all of it is sealed and none
 * of it is shown.
 */
export const UploadVnfPackageFromUriRequest = z.object({
  addressInformation: z.string().max(2048),
  userName: z
    .string()
    .max(255)
    .regex(/^[a-zA-Z0-9-_]*$/)
    .optional(),
  password: z.string().max(255).optional(),
});
export type UploadVnfPackageFromUriRequest = z.infer<typeof UploadVnfPackageFromUriRequest>;
