import { nodeProxy } from '../../node-proxy.ts';
import type { RegistryParameters } from './parameters.ts';
import type { RegistryCredentials } from './registry-credentials.ts';

interface RegistryFacts {
  /** The address of the server's port, which clients of the registry use. */
  readonly address: string;
  readonly nodeName: string;
  readonly parameters: RegistryParameters;
  /** Path of the image's archive on the server. Undefined when the image is pulled. */
  readonly archive?: string;
  /** Undefined without TLS. */
  readonly credentials?: RegistryCredentials;
  /** The volume for the images. Undefined when they are on the disk of the server. */
  readonly volumeId?: string;
}

/**
 * The environment of a phase of a registry's install script (docs/install-script.md). Values may be secret: they go
 * through a 0600 file.
 */
export function registryEnvironment({
  address,
  nodeName,
  parameters,
  archive,
  credentials,
  volumeId,
}: RegistryFacts): Record<string, string> {
  const proxy = nodeProxy(parameters.proxy, { networks: [], hosts: [address] });
  return {
    NODE_NAME: nodeName,
    NODE_IP: address,
    REGISTRY_PORT: String(parameters.port_no),
    ...(archive === undefined ? {} : { REGISTRY_ARCHIVE: archive }),
    ...(credentials && {
      REGISTRY_TLS_CERTIFICATE: credentials.certificate.trim(),
      REGISTRY_TLS_KEY: credentials.privateKey.trim(),
    }),
    ...(credentials?.htpasswd === undefined ? {} : { REGISTRY_HTPASSWD: credentials.htpasswd.trim() }),
    ...(volumeId === undefined ? {} : { REGISTRY_VOLUME: volumeId }),
    ...(proxy?.http === undefined ? {} : { HTTP_PROXY: proxy.http }),
    ...(proxy?.https === undefined ? {} : { HTTPS_PROXY: proxy.https }),
    ...(proxy === undefined ? {} : { NO_PROXY: proxy.exceptions.join(',') }),
  };
}
