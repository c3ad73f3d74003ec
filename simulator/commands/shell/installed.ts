import { Bash, type Command } from 'just-bash';
import { installedProgram } from '../../world/files/installed-program.ts';
import { COMMANDS } from '../table.ts';
import { createCommand } from './dispatch.ts';
import type { Run } from './run.ts';

/** just-bash's own commands, created once for all shells. */
const BUNDLED: ReadonlyMap<string, Command> = (
  new Bash({ defenseInDepth: false }) as unknown as { commands: Map<string, Command> }
).commands;

/** The commands of a machine at this moment: those whose executable exists and that the simulator implements. */
export class InstalledCommands extends Map<string, Command> {
  readonly #run: Run;
  readonly #made = new Map<string, Command>();

  constructor(run: Run) {
    super();
    this.#run = run;
  }

  override has(name: string): boolean {
    return COMMANDS[name]?.builtin === true || installedProgram(this.#run.node, name) !== undefined;
  }

  override get(name: string): Command | undefined {
    if (!this.has(name)) return undefined;
    const made = this.#made.get(name) ?? createCommand(this.#run, name, BUNDLED.get(name));
    this.#made.set(name, made);
    return made;
  }

  override keys(): MapIterator<string> {
    return new Set([...Object.keys(COMMANDS), ...BUNDLED.keys()].filter((name) => this.has(name))).keys();
  }
}

/**
 * The hash table of paths, which just-bash reads first. It makes just-bash run a simulated command wherever its file
 * is.
 */
export class InstalledPaths extends Map<string, string> {
  readonly #commands: InstalledCommands;

  constructor(commands: InstalledCommands) {
    super();
    this.#commands = commands;
  }

  override get(name: string): string | undefined {
    return this.#commands.has(name) ? `/bin/${name}` : undefined;
  }

  override set(): this {
    return this;
  }

  override delete(): boolean {
    return false;
  }
}
