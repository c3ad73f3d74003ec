import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from './child.ts';
import { disrupt } from './disruptions.ts';
import type { Witnesses } from './evidence.ts';
import type { Violation } from './invariants.ts';
import { type Act, leadLife, type Subject } from './lead-life.ts';
import { CONTROL_PLANE, instantiateBody, packageOf } from './life-requests.ts';
import type { LifeScenario, Meddling } from './life-scenario.ts';
import { settle } from './round.ts';
import type { SecretScan } from './secret-scan.ts';
import { takeDown } from './take-down.ts';
import { isAccepted, isUnclear, type Sent } from './vnfm.ts';
import { findSucceeded, judgeWorld } from './world-invariants.ts';
import { connectionsTo, type World } from './world-view.ts';

/** A place that is ready for runs. */
export interface Ground {
  readonly witnesses: Witnesses;
  readonly world: World;
  /** vnfdId by name of the package. */
  readonly packages: ReadonlyMap<string, string>;
  readonly secrets: SecretScan;
}

export interface RunReport {
  readonly scenario: LifeScenario;
  readonly instances: readonly string[];
  readonly acts: readonly Act[];
  readonly counts: { readonly accepted: number; readonly refused: number; readonly unclear: number };
  /** What a disruption could not do, and processes that the script had to start. */
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
  readonly startedAt: string;
  readonly seconds: number;
}

/** Limits of a run, milliseconds: for an operation with faults in it, and for everything when the faults are over. */
export interface Limits {
  readonly restMs: number;
  readonly settleMs: number;
}

const LEFT = '15 nothing left';
const SECRETS = '16 no secret in clear text';
const LEFT_LIMIT_MS = 20_000;

/** Runs the lives of a scenario with its faults, checks all invariants, takes everything down, and checks again. */
export async function runLife(ground: Ground, scenario: LifeScenario, limits: Limits): Promise<RunReport> {
  const { settleMs, restMs } = limits;
  const { witnesses, world, packages } = ground;
  const { place, vnfm } = witnesses;
  const since = Date.now();
  const before = vnfm.sent.length;
  const content = await world.content();
  const seq = (await world.ledger(0)).at(-1)?.seq ?? 0;
  const subjects: Subject[] = [];
  for (const life of scenario.lives) {
    const instance = await vnfm.create(packages.get(packageOf(life.flavour)) ?? '');
    subjects.push({ instance, life, acts: [], servers: new Map() });
  }
  const instances = subjects.map(({ instance }) => instance);
  const struck = new Set<string>();
  const victims = async () => (await Promise.all(subjects.map((subject) => vulnerable(ground, subject)))).flat();
  const scene = { place, world, cloud: witnesses.cloud, victims, struck, instances };
  const [notes] = await Promise.all([
    disrupt(scene, scenario.disruptions),
    ...subjects.map((subject) => leadLife({ witnesses, world, struck, restMs }, subject)),
    ...scenario.meddling.map((one) => meddle(witnesses, instances, one)),
  ]);
  const look = () => settle(witnesses, instances, settleMs);
  const settled = await look();
  const entries = await world.ledger(seq);
  const state = await world.inspect();
  const succeeded = await findSucceeded(entries, world);
  const inWorld = judgeWorld({ subjects, entries, world: state, struck, succeeded });
  const violations = [...settled.violations, ...inWorld];
  if (violations.length === 0) violations.push(...(await findSessions(ground)));
  if (violations.length === 0) {
    const options = {
      settle: look,
      seed: scenario.seed,
      limitMs: restMs,
      authUrl: place.authUrl,
      requestOf: requestOf(ground, subjects),
    };
    violations.push(...(await takeDown(witnesses, instances, options)));
    if (violations.length === 0) violations.push(...(await findLeft(ground, { content, instances })));
  }
  const keys = [...state.clusters, ...(await world.inspect()).clusters].flatMap(({ secrets }) => secrets);
  const leaks = ground.secrets.scan(place.openFiles(), [...new Set(keys)]);
  violations.push(...leaks.map((text) => ({ invariant: SECRETS, instance: '', text })));
  violations.push(
    ...notes
      .filter((note) => note.startsWith('not everything'))
      .map((text) => ({ invariant: '0 it answers', instance: '', text })),
  );
  const sent = vnfm.sent.slice(before);
  return {
    ...{ scenario, instances, counts: count(sent), notes, violations },
    acts: subjects.flatMap(({ acts }) => acts),
    startedAt: new Date(since).toISOString(),
    seconds: (Date.now() - since) / 1000,
  };
}

