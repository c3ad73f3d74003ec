import { setTimeout as delay } from 'node:timers/promises';
import type { Witnesses } from './evidence.ts';
import {
  CONTROL_PLANE,
  healBody,
  instantiateBody,
  type ServerFact,
  scaleBody,
  serversOf,
  vduOf,
} from './life-requests.ts';
import type { Life, LifeOrder } from './life-scenario.ts';
import type { Beginning, InstanceBody } from './vnfm.ts';
import type { World } from './world-view.ts';

/** An operation as a client saw it, for the checks of the world. */
export interface Act {
  readonly instance: string;
  readonly order: LifeOrder;
  readonly operation: string;
  /** Wall-clock times between which it ran. */
  readonly from: string;
  readonly to: string;
  readonly before: readonly ServerFact[];
  readonly after: readonly ServerFact[];
  /** The state in which it came to rest. */
  readonly state: string;
}

/** An instance of a run. */
export interface Subject {
  readonly instance: string;
  readonly life: Life;
  readonly acts: Act[];
  /** All servers that the API has shown for it. */
  readonly servers: Map<string, ServerFact>;
}

interface Leading {
  readonly witnesses: Witnesses;
  readonly world: World;
  /** Servers that were switched off on purpose. */
  readonly struck: Set<string>;
  /** An operation must come to rest within this time, with all faults of the run in it. */
  readonly restMs: number;
}

/** How long no node of a control plane can be reached. */
const UNREACHABLE_MS = 40_000;
const LOOK_EVERY_MS = 250;
const RESTS = new Set(['COMPLETED', 'FAILED', 'ROLLED_BACK', 'FAILED_TEMP']);

/** Gives an instance its orders, one after the other, and decides when an operation waits. */
export async function leadLife(leading: Leading, subject: Subject): Promise<void> {
  const decisions = [...subject.life.decisions];
  await delay(subject.life.waitMs);
  for (const order of subject.life.orders) {
    const body = await look(leading, subject);
    if (!body || !isPossible(order, body, subject)) continue;
    await carryOut(leading, subject, { order, body, decisions });
  }
}

/** Reads the instance, and repeats that while the API does not answer. */
async function look(
  { witnesses, restMs }: Leading,
  { instance, life, servers }: Subject,
): Promise<InstanceBody | undefined> {
  const end = Date.now() + restMs;
  for (;;) {
    const body = await witnesses.vnfm.instance(instance, life.version).catch(() => undefined);
    if (body) {
      for (const server of serversOf(body, life.version)) servers.set(server.id, server);
      return body;
    }
    if (Date.now() > end) return undefined;
    await delay(LOOK_EVERY_MS);
  }
}

function isPossible(
  order: LifeOrder,
  { instantiationState, instantiatedVnfInfo: info }: InstanceBody,
  { life }: Subject,
): boolean {
  if (order === 'instantiate') return instantiationState === 'NOT_INSTANTIATED';
  if (instantiationState !== 'INSTANTIATED') return false;
  if (order === 'scale-in') return (info?.scaleStatus ?? []).some(({ scaleLevel }) => scaleLevel > 0);
  if (order === 'heal-beside-dead' || order === 'restore-unreachable') return life.flavour === 'ha';
  return order !== 'replace-master' || life.flavour === 'cluster' || life.flavour === 'ha';
}

interface Order {
  readonly order: LifeOrder;
  readonly body: InstanceBody;
  readonly decisions: Life['decisions'][number][];
}

