import { FileError } from '../world/files/tree.ts';
import {
  armouredKey,
  binaryKey,
  keyId,
  keysIn,
  type SigningKey,
  withoutArmour,
} from '../world/internet/signing-keys.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from './shell/command.ts';

const VALUES = new Set('-o --output --homedir --keyring --primary-keyring --status-fd --import-options'.split(' '));

function colons(key: SigningKey): string {
  const user = key.user.replaceAll(':', '\\x3a');
  return `pub:-:2048:1:${keyId(key)}:${key.created}:${key.expires ?? ''}::-:::scSC::::::23::0:\nfpr:::::::::${key.fingerprint}:\nuid:-::::${key.created}::::${user}::::::::::0:\n`;
}

function words(key: SigningKey): string {
  const date = (time: number) => new Date(time * 1000).toISOString().slice(0, 10);
  const expires = key.expires === null ? '' : ` [expires: ${date(key.expires)}]`;
  return `pub   rsa2048 ${date(key.created)} [SC]${expires}\n      ${key.fingerprint}\nuid                      ${key.user}\n\n`;
}

async function input(file: string | undefined, context: CommandContext): Promise<string> {
  return file === undefined || file === '-' ? await context.stdin() : context.files.read(context.path(file));
}

const NOTHING = 'gpg: no valid OpenPGP data found.';

/** Shows keys, removes their armour, and takes single keys out of a file. Signatures of files are not simulated. */
async function gpg(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, VALUES);
  if (parsed.has('--version')) return ok('gpg (GnuPG) 2.2.27\nlibgcrypt 1.9.4\n');
  const [file] = parsed.operands;
  const keyring = context.path(`${parsed.value('--homedir') ?? '/root/.gnupg'}/pubring.kbx`);
  if (parsed.has('--export')) return exportKeys(parsed.operands, parsed, { context, keyring });
  let bytes: string;
  try {
    bytes = await input(file, context);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return failure(2, `gpg: can't open '${file ?? ''}': No such file or directory`);
  }
  if (parsed.has('--show-keys', '--show-key')) {
    const keys = keysIn(bytes);
    if (keys.length === 0) return failure(2, NOTHING);
    return ok(keys.map(parsed.has('--with-colons') ? colons : words).join(''));
  }
  if (parsed.has('--import')) return importKeys(bytes, { context, keyring });
  if (parsed.has('--dearmor', '--dearmour'))
    return dearmor(bytes, parsed.value('-o', '--output'), { context, yes: parsed.has('--yes') });
  return failure(2, `gpg: ${args.join(' ')}: not simulated here`);
}

interface Keyring {
  readonly context: CommandContext;
  /** The file of the keyring. */
  readonly keyring: string;
}

/** `gpg --import FILE`: adds all keys of the file to the keyring. */
function importKeys(bytes: string, { context, keyring }: Keyring): Output {
  const keys = keysIn(bytes);
  if (keys.length === 0) return failure(2, `${NOTHING}\ngpg: Total number processed: 0`);
  const held = context.files.exists(keyring) ? context.files.read(keyring) : '';
  try {
    context.files.write(keyring, held + keys.map(binaryKey).join(''));
    return ok();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return failure(2, `gpg: error opening keyring '${keyring}'`);
  }
}

/** `gpg --export FINGERPRINT…`: the keys of the keyring with these fingerprints. */
function exportKeys(wanted: readonly string[], parsed: Arguments, { context, keyring }: Keyring): Output {
  const held = keysIn(context.files.exists(keyring) ? context.files.read(keyring) : '');
  const found = held.filter((key) => wanted.length === 0 || wanted.some((id) => key.fingerprint.endsWith(id)));
  if (found.length === 0) return { stdout: '', stderr: 'gpg: WARNING: nothing exported\n', exitCode: 0 };
  if (parsed.has('--armor', '-a')) return ok(found.map(armouredKey).join(''));
  return { stdout: found.map(binaryKey).join(''), binary: true, stderr: '', exitCode: 0 };
}

function dearmor(
  bytes: string,
  output: string | undefined,
  { context, yes }: { readonly context: CommandContext; readonly yes: boolean },
): Output {
  const plain = withoutArmour(bytes) ?? keysIn(bytes).map(binaryKey).join('');
  if (plain === '') return failure(2, NOTHING);
  if (output === undefined || output === '-') return { stdout: plain, binary: true, stderr: '', exitCode: 0 };
  const path = context.path(output);
  if (context.files.exists(path) && !yes)
    return failure(2, `gpg: cannot open '/dev/tty': No such device or address\ngpg: dearmoring failed: File exists`);
  try {
    context.files.write(path, plain);
    return ok();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return failure(
      2,
      `gpg: can't create '${output}': ${error.code === 'ENOSPC' ? 'No space left on device' : 'No such file or directory'}\ngpg: dearmoring failed: ${error.code === 'ENOSPC' ? 'No space left on device' : 'No such file or directory'}`,
    );
  }
}

export const GPG: CommandTable = { gpg: { run: gpg } };
