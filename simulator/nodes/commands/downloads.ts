import { archiveMembers, digestOf, fetchArtefact, isKubernetesKey, KUBERNETES_KEY_FINGERPRINT } from '../artefacts.ts';
import { answerOf } from '../cluster/endpoints.ts';
import { toText } from '../files/bytes.ts';
import { parentOf } from '../files/tree.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';

const CURL_VALUES = new Set(
  '-o --output -w --write-out --retry --retry-delay --connect-timeout -m --max-time --noproxy -H --header -X --request -d --data -u --user -x --proxy --cacert --cert -E --key --resolve -A --retry-max-time -e'.split(
    ' ',
  ),
);

interface Answer {
  readonly status: number;
  readonly body: string;
  /** curl's own exit code and words when there was no answer. */
  readonly broken?: { readonly code: number; readonly text: string };
}

function isLocal(url: string): boolean {
  return /^https?:\/\/(localhost|[\d.]+|\[)/.test(url);
}

function request(url: string, context: CommandContext): Answer {
  let host: string;
  try {
    host = new URL(url).hostname;
  } catch {
    return { status: 0, body: '', broken: { code: 3, text: 'URL using bad/illegal format or missing URL' } };
  }
  if (isLocal(url)) return answerOf(context.node, url);
  const found = fetchArtefact(url);
  if (found === 'no-host') return { status: 0, body: '', broken: { code: 6, text: `Could not resolve host: ${host}` } };
  if (found === 404) return { status: 404, body: 'Not Found' };
  const spoiled = context.world.faults.take('download-corrupted', context.node.state, ({ urlPrefix }) =>
    url.startsWith(urlPrefix),
  );
  return { status: 200, body: spoiled ? `${found.content.slice(0, -9)}\u0000cut` : found.content };
}

function curl(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, CURL_VALUES);
  if (parsed.has('-V', '--version')) return ok('curl 7.81.0 (x86_64-pc-linux-gnu) libcurl/7.81.0 OpenSSL/3.0.2\n');
  if (parsed.operands.length === 0) return failure(2, "curl: try 'curl --help' for more information");
  const quiet = parsed.has('-s', '--silent') && !parsed.has('-S', '--show-error');
  let stdout = '';
  for (const url of parsed.operands) {
    const answer = request(url, context);
    const formatted = (parsed.value('-w', '--write-out') ?? '')
      .replaceAll('%{http_code}', String(answer.status).padStart(3, '0'))
      .replaceAll('\\n', '\n');
    if (answer.broken) {
      const { code, text } = answer.broken;
      return { stdout: stdout + formatted, stderr: quiet ? '' : `curl: (${code}) ${text}\n`, exitCode: code };
    }
    if (parsed.has('-f', '--fail') && answer.status >= 400) {
      const text = `curl: (22) The requested URL returned error: ${answer.status}\n`;
      return { stdout: stdout + formatted, stderr: quiet ? '' : text, exitCode: 22 };
    }
    const name = url.slice(url.lastIndexOf('/') + 1);
    const file =
      parsed.value('-o', '--output') ?? (parsed.has('-O', '--remote-name', '--remote-name-all') ? name : undefined);
    if (file === undefined || file === '-') stdout += answer.body;
    else {
      const path = context.path(file);
      if (!context.files.exists(parentOf(path))) {
        return failure(23, `curl: (23) Failure writing output to destination`);
      }
      context.files.write(path, answer.body);
    }
    stdout += formatted;
  }
  return { stdout, binary: true, stderr: '', exitCode: 0 };
}

function curlSeconds(args: readonly string[]): number | undefined {
  const urls = parseArguments(args, CURL_VALUES).operands;
  return urls.length > 0 && urls.every(isLocal) ? 0.05 : undefined;
}

async function sha256sum(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set());
  const content = async (name: string) =>
    name === '-' ? await context.stdin() : context.files.read(context.path(name));
  const names = parsed.operands.length > 0 ? parsed.operands : ['-'];
  if (!parsed.has('-c', '--check')) {
    let stdout = '';
    for (const name of names) {
      if (name !== '-' && !context.files.exists(context.path(name))) {
        return failure(1, `sha256sum: ${name}: No such file or directory`, stdout);
      }
      stdout += `${digestOf(await content(name))}  ${name}\n`;
    }
    return ok(stdout);
  }
  let stdout = '';
  let wrong = 0;
  let checked = 0;
  for (const list of names) {
    for (const line of toText(await content(list)).split('\n')) {
      const [, digest, name] = /^([0-9a-f]{64})[ *]+(.*)$/.exec(line) ?? [];
      if (digest === undefined || name === undefined) continue;
      if (!context.files.exists(context.path(name))) {
        if (parsed.has('--ignore-missing')) continue;
        stdout += `${name}: FAILED open or read\n`;
        wrong += 1;
        continue;
      }
      checked += 1;
      const good = digestOf(context.files.read(context.path(name))) === digest;
      if (!good) wrong += 1;
      if (!good || !parsed.has('--quiet')) stdout += `${name}: ${good ? 'OK' : 'FAILED'}\n`;
    }
  }
  if (checked + wrong === 0)
    return failure(1, `sha256sum: ${names[0]}: no properly formatted SHA256 checksum lines found`);
  const shown = parsed.has('--status') ? '' : stdout;
  if (wrong === 0) return ok(shown);
  return failure(1, `sha256sum: WARNING: ${wrong} computed checksum${wrong > 1 ? 's' : ''} did NOT match`, shown);
}

