/**
 * The network of a client, by which limits count. An owner of IPv6 addresses has 2^64 of them, so all of a /64 count as
 * one client. An IPv4 address counts alone, also within IPv6 (`::ffff:192.0.2.1`).
 * @param remoteAddress of the socket; undefined when the client has gone
 */
export function clientNetwork(remoteAddress = ''): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (v4 !== undefined || !remoteAddress.includes(':')) return v4 ?? remoteAddress;
  const [before = '', after] = remoteAddress.replace(/%.*$/, '').split('::');
  const left = groupsOf(before);
  const right = groupsOf(after ?? '');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
