import { durationSeconds } from './durations.ts';
import { type CommandTable, failure, type Output, ok } from './shell/command.ts';
import { passed, shell } from './shell-programs.ts';
import { sudo } from './sudo.ts';
import { env, flock, nohup, timeout } from './wrappers.ts';

/**
 * Traps on EXIT, ERR … are not simulated. A script that relies on one would behave differently, so `trap` fails loudly.
 */
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
