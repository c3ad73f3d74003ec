/** Compares two versions in Debian's order: https://www.debian.org/doc/debian-policy/ch-controlfields.html#version */
export function compareVersions(left: string, right: string): number {
  const [one, two] = [split(left), split(right)];
  return one.epoch - two.epoch || comparePart(one.upstream, two.upstream) || comparePart(one.revision, two.revision);
}

function split(version: string): { readonly epoch: number; readonly upstream: string; readonly revision: string } {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? 0 : Number(version.slice(0, colon)),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '' : rest.slice(dash + 1),
  };
}

/** Letters sort before other characters; the tilde sorts before everything, even the end. */
function weight(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256;
}

function comparePart(left: string, right: string): number {
  let [one, two] = [left, right];
  while (one !== '' || two !== '') {
    const [ownText, otherText] = [/^\D*/.exec(one)?.[0] ?? '', /^\D*/.exec(two)?.[0] ?? ''];
    for (let index = 0; index < Math.max(ownText.length, otherText.length); index += 1) {
      const difference = weight(ownText[index]) - weight(otherText[index]);
      if (difference !== 0) return difference;
    }
    [one, two] = [one.slice(ownText.length), two.slice(otherText.length)];
    const [ownDigits, otherDigits] = [/^\d*/.exec(one)?.[0] ?? '', /^\d*/.exec(two)?.[0] ?? ''];
    const difference = Number(ownDigits || '0') - Number(otherDigits || '0');
    if (difference !== 0) return difference;
    [one, two] = [one.slice(ownDigits.length), two.slice(otherDigits.length)];
  }
  return 0;
}

/** Whether a version satisfies `name=wanted`; `*` matches anything. */
export function versionMatches(wanted: string, version: string): boolean {
  const expression = wanted.replaceAll(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${expression}$`).test(version);
}
