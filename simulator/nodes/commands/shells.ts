import { type CommandContext, type CommandTable, type Finished, failure, type Output, ok } from '../shell/command.ts';
import { ROOT_PATH } from '../shell/shell.ts';

const passed = (result: Finished): Output => ({ ...result, binary: true });

async function shell(name: string, args: readonly string[], context: CommandContext): Promise<Output> {
  let options = '';
  let text: string | undefined;
  let index = 0;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') {
      index += 1;
      break;
    }
    if (!argument.startsWith('-') && !argument.startsWith('+')) break;
    if (argument.startsWith('--')) {
      if (argument === '--version') return ok('GNU bash, version 5.1.16(1)-release (x86_64-pc-linux-gnu)\n');
      continue;
    }
    const letters = argument.slice(1);
    if (letters.endsWith('o')) {
      index += 1;
      options += `set ${argument.slice(0, -1) === '-' ? '' : `${argument.slice(0, -1)}; set `}-o ${args[index] ?? ''}; `;
      continue;
    }
    const own = letters.replaceAll(/[clis]/g, '');
    if (own !== '') options += `set ${argument.charAt(0)}${own}; `;
    if (letters.includes('c')) {
      index += 1;
      text = args[index] ?? '';
      index += 1;
      break;
    }
    if (letters.includes('s')) {
      index += 1;
      break;
    }
  }
  const rest = args.slice(index);
  if (text !== undefined) {
    return passed(await context.script(options + text, rest.length > 0 ? rest : [name]));
  }
  const readsScript = rest.length === 0 || args.slice(0, index).some((argument) => /^-\w*s\w*$/.test(argument));
  if (readsScript)
    return passed(await context.script(options + (await inputText(context)), [name, ...rest], { stdin: '' }));
  const [file = '', ...positional] = rest;
  const path = context.path(file);
  if (!context.files.exists(path)) return failure(127, `${name}: ${file}: No such file or directory`);
  return passed(await context.script(options + context.files.readText(path), [file, ...positional]));
}

async function inputText(context: CommandContext): Promise<string> {
  return Buffer.from(await context.stdin(), 'latin1').toString('utf8');
}

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

async function sudo(args: readonly string[], context: CommandContext): Promise<Output> {
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

/** `5`, `5s`, `2m`, `1h`, `1d` in seconds. */
export function durationSeconds(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  if (amount === undefined) return Number.NaN;
  return Number(amount) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit || 's'] ?? 1);
}

async function timeout(args: readonly string[], context: CommandContext): Promise<Output> {
  let index = 0;
  let preserve = false;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-k' || argument === '-s') index += 1;
    else if (argument === '--preserve-status') preserve = true;
    else if (!argument.startsWith('-')) break;
  }
  const limit = durationSeconds(args[index] ?? '');
  const command = args.slice(index + 1);
  if (Number.isNaN(limit)) return failure(125, `timeout: invalid time interval ‘${args[index] ?? ''}’`);
  if (command.length === 0) return failure(125, 'timeout: missing operand');
  if (limit === 0) return passed(await context.run(command));
  const over = new AbortController();
  const done = new AbortController();
  const alarm = context.world.clock
    .sleep(limit, AbortSignal.any([done.signal, context.signal]))
    .then(() => over.abort())
    .catch(() => {});
  const result = await context.run(command, { signal: over.signal });
  done.abort();
  await alarm;
  if (over.signal.aborted) return { ...passed(result), exitCode: preserve ? 143 : 124 };
  return passed(result);
}

async function env(args: readonly string[], context: CommandContext): Promise<Output> {
  const variables: Record<string, string> = {};
  let base: Record<string, string> = { ...context.env };
  let index = 0;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-i' || argument === '-') base = {};
    else if (argument === '-u') {
      index += 1;
      delete base[args[index] ?? ''];
    } else if (/^[A-Za-z_]\w*=/.test(argument)) {
      const equals = argument.indexOf('=');
      variables[argument.slice(0, equals)] = argument.slice(equals + 1);
    } else break;
  }
  const all = { ...base, ...variables };
  const command = args.slice(index);
  if (command.length === 0) {
    return ok(
      Object.entries(all)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  }
  return passed(await context.run(command, { env: all }));
}

