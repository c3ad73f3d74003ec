import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';

export interface HostKey {
  /** OpenSSH private key. */
  readonly private: string;
  /** `ssh-ed25519 AAAA…` */
  readonly public: string;
}

export function generateHostKey(): HostKey {
  const pair = ssh2.utils.generateKeyPairSync('ed25519');
  return { private: pair.private, public: pair.public.trim() };
}

/** As `ssh-keygen -l` prints it: `SHA256:…`, base64 without padding. */
export function fingerprint(key: HostKey): string {
  const blob = Buffer.from(key.public.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
