import type { View } from '../../world/files/view.ts';
import type { SimNode, World } from '../../world/world.ts';

export interface Output {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** True when stdout holds bytes, one per character, instead of text. */
  readonly binary?: boolean;
}

/** The result of another program; `stdout` holds bytes. */
export type Finished = Required<Omit<Output, 'binary'>>;

/** The environment of a simulated command. */
export interface CommandContext {
  readonly node: SimNode;
  readonly world: World;
  /** The files as the calling user may see them. */
  readonly files: View;
  readonly user: string;
  readonly isRoot: boolean;
  readonly cwd: string;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly pid: number;
  /** Reads standard input as bytes; waits for its end when a client sends it. */
  stdin(): Promise<string>;
  /** Makes a path absolute. */
  path(relative: string): string;
  /** Waits `seconds` of simulated time; rejects when the command is ended. */
  sleep(seconds: number): Promise<void>;
  /** Runs another program with these arguments, as the calling user by default. */
  run(argv: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a shell script with these positional parameters, `$0` first. */
  script(text: string, positional: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts a shell script in the background. */
  detach(text: string, options?: RunOptions): void;
  readonly umask: number;
  /** Sets the umask of this shell. */
  setUmask(umask: number): void;
  /** Runs just-bash's command of this name. */
  original(args: readonly string[]): Promise<Output>;
}

export interface RunOptions {
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Bytes. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

export interface CommandSpec {
  /** Runs the command. Undefined when just-bash's command of this name runs. */
  readonly run?: (args: readonly string[], context: CommandContext) => Promise<Output> | Output;
  /** Duration in simulated seconds, for commands that the latency table does not contain. */
  readonly seconds?: (args: readonly string[], context: CommandContext) => number | undefined;
  /** True for a built-in of the shell: it has no process and no entry in the ledger. */
  readonly builtin?: boolean;
  /** True when the command starts another program and passes its output through: sudo, timeout, sh … */
  readonly passesThrough?: boolean;
}

export type CommandTable = Readonly<Record<string, CommandSpec>>;

export function ok(stdout = ''): Output {
  return { stdout, stderr: '', exitCode: 0 };
}

export function failure(exitCode: number, stderr: string, stdout = ''): Output {
  return { stdout, stderr: stderr === '' || stderr.endsWith('\n') ? stderr : `${stderr}\n`, exitCode };
}

/** Options and operands of a command line, as most tools read them. */
export interface Arguments {
  /** The last value of each option; '' for an option without a value. */
  readonly options: ReadonlyMap<string, string>;
  /** All values, in order. */
  readonly all: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  has(...names: string[]): boolean;
  value(...names: string[]): string | undefined;
}

/** @param takesValue names (with dashes) of options followed by a value, unless given as `--name=value` */
export function parseArguments(args: readonly string[], takesValue: ReadonlySet<string>): Arguments {
  const all = new Map<string, string[]>();
  const operands: string[] = [];
  const add = (name: string, value: string) => all.set(name, [...(all.get(name) ?? []), value]);
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      operands.push(argument);
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    if (equals > 0) add(argument.slice(0, equals), argument.slice(equals + 1));
    else if (takesValue.has(argument)) {
      index += 1;
      add(argument, args[index] ?? '');
    } else if (!argument.startsWith('--') && argument.length > 2 && takesValue.has(argument.slice(0, 2))) {
      add(argument.slice(0, 2), argument.slice(2));
    } else if (!argument.startsWith('--') && argument.length > 2) {
      for (const letter of argument.slice(1, -1)) add(`-${letter}`, '');
      const last = `-${argument.at(-1)}`;
      if (takesValue.has(last)) {
        index += 1;
        add(last, args[index] ?? '');
      } else add(last, '');
    } else add(argument, '');
  }
  const options = new Map([...all].map(([name, values]) => [name, values.at(-1) ?? '']));
  return {
    options,
    all,
    operands,
    has: (...names) => names.some((name) => options.has(name)),
    value: (...names) => names.map((name) => options.get(name)).find((value) => value !== undefined),
  };
}
