/** An OpenPGP key that signs package repositories. Its identity is real, its key material is invented. */
export interface SigningKey {
  readonly fingerprint: string;
  readonly user: string;
  /** Time of creation, Unix seconds. */
  readonly created: number;
  readonly expires: number | null;
}

export const KUBERNETES_KEY: SigningKey = {
  fingerprint: 'DE15B14486CD377B9E876E1A234654DA9A296436',
  user: 'isv:kubernetes OBS Project <isv:kubernetes@build.opensuse.org>',
  created: 1_661_527_793,
  expires: 1_797_443_000,
};

export const DOCKER_KEY: SigningKey = {
  fingerprint: '9DC858229FC7DD38854AE2D88D81803C0EBFCD88',
  user: 'Docker Release (CE deb) <docker@docker.com>',
  created: 1_487_788_586,
  expires: null,
};

const KEYS = [KUBERNETES_KEY, DOCKER_KEY];

export function keyId({ fingerprint }: SigningKey): string {
  return fingerprint.slice(-16);
}

/** Returns a key in binary form, one character per byte. */
export function binaryKey(key: SigningKey): string {
  return `\x99\x01\x0d\x04simulated key ${key.fingerprint} ${key.user}\x00`;
}

/** Returns a key in the armoured form in which it is published. */
export function armouredKey(key: SigningKey): string {
  const lines = Buffer.from(binaryKey(key), 'latin1').toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: GnuPG v2.0.15 (GNU/Linux)\n\n${lines}\n=simu\n-----END PGP PUBLIC KEY BLOCK-----\n`;
}

const ARMOUR =
  /-----BEGIN PGP PUBLIC KEY BLOCK-----\n(?:[A-Za-z]+: .*\n)*\n([\s\S]*?)\n=\S{4}\n-----END PGP PUBLIC KEY BLOCK-----/g;

/** Removes the armour. @returns undefined when there is none */
export function withoutArmour(bytes: string): string | undefined {
  const blocks = [...bytes.matchAll(ARMOUR)].map(([, body = '']) => Buffer.from(body, 'base64').toString('latin1'));
  return blocks.length === 0 ? undefined : blocks.join('');
}

/** Finds the keys in a key file. @param bytes the content, armoured or not */
export function keysIn(bytes: string): readonly SigningKey[] {
  const plain = withoutArmour(bytes) ?? bytes;
  return KEYS.filter((key) => plain.includes(binaryKey(key)));
}