async function tar(args: readonly string[], context: CommandContext): Promise<Output> {
  const first = args[0] ?? '';
  const dashed = first.startsWith('-') ? args : [`-${first}`, ...args.slice(1)];
  const parsed = parseArguments(
    dashed,
    new Set(['-C', '--directory', '-f', '--file', '--strip-components', '--exclude', '--owner', '--group']),
  );
  const file = parsed.value('-f', '--file');
  if (!parsed.has('-x', '--extract', '-t', '--list') || file === undefined) return context.original(args);
  const path = context.path(file);
  if (file !== '-' && !context.files.exists(path)) {
    return failure(
      2,
      `tar (child): ${file}: Cannot open: No such file or directory\ntar (child): Error is not recoverable: exiting now\ntar: Child returned status 2\ntar: Error is not recoverable: exiting now`,
    );
  }
  const members = archiveMembers(toText(file === '-' ? await context.stdin() : context.files.read(path)));
  if (!members) return context.original(args);
  const strip = Number(parsed.value('--strip-components') ?? '0');
  const directory = context.path(parsed.value('-C', '--directory') ?? '.');
  if (!context.files.exists(directory)) {
    return failure(
      2,
      `tar: ${directory}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now`,
    );
  }
  const wanted = parsed.operands;
  let stdout = '';
  for (const [member, content] of Object.entries(members)) {
    if (wanted.length > 0 && !wanted.some((name) => member === name || member.startsWith(`${name}/`))) continue;
    if (parsed.has('-v', '-t')) stdout += `${member}\n`;
    if (parsed.has('-t', '--list')) continue;
    const target = `${directory}/${member.split('/').slice(strip).join('/')}`;
    context.files.makeDirectory(parentOf(target), true);
    context.files.remove(target, { recursive: false, force: true });
    context.files.write(target, content, { mode: 0o755 });
  }
  const missing = wanted.filter(
    (name) => !Object.keys(members).some((member) => member === name || member.startsWith(`${name}/`)),
  );
  if (missing.length > 0) {
    return failure(
      2,
      `tar: ${missing[0]}: Not found in archive\ntar: Exiting with failure status due to previous errors`,
      stdout,
    );
  }
  return ok(stdout);
}

async function gpg(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set(['-o', '--output', '--homedir', '--keyring', '--no-default-keyring']));
  const [file] = parsed.operands;
  const input = file === undefined || file === '-' ? await context.stdin() : context.files.read(context.path(file));
  const known = isKubernetesKey(toText(input));
  if (parsed.has('--show-keys', '--import-options')) {
    if (!known) return failure(2, 'gpg: no valid OpenPGP data found.');
    if (!parsed.has('--with-colons'))
      return ok(
        `pub   rsa2048 2022-08-25 [SC]\n      ${KUBERNETES_KEY_FINGERPRINT}\nuid   isv:kubernetes OBS Project <isv:kubernetes@build.opensuse.org>\n`,
      );
    return ok(
      `pub:-:2048:1:234654DA9A296436:1661426161:1861426161::-:::scSC::::::23::0:\nfpr:::::::::${KUBERNETES_KEY_FINGERPRINT}:\nuid:-::::1661426161::::isv\\x3akubernetes OBS Project <isv\\x3akubernetes@build.opensuse.org>::::::::::0:\n`,
    );
  }
  if (!parsed.has('--dearmor')) return failure(2, 'gpg: this way of calling gpg is not simulated');
  if (!known) return failure(2, 'gpg: no valid OpenPGP data found.');
  const output = parsed.value('-o', '--output');
  if (output === undefined) return ok(toText(input));
  const target = context.path(output);
  if (context.files.exists(target) && !parsed.has('--yes', '--batch'))
    return failure(2, `gpg: dearmoring failed: File exists`);
  context.files.write(target, input);
  return ok();
}

export const DOWNLOADS: CommandTable = {
  curl: { run: curl, seconds: curlSeconds },
  wget: {
    run: (args, context) =>
      curl(
        args.map((argument) => (argument === '-O' ? '-o' : argument === '-q' ? '-s' : argument)),
        context,
      ),
    seconds: () => 4,
  },
  sha256sum: { run: sha256sum },
  tar: { run: tar },
  gpg: { run: gpg },
};
