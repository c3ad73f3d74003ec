import type { View } from '../../world/files/view.ts';
import type { SimNode, World } from '../../world/world.ts';

export interface Output {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** stdout holds bytes, one per character, and not text. */
  readonly binary?: boolean;
}

/** What another program did; `stdout` are bytes. */
export type Finished = Required<Omit<Output, 'binary'>>;

/** What a simulated command is given. */
export interface CommandContext {
  readonly node: SimNode;
  readonly world: World;
  /** The files as the calling user sees them. */
  readonly files: View;
  readonly user: string;
  readonly isRoot: boolean;
  readonly cwd: string;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly pid: number;
  /** Standard input as bytes; waits for it to end if it comes from a client. */
  stdin(): Promise<string>;
  /** An absolute path. */
  path(relative: string): string;
  /** Waits so many simulated seconds; rejects when the command is ended. */
  sleep(seconds: number): Promise<void>;
  /** Runs another program with these arguments, as the same user unless said otherwise. */
  run(argv: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a shell script with these positional parameters, `$0` first. */
  script(text: string, positional: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts a shell script that nobody waits for. */
  detach(text: string, options?: RunOptions): void;
  readonly umask: number;
  /** Bits taken away from the mode of what this shell makes from now on. */
  setUmask(umask: number): void;
  /** just-bash's own command of the same name. */
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
  /** Absent: just-bash's own command of this name. */
  readonly run?: (args: readonly string[], context: CommandContext) => Promise<Output> | Output;
  /** Simulated seconds, where the latency table does not know. */
  readonly seconds?: (args: readonly string[], context: CommandContext) => number | undefined;
  /** A built-in of the shell: no process, not in the ledger. */
  readonly builtin?: boolean;
  /** Starts another program whose output passes through: sudo, timeout, sh … */
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
  /** The last value given; '' for an option without a value. */
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