/** The lock is the file's name: who holds it makes others wait, in simulated time. */
async function flock(args: readonly string[], context: CommandContext): Promise<Output> {
  let index = 0;
  let wait = Number.POSITIVE_INFINITY;
  let conflictCode = 1;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-w' || argument === '--timeout' || argument === '--wait') {
      index += 1;
      wait = Number(args[index] ?? '0');
    } else if (argument === '-E') {
      index += 1;
      conflictCode = Number(args[index] ?? '1');
    } else if (argument === '-n' || argument === '--nonblock') wait = 0;
    else if (!argument.startsWith('-')) break;
  }
  const target = args[index] ?? '';
  const command = args.slice(index + 1);
  // A descriptor of a shell that ends before anybody else looks: nothing to hold.
  if (/^\d+$/.test(target) && command.length === 0) return ok();
  const path = context.path(target);
  if (!context.files.exists(path)) context.files.write(path, '');
  const { locks } = context.node;
  const limit = context.world.clock.elapsed() + wait;
  for (let holder = locks.get(path); holder; holder = locks.get(path)) {
    const left = limit - context.world.clock.elapsed();
    if (left <= 0) return failure(conflictCode, '');
    await Promise.race([holder, context.sleep(Math.min(left, 3600))]);
  }
  let release = () => {};
  locks.set(
    path,
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  try {
    const run = command[0] === '-c' ? ['sh', '-c', command[1] ?? ''] : command;
    return passed(await context.run(run));
  } finally {
    locks.delete(path);
    release();
  }
}

async function nohup(args: readonly string[], context: CommandContext): Promise<Output> {
  return passed(await context.run(args.filter((argument, index) => index > 0 || !argument.startsWith('-'))));
}

/** Traps on EXIT, ERR … are not simulated: a script that relies on one would behave differently, so it is told. */
function trap(args: readonly string[]): Output {
  const signals = args.slice(1);
  if (signals.every((signal) => /^(SIG)?(INT|TERM|HUP|PIPE|QUIT)$/.test(signal)) || args[0] === '-') return ok();
  return failure(1, `trap: ${signals.join(' ')}: not simulated here`);
}

export const SHELLS: CommandTable = {
  sh: { run: (args, context) => shell('sh', args, context), passesThrough: true },
  bash: { run: (args, context) => shell('bash', args, context), passesThrough: true },
  sudo: { run: sudo, passesThrough: true },
  timeout: { run: timeout, passesThrough: true, seconds: () => 0 },
  env: { run: env, passesThrough: true },
  flock: { run: flock, passesThrough: true },
  nohup: { run: nohup, passesThrough: true },
  setsid: { run: nohup, passesThrough: true },
  xargs: { passesThrough: true },
  time: { builtin: true, passesThrough: true, run: async (args, context) => passed(await context.run(args)) },
  trap: { builtin: true, run: trap },
  umask: {
    builtin: true,
    run: ([mode], context) => {
      if (mode === undefined) return ok(`${context.umask.toString(8).padStart(4, '0')}\n`);
      if (!/^[0-7]{1,4}$/.test(mode)) return failure(1, `bash: umask: ${mode}: invalid symbolic mode operator`);
      context.setUmask(Number.parseInt(mode, 8));
      return ok();
    },
  },
  ulimit: { builtin: true, run: () => ok('unlimited\n') },
  echo: { builtin: true },
  printf: { builtin: true },
  pwd: { builtin: true },
  true: { builtin: true },
  false: { builtin: true },
  history: { builtin: true },
  alias: { builtin: true },
  unalias: { builtin: true },
  jobs: { builtin: true, run: () => ok() },
  __background: {
    builtin: true,
    run: ([text = ''], context) => {
      context.detach(text);
      return ok();
    },
  },
  sleep: {
    run: async (args, context) => {
      const seconds = args.reduce((sum, argument) => sum + durationSeconds(argument), 0);
      if (Number.isNaN(seconds)) return failure(1, `sleep: invalid time interval ‘${args.join(' ')}’`);
      await context.sleep(seconds);
      return ok();
    },
  },
  printenv: {
    run: ([name], { env: all }) => {
      if (name === undefined)
        return ok(
          Object.entries(all)
            .map(([key, value]) => `${key}=${value}\n`)
            .join(''),
        );
      const value = all[name];
      return value === undefined ? failure(1, '') : ok(`${value}\n`);
    },
  },
};