async function carryOut(leading: Leading, subject: Subject, { order, body, decisions }: Order): Promise<void> {
  const { instance, life } = subject;
  const before = serversOf(body, life.version);
  const request = await requestOf(leading, subject, { order, before });
  if (!request) return;
  const from = new Date().toISOString();
  const known = new Set((await operationsOf(leading, instance)).map(({ id }) => id));
  const sent = await leading.witnesses.vnfm.begin(request.task, instance, {
    version: life.version,
    body: request.body,
  });
  // a lost answer may mean an operation, or none
  const operation = sent.operation ?? (await operationsOf(leading, instance)).find(({ id }) => !known.has(id))?.id;
  if (operation === undefined) return;
  const state = await bringToRest(leading, { instance, operation, decisions, version: life.version });
  const to = new Date().toISOString();
  const after = await look(leading, subject);
  subject.acts.push({
    ...{ instance, order, operation, from, to, before, state },
    after: after ? serversOf(after, life.version) : [],
  });
}

async function requestOf(
  { witnesses, world, struck }: Leading,
  { life }: Subject,
  { order, before }: { order: LifeOrder; before: readonly ServerFact[] },
): Promise<{ task: Beginning; body: object } | undefined> {
  const { flavour, version } = life;
  const ofVdu = (vdu: string) => before.filter(({ vduId }) => vduId === vdu);
  const heal = (server: ServerFact | undefined) =>
    server ? { task: 'heal' as const, body: healBody(flavour, version, server) } : undefined;
  const switchOff = async ({ id }: ServerFact) => {
    struck.add(id);
    await world.power(id, 'stop').catch(() => {}); // somebody may have deleted it
  };
  switch (order) {
    case 'instantiate':
      return { task: 'instantiate', body: instantiateBody(flavour, version, witnesses.place.authUrl) };
    case 'scale-out':
    case 'scale-in':
      return { task: 'scale', body: scaleBody(flavour, order === 'scale-out' ? 'SCALE_OUT' : 'SCALE_IN') };
    case 'heal':
      return heal(ofVdu(vduOf(flavour)).find(({ id }) => struck.has(id)) ?? ofVdu(vduOf(flavour)).at(-1));
    case 'replace-master': {
      const master = ofVdu(CONTROL_PLANE).at(-1);
      if (!master) return undefined;
      await switchOff(master);
      return heal(master);
    }
    case 'heal-beside-dead': {
      const [dead, living] = ofVdu(CONTROL_PLANE);
      if (dead) await switchOff(dead);
      return heal(living);
    }
    case 'restore-unreachable': {
      const masters = ofVdu(CONTROL_PLANE);
      for (const { id } of masters) {
        const mend = await world.order({ kind: 'unreachable', node: id });
        setTimeout(() => void mend().catch(() => {}), UNREACHABLE_MS);
      }
      const vnfcInstanceId = masters.map(({ vnfc }) => vnfc);
      return { task: 'heal', body: { vnfcInstanceId, additionalParams: { allow_restore: true } } };
    }
    case 'terminate':
      return { task: 'terminate', body: { terminationType: 'FORCEFUL' } };
    default:
      return order satisfies never;
  }
}

async function operationsOf({ witnesses, restMs }: Leading, instance: string) {
  const end = Date.now() + restMs;
  for (;;) {
    const found = await witnesses.vnfm.operations([instance]).catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) return [];
    await delay(LOOK_EVERY_MS);
  }
}

interface Waiting {
  readonly instance: string;
  readonly operation: string;
  readonly version: Life['version'];
  readonly decisions: Life['decisions'][number][];
}

/** Decides as often as the operation waits. @returns the state at the end: that of an operation that does not rest, too */
async function bringToRest(leading: Leading, { instance, operation, decisions, version }: Waiting): Promise<string> {
  const end = Date.now() + leading.restMs;
  for (;;) {
    const state = (await operationsOf(leading, instance)).find(({ id }) => id === operation)?.operationState ?? '';
    const decision = state === 'FAILED_TEMP' ? decisions.shift() : undefined;
    if ((RESTS.has(state) && decision === undefined) || Date.now() > end) return state;
    if (decision !== undefined) {
      await delay(300 + 400 * decisions.length);
      await leading.witnesses.vnfm.control(decision, { instance, operation, version });
    }
    await delay(LOOK_EVERY_MS);
  }
}
