import { X509Certificate } from 'node:crypto';
import type { SimNode } from '../world.ts';
import type { Authority } from './clusters.ts';
import { issueCertificate } from './pki.ts';

export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Makes a kubeconfig with a client certificate, as kubeadm does. */
export function kubeconfig(
  authority: Authority,
  options: { readonly server: string; readonly identity: Identity; readonly certificateFile?: string },
): string {
  const { server, identity } = options;
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const short = identity.user.replace(/^system:/, '');
  const client = issueCertificate(authority, {
    commonName: identity.user,
    organization: identity.groups[0] ?? '',
    days: 365,
  });
  const credentials = options.certificateFile
    ? `    client-certificate: ${options.certificateFile}\n    client-key: ${options.certificateFile}\n`
    : `    client-certificate-data: ${base64(client.certificate)}\n    client-key-data: ${base64(client.privateKey)}\n`;
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${base64(authority.certificate)}
    server: https://${server}
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: ${short}
  name: ${short}@kubernetes
current-context: ${short}@kubernetes
kind: Config
preferences: {}
users:
- name: ${short}
  user:
${credentials}`;
}

/** Returns the identity in the client certificate of a kubeconfig; reads the certificate file that it may name. */
export function identityIn(node: SimNode, text: string): Identity | undefined {
  const data = /client-certificate-data: (\S+)/.exec(text)?.[1];
  const file = /client-certificate: (\S+)/.exec(text)?.[1];
  try {
    const pem = data === undefined ? node.root.readText(file ?? '') : Buffer.from(data, 'base64').toString('utf8');
    const { subject } = new X509Certificate(pem);
    const field = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(subject)?.[1] ?? '';
    return { user: field('CN'), groups: [field('O')] };
  } catch {
    return undefined;
  }
}
