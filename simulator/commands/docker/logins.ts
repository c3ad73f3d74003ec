import type { CommandContext } from '../shell/command.ts';

/** The logins of a user that `docker login` keeps, `~/.docker/config.json`. */
type Auths = Readonly<Record<string, { readonly auth?: string }>>;

function directoryOf({ env }: CommandContext): string {
  return `${env['HOME'] ?? '/root'}/.docker`;
}

function readAuths(context: CommandContext): Auths {
  const path = `${directoryOf(context)}/config.json`;
  if (!context.files.exists(path)) return {};
  return (JSON.parse(context.files.readText(path)) as { readonly auths?: Auths }).auths ?? {};
}

function writeAuths(context: CommandContext, auths: Auths): void {
  const directory = directoryOf(context);
  context.files.makeDirectory(directory, true);
  context.files.write(`${directory}/config.json`, `${JSON.stringify({ auths }, null, '\t')}\n`, { mode: 0o600 });
}

/** @param auth user and password in base64, as the header has them */
export function keepLogin(context: CommandContext, host: string, auth: string): void {
  writeAuths(context, { ...readAuths(context), [host]: { auth } });
}

export function forgetLogin(context: CommandContext, host: string): void {
  const { [host]: _, ...others } = readAuths(context);
  writeAuths(context, others);
}

/** The Authorization header for a registry. Undefined when the user has no login there. */
export function loginFor(context: CommandContext, host: string): string | undefined {
  const auth = readAuths(context)[host]?.auth;
  return auth === undefined ? undefined : `Basic ${auth}`;
}
