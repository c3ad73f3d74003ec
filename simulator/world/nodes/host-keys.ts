import { createHash } from 'node:crypto';
import ssh2, { type ServerConfig } from 'ssh2';

export interface HostKey {
  /** OpenSSH private key. */
  readonly private: string;
  /** `ssh-ed25519 AAAA…` */
  readonly public: string;
}

/**
 * What all simulated SSH servers offer. Without chacha20-poly1305: OpenSSH clients get garbled packets from ssh2's
 * implementation when one of its connections runs within another.
 */
export const SERVER_BASICS: Pick<ServerConfig, 'ident' | 'algorithms'> = {
  ident: 'OpenSSH_8.9p1 Ubuntu-3ubuntu0.6',
  algorithms: {
    cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  },
};

export function generateHostKey(): HostKey {
  let pair = ssh2.utils.generateKeyPairSync('ed25519');
  // one in some hundred of the keys that ssh2 makes cannot be read by ssh2
  while (ssh2.utils.parseKey(pair.private) instanceof Error) pair = ssh2.utils.generateKeyPairSync('ed25519');
  return { private: pair.private, public: pair.public.trim() };
}

/** As `ssh-keygen -l` prints it: `SHA256:…`, base64 without padding. */
export function fingerprint(key: HostKey): string {
  const blob = Buffer.from(key.public.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
