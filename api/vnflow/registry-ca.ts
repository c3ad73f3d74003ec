import { X509Certificate } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import { RegistryAuthority } from '../../domain/vnf-kinds/private-registry/registry-credentials.ts';
import { secretName } from '../../store/secrets.ts';
import type { ApiContext } from '../dependencies.ts';

/**
 * The certificate of the CA of an instance's registry. Its key is never read out.
 * @throws VnflowError NOT_FOUND when the instance is no registry with TLS, or is not instantiated
 */
export async function registryCaOf({ secrets }: ApiContext, vnfInstanceId: string): Promise<Record<string, string>> {
  const kept = await secrets.get(secretName.registryAuthority(vnfInstanceId));
  if (kept === undefined) {
    throw new VnflowError('NOT_FOUND', {
      detail: `VnfInstance ${vnfInstanceId} has no CA: it is no private registry with "tls": true, or not instantiated.`,
    });
  }
  const { certificate } = RegistryAuthority.parse(kept);
  const { fingerprint256, validTo } = new X509Certificate(certificate);
  return { certificate, fingerprint256, validUntil: new Date(validTo).toISOString() };
}
