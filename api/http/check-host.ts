import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { VnflowError } from '../../domain/problems.ts';

/**
 * Makes the check for a server that listens on loopback: a web page can give its own name the address 127.0.0.1, and
 * its scripts would then read what needs no token. The browser sends the name of the page as `Host`.
 * @param endpoint the URL by which clients reach the API, behind a proxy on this machine perhaps
 * @returns a function that throws VnflowError HOST_NOT_ALLOWED
 */
export function createHostCheck(endpoint: string): (request: Pick<IncomingMessage, 'headers'>) => void {
  const own = hostnameOf(new URL(endpoint).host);
  return ({ headers: { host } }) => {
    if (host === undefined) return; // HTTP/1.0: no browser
    const name = hostnameOf(host);
    if (name !== undefined && (isIP(name) !== 0 || isLocalName(name) || name === own)) return;
    throw new VnflowError('HOST_NOT_ALLOWED', {
      detail: `The API listens on loopback, and not for the host "${host.slice(0, 200)}".`,
    });
  };
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/**
 * Refuses a request with two `Host` headers, as RFC 9112 3.2 wants it: Node.js keeps the first one, a proxy perhaps the
 * other one.
 * @throws VnflowError BAD_REQUEST
 */
export function refuseTwoHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length <= 1) return;
  throw new VnflowError('BAD_REQUEST', { detail: `The request has ${hosts.length} Host headers; send one.` });
}

/** The host of a `Host` header in lower case: without port, brackets, and the dot at its end. */
function hostnameOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
