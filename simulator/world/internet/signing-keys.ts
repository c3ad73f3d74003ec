/** The OpenPGP keys that package repositories are signed with. Their material is made up, their identity is the real one. */
export interface SigningKey {
  readonly fingerprint: string;
  readonly user: string;
  /** Unix time. */
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

/** A key in binary form, one character per byte. */
export function binaryKey(key: SigningKey): string {
  return `\x99\x01\x0d\x04simulated key ${key.fingerprint} ${key.user}\x00`;
}

/** A key in the form that is published on the web. */
export function armouredKey(key: SigningKey): string {
  const lines = Buffer.from(binaryKey(key), 'latin1').toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: GnuPG v2.0.15 (GNU/Linux)\n\n${lines}\n=simu\n-----END PGP PUBLIC KEY BLOCK-----\n`;
}

const ARMOUR =
  /-----BEGIN PGP PUBLIC KEY BLOCK-----\n(?:[A-Za-z]+: .*\n)*\n([\s\S]*?)\n=\S{4}\n-----END PGP PUBLIC KEY BLOCK-----/g;

/** The binary form of what was armoured, `undefined` when nothing was. */
export function withoutArmour(bytes: string): string | undefined {
  const blocks = [...bytes.matchAll(ARMOUR)].map(([, body = '']) => Buffer.from(body, 'base64').toString('latin1'));
  return blocks.length === 0 ? undefined : blocks.join('');
}

/** @param bytes of a key file, armoured or not */
export function keysIn(bytes: string): readonly SigningKey[] {
  const plain = withoutArmour(bytes) ?? bytes;
  return KEYS.filter((key) => plain.includes(binaryKey(key)));
}
