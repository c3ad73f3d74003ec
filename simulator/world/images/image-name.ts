/** Returns the full name of an image: `redis` is `docker.io/library/redis:latest`. */
export function normalImage(image: string): string {
  const [name = '', digest] = image.split('@');
  const first = name.split('/')[0] ?? '';
  const hasRegistry = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const full = hasRegistry ? name : name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`;
  const tagged = /:[^/]+$/.test(full) || digest !== undefined ? full : `${full}:latest`;
  return digest === undefined ? tagged : `${tagged}@${digest}`;
}

/** Returns the name that docker prints: without the parts that it adds by itself. */
export function familiarImage(full: string): string {
  return full.replace(/^docker\.io\/(library\/)?/, '');
}

/** The parts of a full name. */
export interface ImageName {
  /** Host and port of the registry. */
  readonly host: string;
  readonly repository: string;
  /** A tag, or a digest. */
  readonly reference: string;
}

export function partsOf(full: string): ImageName {
  const slash = full.indexOf('/');
  const [name = '', digest] = full.slice(slash + 1).split('@');
  const [, repository = name, tag = 'latest'] = /^(.*):([^:/]+)$/.exec(name) ?? [];
  return { host: full.slice(0, slash), repository, reference: digest ?? tag };
}
