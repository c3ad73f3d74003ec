import { createHash } from 'node:crypto';
import { VnflowError } from '../domain/problems.ts';

/** How a machine proves its identity. */
export interface HostKeyPolicy {
  /** Pinned fingerprints (`SHA256:…`, as OpenSSH prints them). Empty or undefined at the first contact. */
  readonly expected?: readonly string[];
  /** The code of a changed key. Default: `NODE_HOST_KEY`. */
  readonly changedCode?: 'NODE_HOST_KEY' | 'BASTION_HOST_KEY';
  /**
   * Called with the fingerprint at the first contact, before any credential is sent. It refuses the machine by
   * throwing.
   */
  onFirstContact(fingerprint: string, keyType: string): void | Promise<void>;
}

/**
 * The fingerprint in OpenSSH's notation: `SHA256:` and the digest of the key blob in base64 without padding.
 * @internal exported for tests
 */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The first string of an SSH public key blob (RFC 4253, 6.6), for example `ssh-ed25519`. */
function keyTypeOf(key: Buffer): string {
  if (key.length < 4) return 'unknown';
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}

/**
 * Checks the host key of a machine before vnflow logs in.
 * @throws VnflowError NODE_HOST_KEY or BASTION_HOST_KEY when a key is pinned and the machine shows another
 */
export async function checkHostKey(key: Buffer, machine: string, policy: HostKeyPolicy): Promise<void> {
  const fingerprint = fingerprintOf(key);
  const expected = policy.expected ?? [];
  if (expected.includes(fingerprint)) return;
  if (expected.length === 0) {
    await policy.onFirstContact(fingerprint, keyTypeOf(key));
    return;
  }
  throw new VnflowError(policy.changedCode ?? 'NODE_HOST_KEY', {
    detail: `The host key of ${machine} changed: expected ${expected.join(' or ')}, it shows ${fingerprint} (${keyTypeOf(key)}). No credential was sent.`,
  });
}
