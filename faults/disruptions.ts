import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import { waitUntil } from './child.ts';
import type { Cloud } from './cloud.ts';
import type { Disruption, DisruptionKind } from './life-scenario.ts';
import type { Place } from './place.ts';
import type { Victim } from './scenario.ts';
import { isApiServing } from './serving.ts';
import type { World } from './world-view.ts';

/** What a disruption needs. */
export interface Scene {
  readonly place: Place;
  readonly world: World;
  readonly cloud: Cloud;
  /** Ids of the servers in Nova that a fault may strike: no control-plane node of three. */
  victims(): Promise<readonly string[]>;
  /** Ids of servers that a disruption has switched off or deleted. */
  readonly struck: Set<string>;
  /** Ids of the instances of the run. */
  readonly instances: readonly string[];
}

/** The scene, and a place for what is to be said of the run. */
interface Stage extends Scene {
  tell(note: string): void;
}

type Undo = () => Promise<unknown>;
type Strike = (stage: Stage, disruption: Disruption) => Promise<Undo>;

const nothing: Undo = async () => {};
const outage =
  (service: string, effect: object, more: object = {}): Strike =>
  ({ world }) =>
    world.order({ service, effect, ...more });
const onNodes =
  (fault: object): Strike =>
  ({ world }) =>
    world.order(fault);

/** Waits until all serves, and tells what the script had to start, because vnflow did not recover by itself. */
async function recover({ place, tell }: Stage, downMs: number): Promise<void> {
  for (const help of await place.recover(downMs)) tell(help);
}

/** @returns what a power action undoes: the server is switched on again */
const power =
  (action: 'stop' | 'reboot' | 'crash'): Strike =>
  async (scene, { pick }) => {
    const server = await chooseServer(scene, pick);
    if (server === undefined) return nothing;
    scene.struck.add(server);
    await scene.world.power(server, action);
    return action === 'reboot' ? nothing : () => scene.world.power(server, 'start').catch(() => {}); // it may be gone
  };

/**
 * Simulated seconds between the begin of a command and the cut of its session: before a job has been started, while it
 * is being started, and while an activity waits for its end.
 */
const RESET_AFTER = [2, 60, 400] as const;

const STRIKES: Readonly<Record<DisruptionKind, Strike>> = {
  kill: async (stage, { pick, forMs }) => {
    stage.place.kill(victimOf(stage.place, pick));
    return () => recover(stage, Math.min(forMs, 3_000));
  },
  stop: async ({ place }, { pick }) => {
    const wake = place.pause(victimOf(place, pick));
    return async () => wake();
  },
  'host-disk-full': async (stage) => {
    const { fillDisk } = stage.place;
    if (!fillDisk) throw new Error('only root may mount the file system that is to be full');
    const makeRoom = fillDisk();
    return () => {
      makeRoom();
      return recover(stage, 0);
    };
  },
  'heat-outage': outage('heat', { status: 503 }),
  'keystone-outage': outage('keystone', { status: 503 }),
  'nova-outage': outage('nova', { status: 500 }),
  'neutron-outage': outage('neutron', { status: 503 }),
  'cut-connections': outage('heat', { resetConnection: true }),
  'lost-answer': outage('heat', { resetConnection: true, afterSuccess: true }, { method: 'POST', times: 2 }),
  'revoked-token': outage('heat', { status: 401, body: { error: { code: 401, title: 'Unauthorized' } } }, { times: 3 }),
  'slow-cloud': outage('nova', { delaySeconds: 400 }),
  'resource-fails': ({ world, instances }, { pick }) =>
    world.order({
      service: 'heat',
      resourceNameContains: `vnf-${instances[pick % instances.length]}`,
      times: 1,
      effect: { resourceFails: 'No valid host was found.' },
    }),
  'ssh-refused': onNodes({ kind: 'ssh-refused' }),
  'ssh-hangs': onNodes({ kind: 'ssh-hang' }),
  'ssh-reset': ({ world }, { pick }) =>
    world.order({ kind: 'ssh-reset', afterSeconds: RESET_AFTER[pick % RESET_AFTER.length] }),
  'slow-commands': onNodes({ kind: 'command', commandPrefix: 'apt-get', delaySeconds: 800 }),
  unreachable: async (scene, { pick }) => {
    const server = await chooseServer(scene, pick);
    return server === undefined ? nothing : scene.world.order({ kind: 'unreachable', node: server });
  },
  'disk-full': async (scene, { pick }) => {
    const server = await chooseServer(scene, pick);
    return server === undefined ? nothing : scene.world.order({ kind: 'disk-full', node: server });
  },
  'command-fails': onNodes({
    kind: 'command',
    commandPrefix: 'kubeadm join',
    exitCode: 1,
    stderr: 'the connection to the server was refused',
    times: 1,
  }),
  'power-off': power('stop'),
  reboot: power('reboot'),
  'power-cut': power('crash'),
  'server-deleted': async (scene, { pick }) => {
    const server = await chooseServer(scene, pick);
    if (server === undefined) return nothing;
    scene.struck.add(server);
    const url = `${scene.place.simulatorUrl}/compute/v2.1/servers/${server}`;
    const headers = { 'X-Auth-Token': await scene.cloud.token() };
    await axios.delete(url, { headers, proxy: false, validateStatus: () => true });
    return nothing;
  },
};

/** The processes of the place that may be killed or stopped. */
function victimOf({ victims }: Place, pick: number): Victim {
  const able = victims.filter((victim) => victim !== 'none');
  return able[pick % able.length] ?? 'temporal';
}

async function chooseServer({ victims }: Scene, pick: number): Promise<string | undefined> {
  const servers = await victims();
  return servers[pick % Math.max(1, servers.length)];
}

const READY_LIMIT_MS = 240_000;
const OF_PROCESSES = new Set<DisruptionKind>(['kill', 'stop', 'host-disk-full']);

/**
 * Carries out disruptions at their times. Faults of processes come one after the other.
 * @returns when all of them are over, and everything serves again
 */
export async function disrupt(scene: Scene, disruptions: readonly Disruption[]): Promise<readonly string[]> {
  const problems: string[] = [];
  let processes: Promise<void> = Promise.resolve();
  const strike = async (disruption: Disruption) => {
    try {
      const tell = (note: string) => void problems.push(`${disruption.kind}: ${note}`);
      const undo = await STRIKES[disruption.kind]({ ...scene, tell }, disruption);
      await delay(disruption.kind === 'kill' ? 0 : disruption.forMs);
      await undo();
    } catch (error) {
      problems.push(`${disruption.kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await Promise.all(
    disruptions.map(async (disruption) => {
      await delay(disruption.atMs);
      if (!OF_PROCESSES.has(disruption.kind)) return strike(disruption);
      processes = processes.then(() => strike(disruption));
      return processes;
    }),
  );
  await scene.cloud.mendAll();
  const serves = async () => (await Promise.all(scene.place.apiUrls.map(isApiServing))).every(Boolean);
  if (!(await waitUntil(serves, READY_LIMIT_MS))) problems.push('not everything serves again');
  return problems;
}
