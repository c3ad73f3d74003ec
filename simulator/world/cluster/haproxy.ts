import type { SimNode } from '../world.ts';

export interface HaproxyConfig {
  readonly frontends: readonly { readonly name: string; readonly port: number; readonly backend: string }[];
  readonly backends: Readonly<
    Record<string, readonly { readonly name: string; readonly host: string; readonly port: number }[]>
  >;
}

const SECTIONS = /^(global|defaults|frontend|backend|listen|userlist|peers|cache|resolvers|ring)\b/;
const KEYWORDS = new Set(
  'log maxconn user group stats chroot daemon tune nbthread mode option retries timeout bind default_backend use_backend balance http-check default-server server acl tcp-request http-request tcp-check errorfile description ssl-default-bind-options ssl-default-bind-ciphers ssl-default-bind-ciphersuites ca-base crt-base no cpu-map pidfile hard-stop-after stick-table stick compression'.split(
    ' ',
  ),
);

const CONFIG = '/etc/haproxy/haproxy.cfg';

/** The output of `haproxy -c`, in the words of HAProxy 2.4 and 2.6 (recorded/nodes/haproxy-c.txt). */
export interface HaproxyCheck {
  readonly exitCode: 0 | 1 | 2;
  readonly alerts: readonly string[];
  readonly config: HaproxyConfig;
}

/** Checks a configuration. @param resolves whether the machine can resolve a host name */
export function checkHaproxy(text: string, path: string, resolves: (host: string) => boolean): HaproxyCheck {
  const frontends: { name: string; port: number; backend: string }[] = [];
  const backends: Record<string, { name: string; host: string; port: number }[]> = {};
  const alerts: string[] = [];
  const seen = new Map<string, number>();
  let section = '';
  let name = '';
  let unresolved = false;
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const words = raw
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    const [keyword = '', first = ''] = words;
    if (keyword === '') return;
    if (SECTIONS.test(keyword) && !/^\s/.test(raw)) {
      section = keyword;
      name = first;
      if (keyword === 'backend' || keyword === 'listen') backends[first] ??= [];
      if (keyword === 'frontend' || keyword === 'listen') {
        frontends.push({ name: first, port: 0, backend: keyword === 'listen' ? first : '' });
      }
      return;
    }
    if (!KEYWORDS.has(keyword)) {
      alerts.push(`parsing [${path}:${line}] : unknown keyword '${keyword}' in '${section}' section`);
      return;
    }
    const frontend = frontends.at(-1);
    if (keyword === 'bind' && frontend) frontend.port = Number(first.split(':').at(-1));
    if (keyword === 'default_backend' && frontend) frontend.backend = first;
    if (keyword !== 'server') return;
    const earlier = seen.get(`${name}/${first}`);
    if (earlier !== undefined) {
      alerts.push(
        `parsing [${path}:${line}] : backend '${name}', another server named '${first}' was already defined at line ${earlier}, please use distinct names.`,
      );
    }
    seen.set(`${name}/${first}`, line);
    const [host = '', port = '0'] = (words[2] ?? '').split(':');
    if (!resolves(host)) {
      unresolved = true;
      alerts.push(`[${path}:${line}] : 'server ${name}/${first}' : could not resolve address '${host}'.`);
    }
    backends[name]?.push({ name: first, host, port: Number(port) });
  });
  const config = { frontends, backends };
  if (text !== '' && !text.endsWith('\n')) {
    const lines = text.split('\n');
    alerts.push(
      `parsing [${path}:${lines.length}]: Missing LF on last line, file might have been truncated at position ${(lines.at(-1)?.length ?? 0) + 1}.`,
    );
  }
  for (const { name: frontend, backend } of frontends) {
    if (backend !== '' && !(backend in backends)) {
      alerts.push(`Proxy '${frontend}': unable to find required default_backend: '${backend}'.`);
    }
  }
  if (alerts.some((alert) => alert.includes('unknown keyword') || alert.includes('Missing LF'))) {
    alerts.push(`Error(s) found in configuration file : ${path}`);
  }
  if (alerts.length > 0) {
    alerts.push(unresolved ? 'Failed to initialize server(s) addr.' : 'Fatal errors found in configuration.');
    return { exitCode: 1, alerts, config };
  }
  // the statistics socket counts as a listener
  const listens = frontends.length > 0 || /^\s*stats socket/m.test(text);
  return { exitCode: listens ? 0 : 2, alerts, config };
}

/** The configuration that the running HAProxy has loaded. */
export function haproxyConfig(node: SimNode): HaproxyConfig | undefined {
  const loaded = node.state.units['haproxy']?.loaded;
  return loaded === undefined ? undefined : checkHaproxy(loaded, CONFIG, () => true).config;
}

/** Returns why haproxy does not start with the configuration file. Undefined when it starts. */
export function haproxyProblem(node: SimNode): string | undefined {
  if (!node.root.exists(CONFIG))
    return `Cannot open configuration file/directory ${CONFIG} : No such file or directory`;
  const check = checkHaproxy(node.root.readText(CONFIG), CONFIG, isResolvable(node));
  return check.exitCode === 0
    ? undefined
    : (check.alerts[0] ?? 'Configuration file has no error but will not start (no listener)');
}

export function isResolvable(node: SimNode): (host: string) => boolean {
  return (host) =>
    /^[\d.]+$/.test(host) ||
    host === 'localhost' ||
    host === node.state.hostname ||
    node.root
      .readText('/etc/hosts')
      .split('\n')
      .some((line) => line.split(/\s+/).slice(1).includes(host));
}
