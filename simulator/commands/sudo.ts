import { ROOT_PATH } from '../world/shell/login.ts';
import { type CommandContext, failure, type Output, ok } from './shell/command.ts';
import { passed, shell } from './shell-programs.ts';

interface SudoOptions {
  readonly user: string;
  readonly login: boolean;
  readonly keepEnv: boolean;
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

function sudoOptions(args: readonly string[]): SudoOptions | string {
  let user = 'root';
  let login = false;
  let keepEnv = false;
  const variables: Record<string, string> = {};
  let index = 0;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') {
      index += 1;
      break;
    }
    if (argument === '-u' || argument === '--user') {
      index += 1;
      user = args[index] ?? '';
    } else if (argument.startsWith('--user=')) user = argument.slice(7);
    else if (argument === '-E' || argument.startsWith('--preserve-env')) keepEnv = true;
    else if (argument === '-p') index += 1;
    else if (argument.startsWith('--')) continue;
    else if (/^-[niskHSbAv]+$/.test(argument)) login ||= /[is]/.test(argument);
    else if (argument.startsWith('-')) return `sudo: invalid option -- '${argument.slice(1, 2)}'`;
    else if (/^[A-Za-z_]\w*=/.test(argument)) {
      const equals = argument.indexOf('=');
      variables[argument.slice(0, equals)] = argument.slice(equals + 1);
    } else break;
  }
  return { user, login, keepEnv, variables, command: args.slice(index) };
}

export async function sudo(args: readonly string[], context: CommandContext): Promise<Output> {
  if (args.includes('-V') || args.includes('--version')) return ok('Sudo version 1.9.9\n');
  const options = sudoOptions(args);
  if (typeof options === 'string') return failure(1, options);
  const { user, command } = options;
  if (user !== 'root' && !(user in context.node.state.users)) {
    return failure(1, `sudo: unknown user: ${user}\nsudo: error initializing audit plugin sudoers_audit`);
  }
  if (command.length === 0) {
    if (args.some((argument) => /^-\w*[vk]/.test(argument))) return ok();
    if (!options.login) return failure(1, 'usage: sudo -h | -K | -k | -V');
    return shell('bash', [], context);
  }
  const [name = ''] = command;
  const env = {
    ...(options.keepEnv ? context.env : {}),
    HOME: user === 'root' ? '/root' : `/home/${user}`,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
    PATH: `${ROOT_PATH}:/snap/bin`,
    LANG: 'C.UTF-8',
    SUDO_USER: context.user,
    SUDO_UID: context.isRoot ? '0' : '1000',
    SUDO_COMMAND: command.join(' '),
    ...options.variables,
  };
  const cwd = options.login ? { cwd: env.HOME } : {};
  const result = await context.run(command, { user, env, ...cwd });
  if (result.exitCode === 127 && result.stderr === `bash: ${name}: command not found\n`) {
    return failure(1, `sudo: ${name}: command not found`);
  }
  return passed(result);
}
