import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { publicKeyDer, publicKeyPem } from '../world/cluster/pki.ts';
import { toText } from '../world/files/bytes.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok } from './shell/command.ts';

/** Returns the value of an option; openssl's options begin with one dash. */
function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`-${name}`);
  return at < 0 ? undefined : (args[at + 1] ?? '');
}

async function input(args: readonly string[], context: CommandContext): Promise<string | Output> {
  const file = option(args, 'in');
  if (file === undefined) return context.stdin();
  const path = context.path(file);
  if (!context.files.exists(path)) {
    return failure(
      1,
      `Can't open ${file} for reading, No such file or directory\n40F7:error:80000002:system library:BIO_new_file:No such file or directory:../crypto/bio/bss_file.c:67:calling fopen(${file}, r)`,
    );
  }
  return context.files.read(path);
}

async function x509(args: readonly string[], context: CommandContext): Promise<Output> {
  const bytes = await input(args, context);
  if (typeof bytes !== 'string') return bytes;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(toText(bytes));
  } catch {
    return failure(1, `Could not read certificate from ${option(args, 'in') ?? '<stdin>'}\nUnable to load certificate`);
  }
  const has = (name: string) => args.includes(`-${name}`);
  let stdout = '';
  if (has('subject')) stdout += `subject=${certificate.subject.replaceAll('\n', ', ').replaceAll('=', ' = ')}\n`;
  if (has('issuer')) stdout += `issuer=${certificate.issuer.replaceAll('\n', ', ').replaceAll('=', ' = ')}\n`;
  if (has('startdate') || has('dates')) stdout += `notBefore=${certificate.validFrom}\n`;
  if (has('enddate') || has('dates')) stdout += `notAfter=${certificate.validTo}\n`;
  if (has('fingerprint')) stdout += `sha256 Fingerprint=${certificate.fingerprint256}\n`;
  if (has('ext') || has('text'))
    stdout += `X509v3 Subject Alternative Name: \n    ${certificate.subjectAltName ?? ''}\n`;
  if (has('pubkey')) stdout += publicKeyPem(toText(bytes));
  if (has('checkend')) {
    const good = Date.parse(certificate.validTo) > Date.now() + Number(option(args, 'checkend')) * 1000;
    return { stdout: `${stdout}Certificate will ${good ? 'not ' : ''}expire\n`, exitCode: good ? 0 : 1 };
  }
  return ok(has('noout') ? stdout : stdout + toText(bytes));
}

async function pkey(name: string, args: readonly string[], context: CommandContext): Promise<Output> {
  const bytes = await input(args, context);
  if (typeof bytes !== 'string') return bytes;
  try {
    const der = publicKeyDer(toText(bytes));
    if (option(args, 'outform')?.toLowerCase() === 'der') return { stdout: der.toString('latin1'), binary: true };
    return ok(args.includes('-noout') ? '' : toText(bytes));
  } catch {
    return failure(1, name === 'rsa' ? 'Not an RSA key' : 'Could not read key from <stdin>');
  }
}

async function digest(args: readonly string[], context: CommandContext): Promise<Output> {
  const file = args.find((argument, index) => index > 0 && !argument.startsWith('-'));
  const bytes = file === undefined ? await context.stdin() : context.files.read(context.path(file));
  const hash = createHash('sha256').update(Buffer.from(bytes, 'latin1'));
  if (args.includes('-binary')) return { stdout: hash.digest().toString('latin1'), binary: true };
  return ok(`SHA2-256(${file ?? 'stdin'})= ${hash.digest('hex')}\n`);
}

async function openssl(args: readonly string[], context: CommandContext): Promise<Output> {
  const [verb = '', ...rest] = args;
  switch (verb) {
    case 'version':
      return ok('OpenSSL 3.0.2 15 Mar 2022 (Library: OpenSSL 3.0.2 15 Mar 2022)\n');
    case 'x509':
      return x509(rest, context);
    case 'pkey':
    case 'rsa':
    case 'ec':
      return pkey(verb, rest, context);
    case 'dgst':
    case 'sha256':
      return digest(args, context);
    case 'rand': {
      const count = Number(rest.at(-1) ?? '0');
      const bytes = randomBytes(Number.isFinite(count) ? count : 0);
      if (rest.includes('-hex')) return ok(`${bytes.toString('hex')}\n`);
      if (rest.includes('-base64')) return ok(`${bytes.toString('base64')}\n`);
      return { stdout: bytes.toString('latin1'), binary: true };
    }
    default:
      return failure(1, `Invalid command '${verb}'; type "help" for a list.`);
  }
}

export const OPENSSL: CommandTable = { openssl: { run: openssl } };
