import type { Finding } from './invariants.ts';
import type { Act, Subject } from './lead-life.ts';
import { CONTROL_PLANE } from './life-requests.ts';
import type { LedgerFact, World, WorldFact } from './world-view.ts';

/** What the world tells about a run. Nothing of it comes from vnflow but the ids of servers. */
export interface WorldEvidence {
  readonly subjects: readonly Subject[];
  /** The ledger of the run, before the instances were taken down. */
  readonly entries: readonly LedgerFact[];
  /** Machines and clusters when all had come to rest. */
  readonly world: WorldFact;
  /** Jobs that ended with exit code 0 and were begun again, or another one of that phase: `{server} {unit}`. */
  readonly succeeded: ReadonlySet<string>;
  /** Servers that a disruption has switched off or deleted. */
  readonly struck: ReadonlySet<string>;
}

interface WorldInvariant {
  readonly name: string;
  find(evidence: WorldEvidence): Finding[];
}

const WORLD_INVARIANTS: readonly WorldInvariant[] = [
  { name: '10 etcd keeps its majority', find: findLostMajorities },
  { name: '11 no restore over a living cluster', find: findWrongRestores },
  { name: '12 no phase succeeds twice', find: findRepeatedPhases },
  { name: '13 cluster, load balancers and machines agree', find: findMisfits },
  { name: '14 nodes that stay get no command', find: findTouched },
];

/** Checks what was done to the nodes. @returns the violations */
export function judgeWorld(evidence: WorldEvidence) {
  return WORLD_INVARIANTS.flatMap(({ name, find }) =>
    find(evidence).map((finding) => ({ invariant: name, ...finding })),
  );
}

const serverOf = ({ detail }: LedgerFact): string => String(detail?.['server'] ?? '');

function ownerOf(subjects: readonly Subject[]): (server: string) => Subject | undefined {
  return (server) => subjects.find(({ servers }) => servers.has(server));
}

/**
 * Looks at clusters of three members or more. A member that never ran holds nothing yet. What a disruption does to a
 * machine is no deed of vnflow. A majority that is lost already cannot be lost again.
 */
function findLostMajorities({ entries, subjects, struck }: WorldEvidence): Finding[] {
  const owner = ownerOf(subjects);
  const lives = new Map<string, boolean>();
  return entries.flatMap((entry) => {
    const { kind, what, detail = {} } = entry;
    if (kind !== 'etcd') return [];
    const [voters = 0, started = 0, running = 0] = [detail['voters'], detail['started'], detail['running']].map(Number);
    const servers = String(detail['servers'] ?? '').split(' ');
    const subject = servers.map(owner).find((one) => one !== undefined);
    if (!subject) return [];
    const { instance } = subject;
    const lived = lives.get(instance) ?? false;
    lives.set(instance, running >= Math.floor(started / 2) + 1);
    if (!lived || started < 2 || subject.life.flavour !== 'ha' || isGoing(subject, entry)) return [];
    const [deed = '', machine = ''] = what.split(' ');
    const text = `"${what}": ${voters} voters, ${started} started, ${running} running`;
    if (deed === 'destroy' && servers.includes(machine))
      return [{ instance, text: `the server of a member of etcd was destroyed: ${text}` }];
    return struck.has(machine) || lives.get(instance) ? [] : [{ instance, text }];
  });
}

/** Is the instance being taken away at this moment, or rolled back? */
function isGoing({ acts }: Subject, { at }: LedgerFact): boolean {
  const act = acts.find(({ from, to }) => from <= at && at <= to);
  return act === undefined || act.order === 'terminate' || act.order === 'instantiate';
}

/** A restore makes a new etcd from a backup: the members of the old one must not run then, reachable or not. */
function findWrongRestores({ entries, subjects }: WorldEvidence): Finding[] {
  const owner = ownerOf(subjects);
  // an operation that has not completed does not show the new server; a run has one cluster at most
  const cluster = subjects.find(({ life }) => life.flavour === 'ha' || life.flavour === 'cluster');
  const seen = new Map<string, { started: number; living: number }>();
  return entries.flatMap((entry) => {
    const { kind, what, detail = {} } = entry;
    if (kind === 'etcd') {
      const subject = String(detail['servers'] ?? '')
        .split(' ')
        .map(owner)
        .find((one) => one !== undefined);
      if (subject) seen.set(subject.instance, { started: Number(detail['started']), living: Number(detail['living']) });
    }
    // the last server of a cluster goes without a line of etcd
    const gone = kind === 'machine' && what === 'destroy' ? owner(serverOf(entry)) : undefined;
    const left = gone && seen.get(gone.instance);
    if (left && gone.servers.get(serverOf(entry))?.vduId === CONTROL_PLANE) left.living -= 1;
    if (kind !== 'command' || !/\bsnapshot restore\b/.test(what)) return [];
    const subject = owner(serverOf(entry)) ?? cluster;
    const state = subject && seen.get(subject.instance);
    if (!state || state.living < Math.floor(state.started / 2) + 1) return [];
    const text = `restored while ${state.living} of ${state.started} members of etcd ran`;
    return [{ instance: subject.instance, text }];
  });
}

/** `vnflow-{operation}-{step}-{attempt}`; tokens may be made again and again. */
const UNIT = /^vnflow-([0-9a-f-]{36}-.+?)(-credentials-\d+)?-\d+$/;

