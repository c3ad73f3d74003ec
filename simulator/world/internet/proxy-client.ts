/** The proxy settings of a program, and how it reads the list of exceptions: each program does it in its own way. */
export interface ProxyClient {
  /** The name of the program in the ledger. */
  readonly program: string;
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** The text of `no_proxy`. */
  readonly exceptions: string;
  readonly isException: (host: string, exceptions: string) => boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy through which a program sends a request. Undefined when it connects directly. */
export function proxyFor(client: ProxyClient | undefined, target: URL): string | undefined {
  const proxy = target.protocol === 'https:' ? client?.https : client?.http;
  if (!client || !proxy) return undefined;
  return client.isException(target.hostname.toLowerCase(), client.exceptions.toLowerCase()) ? undefined : proxy;
}

/** curl 7.81. It ignores HTTP_PROXY, because a CGI script gets a variable of that name from its client. */
export function curlClient(
  env: Environment,
  given: { readonly proxy?: string; readonly noProxy?: string },
): ProxyClient {
  const every = given.proxy ?? env['all_proxy'] ?? env['ALL_PROXY'];
  return {
    program: 'curl',
    http: given.proxy ?? env['http_proxy'] ?? every,
    https: given.proxy ?? env['https_proxy'] ?? env['HTTPS_PROXY'] ?? every,
    exceptions: given.noProxy ?? env['no_proxy'] ?? env['NO_PROXY'] ?? '',
    isException: isExceptionOfCurl,
  };
}

export function wgetClient(env: Environment): ProxyClient {
  return {
    program: 'wget',
    http: env['http_proxy'],
    https: env['https_proxy'],
    exceptions: env['no_proxy'] ?? '',
    isException: (host, exceptions) => words(exceptions).some((word) => host.endsWith(word)),
  };
}

/** A program written in Go: kubectl, kubeadm, cilium, containerd, dockerd. */
export function goClient(program: string, env: Environment): ProxyClient {
  const either = (name: string) => env[name] || env[name.toLowerCase()];
  return {
    program,
    http: either('HTTP_PROXY'),
    https: either('HTTPS_PROXY'),
    exceptions: either('NO_PROXY') ?? '',
    isException: isExceptionOfGo,
  };
}

/**
 * apt.
 * @param settings of apt's configuration, by their names in lower case
 */
export function aptClient(settings: ReadonlyMap<string, string>, env: Environment): ProxyClient {
  const http = settings.get('acquire::http::proxy') ?? env['http_proxy'];
  return {
    program: 'apt',
    http,
    https: settings.get('acquire::https::proxy') ?? settings.get('acquire::http::proxy') ?? env['https_proxy'],
    exceptions: env['no_proxy'] ?? '',
    isException: (host, exceptions) =>
      ['http', 'https'].some((scheme) => settings.get(`acquire::${scheme}::proxy::${host}`) === 'DIRECT') ||
      words(exceptions).some((word) => host.endsWith(word)),
  };
}

function words(exceptions: string): readonly string[] {
  return exceptions.split(/[\s,]+/).filter(Boolean);
}

/** Names match at the border of a label. Networks are no exceptions before curl 7.86. */
function isExceptionOfCurl(host: string, exceptions: string): boolean {
  if (exceptions === '*') return true;
  return words(exceptions)
    .map((word) => word.replace(/^\./, ''))
    .some((word) => host === word || host.endsWith(`.${word}`));
}

/** As golang.org/x/net/http/httpproxy: networks count, and `.example.com` does not contain `example.com`. */
function isExceptionOfGo(host: string, exceptions: string): boolean {
  if (host === 'localhost' || /^127\./.test(host)) return true;
  return exceptions
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
    .some((word) => {
      if (word === '*') return true;
      if (word.includes('/')) return isInNetwork(host, word);
      const name = word.replace(/:\d+$/, '').replace(/^\*\./, '.');
      return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
    });
}

function isInNetwork(host: string, cidr: string): boolean {
  const [base = '', prefix = ''] = cidr.split('/');
  const number = ipv4(host);
  const first = ipv4(base);
  if (number === undefined || first === undefined) return false;
  const size = 2 ** (32 - Number(prefix));
  return Math.floor(number / size) === Math.floor(first / size);
}

function ipv4(text: string): number | undefined {
  if (!/^\d+(\.\d+){3}$/.test(text)) return undefined;
  return text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
}
