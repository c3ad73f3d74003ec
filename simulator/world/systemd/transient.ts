import { childrenOf, type Entry, entryAt, setEntry } from '../files/tree.ts';
import { log } from '../nodes/node.ts';
import { ROOT_PATH } from '../shell/login.ts';
import { quote } from '../shell/quote.ts';
import type { SimNode } from '../world.ts';
import type { Transient, UnitState } from './unit-state.ts';

/** The units that run in this process, by machine and name. */
const running = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();

function keyOf(node: SimNode, name: string): string {
  return `${node.id} ${node.state.bootId} ${name}`;
}

export interface TransientRequest extends Omit<Transient, 'before' | 'startedAt'> {
  readonly name: string;
  readonly description: string;
}

/** Starts a transient unit. @returns a promise of its end */
export function startTransient(node: SimNode, request: TransientRequest): Promise<void> {
  const { name, description, ...settings } = request;
  const state: UnitState = {
    name,
    description,
    active: 'active',
    enabled: false,
    since: new Date().toISOString(),
    result: 'success',
    exitCode: 0,
    pid: node.nextPid++,
    transient: { ...settings, before: filesOf(node, settings.argv), startedAt: node.world.clock.elapsed() },
  };
  node.state.units[name] = state;
  node.world.ledger.record({
    kind: 'phase',
    where: node.label(),
    what: description,
    detail: { server: node.id, unit: name },
  });
  log(node, `${name}.service`, `Started ${description}.`);
  node.changed();
  node.save();
  return follow(node, state);
}

/** Resumes the units that ran when the simulator's process ended: from their start, with the files of their start. */
export function resumeTransients(node: SimNode): void {
  for (const state of Object.values(node.state.units)) {
    const before = state.transient?.before;
    if (state.active !== 'active' || !state.transient) continue;
    if (before) {
      for (const name of childrenOf(node.tree, before.directory)) {
        if (!(name in before.files)) setEntry(node.tree, `${before.directory}/${name}`, null);
      }
      for (const [name, entry] of Object.entries(before.files)) {
        setEntry(node.tree, `${before.directory}/${name}`, entry as Entry);
      }
    }
    void follow(node, state);
  }
}

function filesOf(node: SimNode, argv: readonly string[]): Transient['before'] {
  const file = argv.find((argument) => argument.startsWith('/') && node.root.exists(argument) && !isProgram(argument));
  if (file === undefined) return null;
  const directory = file.slice(0, file.lastIndexOf('/'));
  const files: Record<string, Entry> = {};
  for (const name of childrenOf(node.tree, directory)) {
    const entry = entryAt(node.tree, `${directory}/${name}`);
    if (entry?.kind === 'file') files[name] = entry;
  }
  return { directory, files };
}

function isProgram(path: string): boolean {
  return /^\/(usr\/|usr\/local\/)?s?bin\//.test(path);
}

function follow(node: SimNode, state: UnitState): Promise<void> {
  const stop = new AbortController();
  const key = keyOf(node, state.name);
  const ended = execute(node, state, stop).finally(() => running.delete(key));
  running.set(key, { stop, ended });
  return ended;
}

async function execute(node: SimNode, state: UnitState, stop: AbortController): Promise<void> {
  const { transient } = state;
  if (!transient) return;
  const done = new AbortController();
  let overtime = false;
  if (transient.runtimeMaxSeconds !== null) {
    const left = transient.startedAt + transient.runtimeMaxSeconds - node.world.clock.elapsed();
    void node.world.clock
      .sleep(Math.max(0, left), done.signal)
      .then(() => {
        overtime = true;
        stop.abort();
      })
      .catch(() => {});
  }
  const power = node.power.signal;
  const write = (bytes: string) => {
    if (power.aborted) return;
    const [how = '', path = ''] = splitOnce(transient.standardOutput, ':');
    if (!['append', 'file', 'truncate'].includes(how)) {
      for (const line of bytes.split('\n').filter(Boolean)) log(node, `${state.name}.service`, line);
      return;
    }
    try {
      node.root.write(path, bytes, {
        append: true,
        ...(node.root.exists(path) ? {} : { mode: 0o666 & ~transient.umask }),
      });
    } catch {
      // the disk is full: the output is lost, as in a real unit
    }
  };
  const exitCode = await node.world.shells.runLive(node, {
    user: 'root',
    text: transient.argv.map(quote).join(' '),
    env: { PATH: ROOT_PATH, LANG: 'C.UTF-8', INVOCATION_ID: node.state.machineId, ...transient.environment },
    cwd: transient.workingDirectory,
    umask: transient.umask,
    signal: stop.signal,
    pid: state.pid,
    sink: write,
  });
  done.abort();
  // The machine was switched off or the simulator stops, so the end of the unit has no observer.
  if (power.aborted) return;
  node.world.ledger.record({
    kind: 'exit',
    where: node.label(),
    what: state.description,
    detail: { server: node.id, unit: state.name, code: exitCode },
  });
  const stopped = stop.signal.aborted;
  state.active = exitCode === 0 || (stopped && !overtime) ? 'inactive' : 'failed';
  state.result = overtime ? 'timeout' : stopped ? 'success' : exitCode === 0 ? 'success' : 'exit-code';
  state.exitCode = exitCode;
  state.since = new Date().toISOString();
  state.pid = 0;
  if (state.active === 'failed') {
    log(node, `${state.name}.service`, `Main process exited, code=exited, status=${exitCode}/FAILURE`);
    log(node, `${state.name}.service`, `Failed with result '${state.result}'.`);
  }
  const forgotten = state.active === 'inactive' ? !transient.remainAfterExit : transient.collect;
  if (forgotten) delete node.state.units[state.name];
  node.changed();
  node.save();
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Ends a unit and waits for its end. */
export async function stopTransient(node: SimNode, name: string): Promise<void> {
  const run = running.get(keyOf(node, name));
  if (!run) return;
  run.stop.abort();
  await run.ended;
}