function findRepeatedPhases({ entries, subjects, succeeded }: WorldEvidence): Finding[] {
  const owner = ownerOf(subjects);
  const done = new Set<string>();
  const running = new Map<string, string>();
  return entries.flatMap((entry) => {
    const { kind, what, detail = {} } = entry;
    // a machine that is switched off or restarted ends what runs on it
    if (kind === 'machine') for (const [key, server] of running) if (server === serverOf(entry)) running.delete(key);
    const [, job, isToken] = UNIT.exec(String(detail['unit'])) ?? [];
    if (job === undefined || isToken !== undefined) return [];
    const server = serverOf(entry);
    // a heal takes a node out of the load balancers and puts it in again: two jobs of one operation
    const key = what.includes(' load-balancer ') ? `${server} ${job}` : `${server} ${job.slice(0, 36)} ${what}`;
    const instance = owner(server)?.instance ?? '';
    if (kind === 'exit') {
      running.delete(key);
      if (succeeded.has(`${server} ${detail['unit']}`)) done.add(key);
    }
    if (kind !== 'phase') return [];
    const runs = running.has(key);
    running.set(key, server);
    if (runs) return [{ instance, text: `${what} began while it ran` }];
    return done.has(key) ? [{ instance, text: `${what} began again after it had succeeded` }] : [];
  });
}

/**
 * Compares the machines of an instance with its cluster, when its last operation completed and no disruption has struck
 * one of its machines.
 */
function findMisfits({ subjects, world, struck }: WorldEvidence): Finding[] {
  return subjects.flatMap(({ instance, life, acts, servers }) => {
    const last = acts.at(-1);
    if (life.flavour === 'plain' || life.flavour === 'registry' || last?.state !== 'COMPLETED') return [];
    if (last.after.length === 0 || last.after.some(({ id }) => struck.has(id))) return [];
    const own = last.after.map(({ id }) => id);
    const cluster = world.clusters.find(({ nodes }) => nodes.some(({ server }) => servers.has(server)));
    if (!cluster) return [{ instance, text: 'has servers, and no cluster' }];
    const nodes = cluster.nodes.map(({ server }) => server);
    return [
      ...own.filter((id) => !nodes.includes(id)).map((id) => `server ${id} is no node`),
      ...cluster.nodes.filter(({ server }) => !own.includes(server)).map(({ name }) => `node ${name} has no server`),
      ...cluster.members
        .filter(({ server, started, learner }) => !started || learner || !own.includes(server))
        .map(({ name }) => `member ${name} of etcd is no voter that lives`),
      ...wrongLoadBalancers(last, world),
    ].map((text) => ({ instance, text }));
  });
}

function wrongLoadBalancers({ after }: Act, { machines }: WorldFact): string[] {
  const masters = machines.filter(({ id }) =>
    after.some((server) => server.id === id && server.vduId === CONTROL_PLANE),
  );
  if (masters.length < 3) return [];
  return masters.flatMap(({ hostname, loadBalancer = [] }) => {
    const missing = masters.filter(({ addresses }) => !addresses.some((address) => loadBalancer.includes(address)));
    const dead = loadBalancer.filter((address) => !masters.some(({ addresses }) => addresses.includes(address)));
    return [
      ...missing.map((other) => `the load balancer of ${hostname} does not lead to ${other.hostname}`),
      ...dead.map((address) => `the load balancer of ${hostname} leads to ${address}, which is nobody's`),
    ];
  });
}

/** Workers that are there before and after a scale or a heal: nobody logs in to them, and no phase runs there. */
function findTouched({ subjects, entries }: WorldEvidence): Finding[] {
  return subjects.flatMap(({ instance, life, acts }) =>
    acts.flatMap(({ order, from, to, before, after, state }) => {
      if (life.flavour === 'registry' || order === 'instantiate' || order === 'terminate' || state === 'FAILED_TEMP')
        return [];
      const stays = new Set(
        before
          .filter(({ id, vduId }) => vduId !== CONTROL_PLANE && after.some((server) => server.id === id))
          .map(({ id }) => id),
      );
      const touched = entries.filter(
        (entry) =>
          (entry.kind === 'login' || entry.kind === 'phase') &&
          from <= entry.at &&
          entry.at <= to &&
          stays.has(serverOf(entry)),
      );
      return touched.map(({ kind, where, what }) => ({
        instance,
        text: `${order}: ${kind} "${what}" on ${where}, which stays`,
      }));
    }),
  );
}

/** The directory of a job on its node, and that of an earlier attempt. */
const JOBS = '/var/lib/vnflow/jobs';

/**
 * Reads of each job whether its script succeeded: the unit that runs it does not tell. Machines that are gone tell
 * nothing.
 * @returns `{server} {unit}` of each job that did
 */
export async function findSucceeded(entries: readonly LedgerFact[], world: Pick<World, 'file'>): Promise<Set<string>> {
  const begun = entries.filter(({ kind, what }) => kind === 'phase' && what.startsWith('vnflow '));
  const repeated = [...Map.groupBy(begun, (entry) => `${serverOf(entry)} ${entry.what}`).values()].filter(
    (times) => times.length > 1,
  );
  const found = await Promise.all(
    repeated.flat().map(async (entry) => {
      const unit = String(entry.detail?.['unit']);
      const [, job, attempt] = /^vnflow-(.+)-(\d+)$/.exec(unit) ?? [];
      const read = (path: string) => world.file(serverOf(entry), `${JOBS}/${job}${path}`);
      // a job that vanished has a directory, and no exit code in it
      const wasMoved = (await read(`.failed-${attempt}/unit`)) !== undefined;
      const exit = await read(wasMoved ? `.failed-${attempt}/exit` : '/exit');
      return exit?.trim() === '0' ? [`${serverOf(entry)} ${unit}`] : [];
    }),
  );
  return new Set(found.flat());
}