/** A disruption strikes no control-plane node of three: `replace-master` does that, one at a time. */
async function vulnerable({ witnesses }: Ground, { instance, life, servers }: Subject): Promise<string[]> {
  const body = await witnesses.vnfm.instance(instance).catch(() => undefined);
  const shown = body?.instantiatedVnfInfo?.vnfcResourceInfo ?? [];
  const known = shown.map(({ vduId, computeResource }) => ({ id: computeResource.resourceId, vduId }));
  return [...known, ...servers.values()]
    .filter(({ vduId }) => life.flavour !== 'ha' || vduId !== CONTROL_PLANE)
    .map(({ id }) => id);
}

const requestOf =
  ({ witnesses }: Ground, subjects: readonly Subject[]) =>
  (instance: string): object => {
    const flavour = subjects.find((subject) => subject.instance === instance)?.life.flavour ?? 'plain';
    return instantiateBody(flavour, 'v2', witnesses.place.authUrl);
  };

/** An operator sends a control to any operation that is open. */
async function meddle({ vnfm }: Witnesses, instances: readonly string[], one: Meddling): Promise<void> {
  const { atMs, control, cancelMode, version, pick } = one;
  await delay(atMs);
  const open = (await vnfm.operations(instances).catch(() => [])).filter(
    ({ operationState }) => !['COMPLETED', 'FAILED', 'ROLLED_BACK'].includes(operationState),
  );
  const chosen = open[pick % Math.max(1, open.length)];
  if (!chosen) return;
  const target = { instance: chosen.vnfInstanceId, operation: chosen.id, version };
  await vnfm.control(control, { ...target, ...(control === 'cancel' ? { cancelMode } : {}) });
}

/** Nobody works on a node when all operations rest: the end of the server would hide a session that nobody closes. */
async function findSessions({ witnesses }: Ground): Promise<Violation[]> {
  const count = () => connectionsTo(portOf(witnesses.place.bastion));
  if (await waitUntil(() => count() === 0, LEFT_LIMIT_MS, 250)) return [];
  return [{ invariant: LEFT, instance: '', text: `${count()} connections to the bastion, and no operation works` }];
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

/** What exists that did not exist before, in cloud, Temporal and on the bastion, after all instances were deleted. */
async function findLeft(
  { witnesses, world }: Ground,
  { content, instances }: { content: ReadonlySet<string>; instances: readonly string[] },
): Promise<Violation[]> {
  let left: Violation[] = [];
  const tell = (instance: string, text: string) => ({ invariant: LEFT, instance, text });
  await waitUntil(
    async () => {
      const now = await world.content();
      const connections = connectionsTo(portOf(witnesses.place.bastion));
      const inTemporal = await witnesses.engine.openOf(instances).catch((error: unknown) => [String(error)]);
      left = [
        ...[...now].filter((line) => !content.has(line)).map((line) => tell('', line)),
        ...[...content].filter((line) => !now.has(line)).map((line) => tell('', `gone: ${line}`)),
        ...inTemporal.map((id) => tell('', `Temporal: ${id}`)),
        ...(connections > 0 ? [tell('', `${connections} connections to the bastion`)] : []),
      ];
      return left.length === 0;
    },
    LEFT_LIMIT_MS,
    500,
  );
  return left;
}

function count(sent: readonly Sent[]): RunReport['counts'] {
  const accepted = sent.filter(isAccepted).length;
  const unclear = sent.filter(isUnclear).length;
  return { accepted, unclear, refused: sent.length - accepted - unclear };
}
