import path from 'node:path';
import type { KeptPart } from './keep-alive.ts';
import { identityOf, type ProcessIdentity, stopProcess } from './process-identity.ts';
import { obtainSimulator } from './simulator.ts';
import { obtainTemporal, restartTemporal, type TemporalOptions } from './temporal.ts';
import type { UpOptions } from './up-options.ts';
import { readUpRecord, type UpRecord, writeUpRecord } from './up-record.ts';

/** The child processes of `vnflow up`, and the record about them on the disk. */
export interface Children {
  /** The record of an earlier `up`. Undefined when there was none. */
  readonly before: UpRecord | undefined;
  readonly data: string;
  readonly options: UpOptions;
  record(): UpRecord;
  /** Writes facts to the disk at once, so that the next `up` can adopt the children after a kill -9. */
  keep(facts: Partial<UpRecord>): void;
  /** Stops the children that `vnflow up` has started. */
  identities(): ProcessIdentity[];
  /** How each child is started again. */
  kept(): KeptPart[];
  stop(): Promise<void>;
}

/** @throws Error when this system cannot tell processes apart */
export function createChildren(data: string, options: UpOptions): Children {
  const before = readUpRecord(data);
  let record = firstRecord(before, options);
  const children: Children = {
    before,
    data,
    options,
    record: () => record,
    keep: (facts) => {
      record = { ...record, ...facts };
      writeUpRecord(data, record);
    },
    // the simulator first: its last messages must not reach a vnflow without a Temporal server
    identities: () =>
      [record.launching, record.simulator?.process, record.temporal?.process].filter((found) => found !== undefined),
    kept: () => keptParts(children),
    stop: async () => {
      for (const identity of children.identities()) await stopProcess(identity);
    },
  };
  return children;
}

const SAID = {
  given: 'of TEMPORAL_ADDRESS answers',
  adopted: 'of the earlier run still runs: adopted',
  started: 'started',
};

/** Starts or adopts the children. @throws Error that names the child that did not start */
export async function startChildren(children: Children, apiUrl: string): Promise<void> {
  const outcomes = await Promise.allSettled([startTemporal(children), startSimulator(children, apiUrl)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function temporalOptions({ data, options, keep }: Children): TemporalOptions {
  const { environment, durability, temporalPort: port } = options;
  return { data, environment, durability, port, keep: (temporal) => keep({ temporal }) };
}

async function startTemporal(children: Children): Promise<void> {
  const since = Date.now();
  const { how } = await obtainTemporal(temporalOptions(children), children.before?.temporal);
  children.options.say(`Temporal server ${SAID[how]}${elapsed(since)}`);
}

/** Keeps the simulator from its launch on: a start that is interrupted must end it, too. */
function keepLaunching({ keep }: Children): (launching: ProcessIdentity) => void {
  return (launching) => keep({ launching });
}

async function startSimulator(children: Children, vnfmUrl: string): Promise<void> {
  const { data, options, before, keep } = children;
  const { simulator, speed, hosts, say } = options;
  if (before?.launching) await stopProcess(before.launching);
  if (!simulator) {
    if (before?.simulator) await stopProcess(before.simulator.process);
    return;
  }
  const since = Date.now();
  const launched = keepLaunching(children);
  const { record, how } = await obtainSimulator({ data, speed, hosts, vnfmUrl, launched }, before?.simulator);
  keep({ simulator: record, launching: undefined });
  say(`Simulated OpenStack ${SAID[how]}, ${record.speed} × real time${elapsed(since)}`);
}

function keptParts(children: Children): KeptPart[] {
  const { data, record, keep } = children;
  return [
    {
      name: 'Temporal server',
      log: path.join(data, 'temporal', 'temporal.log'),
      identity: () => record().temporal?.process,
      restart: async () => {
        const { temporal } = record();
        if (temporal) await restartTemporal(temporalOptions(children), temporal);
      },
    },
    {
      name: 'simulated OpenStack',
      log: path.join(data, 'simulator.log'),
      identity: () => record().simulator?.process,
      restart: async () => {
        const { simulator, apiUrl = '' } = record();
        if (!simulator) return;
        const facts = { data, speed: simulator.speed, vnfmUrl: apiUrl, launched: keepLaunching(children) };
        const again = await obtainSimulator(facts, simulator);
        keep({ simulator: again.record, launching: undefined });
        if (again.record.url !== simulator.url || again.record.bastion.port !== simulator.bastion.port)
          throw new Error('another process has its port');
      },
    },
  ];
}

function firstRecord(before: UpRecord | undefined, options: UpOptions): UpRecord {
  const identity = identityOf(process.pid);
  if (!identity) throw new Error('This system does not show when a process started (it has no /proc and no ps).');
  const { temporal, simulator } = before ?? {};
  return {
    process: identity,
    ...(temporal ? { temporal } : {}),
    ...(simulator && options.simulator ? { simulator } : {}),
  };
}

function elapsed(since: number): string {
  return ` (${((Date.now() - since) / 1000).toFixed(1)} s)`;
}
