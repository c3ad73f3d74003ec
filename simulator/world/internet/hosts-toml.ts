/** A registry as `hosts.toml` of containerd names it. */
export interface TomlHost {
  /** `http://host[:port]` or `https://…`. */
  readonly url: string;
  readonly capabilities: readonly string[];
  /** Paths of authorities. */
  readonly ca: readonly string[];
  readonly skipVerify: boolean;
}

const EVERYTHING = ['pull', 'resolve', 'push'];

/**
 * Reads `hosts.toml`: the `[host."URL"]` tables in their order, and `server`, which is tried last.
 * @param fallback the URL of the server when the file names none
 * @returns undefined when the file is not of its form
 */
export function readHostsToml(text: string, fallback: string): readonly TomlHost[] | undefined {
  const tables: { url: string | undefined; values: Record<string, unknown> }[] = [{ url: undefined, values: {} }];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, url] = /^\[host\."([^"]+)"\]$/.exec(line) ?? [];
    if (url !== undefined) {
      tables.push({ url, values: {} });
      continue;
    }
    const [, name, written] = /^([a-z_]+)\s*=\s*(.+)$/.exec(line) ?? [];
    const value = written === undefined ? undefined : readValue(written);
    if (name === undefined || value === undefined) return undefined;
    const table = tables.at(-1);
    if (table) table.values[name] = value;
  }
  const [top, ...hosts] = tables;
  const server = { url: String(top?.values['server'] ?? fallback), values: top?.values ?? {} };
  return [...hosts, server].map(({ url = '', values }) => ({
    url: url.replace(/\/+$/, ''),
    capabilities: listOf(values['capabilities'], EVERYTHING),
    ca: listOf(values['ca'], []),
    skipVerify: values['skip_verify'] === true,
  }));
}

/** A string, a truth value, or a list of strings: what these files have. JSON writes them as TOML does. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text.replace(/\s+#.*$/, '')) as unknown;
  } catch {
    return undefined; // not of the form that these files have
  }
}

function listOf(value: unknown, otherwise: readonly string[]): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : otherwise;
}
