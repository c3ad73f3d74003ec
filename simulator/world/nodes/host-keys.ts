import { createHash } from 'node:crypto';
import ssh2, { type ServerConfig } from 'ssh2';

export interface HostKey {
  /** The private key in OpenSSH's format. */
  readonly private: string;
  /** `ssh-ed25519 AAAA…` */
  readonly public: string;
}

/**
 * The algorithms of all simulated SSH servers. chacha20-poly1305 is missing: OpenSSH clients get garbled packets from
 * ssh2's implementation when one connection runs inside another.
 */
export const SERVER_BASICS: Pick<ServerConfig, 'ident' | 'algorithms'> = {
  ident: 'OpenSSH_8.9p1 Ubuntu-3ubuntu0.6',
  algorithms: {
    cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  },
};

export function generateHostKey(): HostKey {
  let pair = ssh2.utils.generateKeyPairSync('ed25519');
  // ssh2 cannot read about one in a hundred of the keys that it generates
  while (ssh2.utils.parseKey(pair.private) instanceof Error) pair = ssh2.utils.generateKeyPairSync('ed25519');
  return { private: pair.private, public: pair.public.trim() };
}

/** Formats a fingerprint like `ssh-keygen -l`: `SHA256:…`, base64 without padding. */
export function fingerprint(key: HostKey): string {
  const blob = Buffer.from(key.public.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
