import { STATUS_CODES } from 'node:http';
import { FileError } from '../world/files/tree.ts';
import { basicAuthorization } from '../world/images/registry-login.ts';
import { curlClient, wgetClient } from '../world/internet/proxy-client.ts';
import { type Answer, type Caller, isNearby, request } from '../world/internet/request.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from './shell/command.ts';

const VALUES = new Set(
  '-o --output --output-dir -w --write-out --retry --retry-delay --retry-max-time --connect-timeout -m --max-time --noproxy -H --header -X --request -d --data --data-raw --data-binary -u --user -x --proxy --cacert --capath -E --cert --key --resolve -A --user-agent -e --referer --url --proto --max-redirs -b -c -T --upload-file --limit-rate -y -Y -C -r --interface -K --config -D --dump-header'.split(
    ' ',
  ),
);

interface Transfer {
  readonly exitCode: number;
  readonly status: number;
  /** The message on standard error, without `curl: (N) `. */
  readonly reason: string;
  readonly body: string;
  /** The header of the answer. Empty without an answer. */
  readonly header: string;
  readonly url: string;
  /** The status of the proxy's answer to CONNECT. */
  readonly connected: number | undefined;
}

const MAX_REDIRECTIONS = 50;

/** Downloads a URL and follows redirections. A fault cuts the body and changes its last byte. */
function transfer(url: string, options: Arguments, { node, world }: CommandContext, caller: Caller): Transfer {
  let at = url;
  let answer: Answer = request(node, at, caller);
  for (let hops = 0; hops < MAX_REDIRECTIONS && answer.kind === 'answer' && answer.location !== undefined; hops += 1) {
    if (!options.has('-L', '--location')) break;
    at = answer.location;
    answer = request(node, at, caller);
  }
  const place = { url: at, connected: answer.connected };
  if (answer.kind === 'failed') {
    return { ...place, exitCode: answer.code, status: 0, reason: answer.reason, body: '', header: '' };
  }
  const { status, challenge } = answer;
  const header = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${challenge === undefined ? '' : `Www-Authenticate: ${challenge}\r\n`}\r\n`;
  if (status >= 400 && options.has('-f', '--fail')) {
    return { ...place, exitCode: 22, status, reason: `The requested URL returned error: ${status}`, body: '', header };
  }
  const spoiled =
    status === 200 && world.faults.take('download-corrupted', node.state, ({ urlPrefix }) => url.startsWith(urlPrefix));
  const body = spoiled ? `${answer.body.slice(0, Math.floor(answer.body.length * 0.9))}\x00` : answer.body;
  return {
    exitCode: 0,
    status,
    reason: '',
    header,
    body: options.has('-I', '--head') ? header : body,
    ...place,
  };
}

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

function mayPass(result: Transfer, options: Arguments): boolean {
  if (options.has('--retry-all-errors')) return result.exitCode !== 0;
  if (result.exitCode === 7) return options.has('--retry-connrefused');
  return result.exitCode === 28 || TRANSIENT.has(result.status);
}

/** Retries like curl: with pauses of 1, 2, 4 … seconds, at most ten minutes. */
async function withRetries(
  url: string,
  options: Arguments,
  context: CommandContext,
  caller: Caller,
): Promise<Transfer & { readonly warnings: string }> {
  const tries = Number(options.value('--retry') ?? '0');
  const fixed = options.value('--retry-delay');
  let warnings = '';
  for (let left = tries, wait = 1; ; left -= 1, wait = Math.min(wait * 2, 600)) {
    const result = transfer(url, options, context, caller);
    if (left <= 0 || !mayPass(result, options)) return { ...result, warnings };
    const seconds = fixed === undefined ? wait : Number(fixed);
    const problem =
      result.exitCode === 7 ? 'connection refused' : result.exitCode === 28 ? 'timeout' : `HTTP error ${result.status}`;
    warnings += `Warning: Problem: ${problem}. Will retry in ${seconds} seconds. ${left} retries left.\n`;
    await context.sleep(seconds);
  }
}

function formatted(format: string, result: Transfer): string {
  const values: Readonly<Record<string, string>> = {
    http_code: String(result.status).padStart(3, '0'),
    response_code: String(result.status).padStart(3, '0'),
    http_connect: String(result.connected ?? 0).padStart(3, '0'),
    size_download: String(result.body.length),
    url_effective: result.url,
    exitcode: String(result.exitCode),
    errormsg: result.reason,
    time_total: '0.100000',
  };
  return format
    .replaceAll(/%\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t');
}

/** Returns the file for the body, or undefined for standard output. */
function targetOf(url: string, index: number, options: Arguments): string | undefined {
  const named = (options.all.get('-o') ?? options.all.get('--output') ?? [])[index];
  const byUrl = options.has('-O', '--remote-name', '--remote-name-all');
  const name = named ?? (byUrl ? url.replace(/[?#].*$/, '').replace(/^.*\//, '') : undefined);
  if (name === undefined || name === '-') return undefined;
  const directory = options.value('--output-dir');
  return directory === undefined ? name : `${directory}/${name}`;
}

/** @returns curl's error, or undefined when the file was written */
function save(path: string, bytes: string, { files }: CommandContext, createDirectories: boolean): string | undefined {
  try {
    const directory = path.slice(0, path.lastIndexOf('/')) || '/';
    if (createDirectories) files.makeDirectory(directory, true);
    files.write(path, bytes);
    return undefined;
  } catch (error) {
    if (error instanceof FileError) return 'Failure writing output to destination';
    throw error;
  }
}

/** @returns the credentials of the request, or undefined when the CA file cannot be read */
async function callerOf(options: Arguments, context: CommandContext): Promise<Caller | undefined> {
  const given = [...(options.all.get('-H') ?? []), ...(options.all.get('--header') ?? [])];
  const lines = given.includes('@-') ? (await context.stdin()).split(/\r?\n/) : given;
  const header = lines.find((line) => /^authorization:/i.test(line));
  const [, user, password = ''] = /^([^:]*):(.*)$/s.exec(options.value('-u', '--user') ?? '') ?? [];
  const authorization =
    header?.replace(/^[^:]*:\s*/, '') ?? (user === undefined ? undefined : basicAuthorization(user, password));
  const insecure = options.has('-k', '--insecure');
  const file = insecure ? undefined : options.value('--cacert');
  const certificate = options.value('-E', '--cert');
  try {
    return {
      proxies: proxiesOf(options, context),
      insecure,
      resolved: resolvedIn(options),
      ...(options.has('--http1.1', '--http1.0') ? { http1: true } : {}),
      ...(authorization === undefined ? {} : { authorization }),
      ...(file === undefined ? {} : { authority: context.files.readText(context.path(file)) }),
      ...(certificate === undefined ? {} : { certificate: context.files.readText(context.path(certificate)) }),
    };
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** `--resolve HOST:PORT:ADDRESS` */
function resolvedIn(options: Arguments): ReadonlyMap<string, string> {
  const given = options.all.get('--resolve') ?? [];
  return new Map(given.map((text) => [text.replace(/:[^:]*$/, ''), text.replace(/^.*:/, '')] as const));
}

function proxiesOf(options: Arguments, { env }: CommandContext): ReturnType<typeof curlClient> {
  const proxy = options.value('-x', '--proxy');
  const noProxy = options.value('--noproxy');
  return curlClient(env, { ...(proxy === undefined ? {} : { proxy }), ...(noProxy === undefined ? {} : { noProxy }) });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v' };

/** The options in the file of `--config`, without dashes: `name = "value"` or `name`, one a line. */
async function withConfig(args: readonly string[], context: CommandContext): Promise<Arguments> {
  const options = parseArguments(args, VALUES);
  const file = options.value('-K', '--config');
  if (file === undefined) return options;
  const text = file === '-' ? await context.stdin() : context.files.readText(context.path(file));
  const more = text.split('\n').flatMap((line) => {
    const [, name, quoted, plain] = /^\s*([a-z-]+)(?:\s*[=:\s]\s*(?:"((?:[^"\\]|\\.)*)"|(\S+)))?\s*$/.exec(line) ?? [];
    if (name === undefined) return [];
    const value = quoted?.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter) ?? plain;
    return value === undefined ? [`--${name}`] : [`--${name}=${value}`];
  });
  return parseArguments([...more, ...args], VALUES);
}

async function curl(args: readonly string[], context: CommandContext): Promise<Output> {
  const options = await withConfig(args, context);
  if (options.has('-V', '--version')) return ok('curl 7.81.0 (x86_64-pc-linux-gnu) libcurl/7.81.0 OpenSSL/3.0.2\n');
  const urls = [...options.operands, ...(options.all.get('--url') ?? [])];
  if (urls.length === 0) return failure(2, "curl: try 'curl --help' or 'curl --manual' for more information");
  const quiet = options.has('-s', '--silent') && !options.has('-S', '--show-error');
  let stdout = '';
  let stderr = '';
  let exitCode = 0;
  const caller = await callerOf(options, context);
  if (caller === undefined) return failure(77, quiet ? '' : 'curl: (77) error setting certificate verify locations');
  for (const [index, url] of urls.entries()) {
    let result = await withRetries(url, options, context, caller);
    const target = targetOf(url, index, options);
    const written = result.exitCode === 0 && target !== undefined;
    const complaint = written
      ? save(context.path(target), result.body, context, options.has('--create-dirs'))
      : undefined;
    if (complaint !== undefined) result = { ...result, exitCode: 23, reason: complaint };
    if (options.value('-D', '--dump-header') === '-') stdout += result.header;
    if (result.exitCode === 0 && target === undefined) stdout += result.body;
    stdout += formatted(options.value('-w', '--write-out') ?? '', result);
    if (!options.has('-s', '--silent')) stderr += result.warnings;
    if (result.exitCode !== 0 && !quiet) stderr += `curl: (${result.exitCode}) ${result.reason}\n`;
    exitCode = result.exitCode;
  }
  return { stdout, binary: true, stderr, exitCode };
}

/** Maps curl's exit codes to wget's. */
const WGET_CODES: Readonly<Record<number, number>> = { 3: 1, 5: 4, 56: 8, 6: 4, 7: 4, 28: 4, 35: 5, 52: 4, 60: 5 };
const WGET_VALUES = new Set(
  '-O --output-document -P --directory-prefix -t --tries -T --timeout -U --header -o -a --post-data'.split(' '),
);

async function wget(args: readonly string[], context: CommandContext): Promise<Output> {
  // `-qO-` is `-q -O -`
  const options = parseArguments(
    args.flatMap((argument) => (/^-q?O./.test(argument) ? ['-q', '-O', argument.replace(/^-q?O/, '')] : [argument])),
    WGET_VALUES,
  );
  if (options.has('-V', '--version')) return ok('GNU Wget 1.21.2 built on linux-gnu.\n');
  if (options.operands.length === 0) return failure(1, 'wget: missing URL\nUsage: wget [OPTION]... [URL]...');
  const follow = parseArguments(['-L'], VALUES);
  const quiet = options.has('-q', '--quiet');
  let stdout = '';
  for (const url of options.operands) {
    const result = transfer(url, follow, context, { proxies: wgetClient(context.env) });
    const { host } = URL.canParse(url) ? new URL(url) : { host: url };
    if (result.exitCode === 6) return failure(4, `wget: unable to resolve host address ‘${host}’`, stdout);
    if (result.exitCode !== 0)
      return failure(WGET_CODES[result.exitCode] ?? 1, quiet ? '' : `failed: ${result.reason}.`, stdout);
    if (result.status >= 400) return failure(8, quiet ? '' : `ERROR ${result.status}: Not Found.`, stdout);
    const name = options.value('-O', '--output-document') ?? url.replace(/[?#].*$/, '').replace(/^.*\//, '');
    if (name === '-') {
      stdout += result.body;
      continue;
    }
    const path = context.path(`${options.value('-P', '--directory-prefix') ?? '.'}/${name}`);
    if (save(name.startsWith('/') ? name : path, result.body, context, true) !== undefined) {
      return failure(3, `${name}: cannot write`, stdout);
    }
  }
  return { stdout, binary: true, stderr: '', exitCode: 0 };
}

/** A machine of the simulated network answers at once; the latency table applies to downloads only. */
function nearbySeconds(values: ReadonlySet<string>): CommandTable[string]['seconds'] {
  return (args, { node }) => {
    const { operands } = parseArguments(args, values);
    return operands.length > 0 && operands.every((url) => isNearby(node, url)) ? 0.05 : undefined;
  };
}

export const CURL: CommandTable = {
  curl: { run: curl, ...withSeconds(nearbySeconds(VALUES)) },
  wget: { run: wget, ...withSeconds(nearbySeconds(WGET_VALUES)) },
};

function withSeconds(seconds: CommandTable[string]['seconds']): Pick<CommandTable[string], 'seconds'> {
  return seconds ? { seconds } : {};
}
