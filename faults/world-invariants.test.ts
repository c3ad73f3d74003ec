import { expect, it } from 'vitest';
import type { Act, Subject } from './lead-life.ts';
import type { Flavour } from './life-scenario.ts';
import { findSucceeded, judgeWorld, type WorldEvidence } from './world-invariants.ts';
import type { LedgerFact, WorldFact } from './world-view.ts';

const server = (id: string, vduId = 'workerNode') => ({ id, vduId, vnfc: id });
const MASTERS = ['m0', 'm1', 'm2'].map((id) => server(id, 'masterNode'));
const ALL = [...MASTERS, server('w0')];

const act = (changes: Partial<Act> = {}): Act => ({
  ...{
    instance: 'i1',
    order: 'heal',
    operation: 'o1',
    from: 't1',
    to: 't9',
    before: ALL,
    after: ALL,
    state: 'COMPLETED',
  },
  ...changes,
});
const subject = (flavour: Flavour, one: Act): Subject => ({
  instance: 'i1',
  life: { flavour, version: 'v2', orders: [], decisions: [], waitMs: 0 },
  acts: [one],
  servers: new Map([...one.before, ...one.after].map((found) => [found.id, found])),
});
let seq = 0;
const entry = (kind: string, what: string, detail: LedgerFact['detail'] = {}, at = 't5'): LedgerFact => ({
  ...{ seq: ++seq, at, kind, where: 'node', what, detail },
});
const etcd = (what: string, [voters, started, running]: readonly [number, number, number], at?: string) =>
  entry('etcd', what, { voters, started, running, living: running, servers: 'm0 m1 m2' }, at);
const UNIT = 'vnflow-00000000-0000-0000-0000-000000000001-prepareNode-workerNode-0';
const phase = (attempt: number, kind = 'phase') =>
  entry(kind, 'vnflow prepare worker1', { server: 'w0', unit: `${UNIT}-${attempt}` }, 't0'); // before the heal

const whole: WorldFact = {
  machines: ALL.map(({ id }) => ({
    ...{ id, hostname: id, addresses: [id], power: 'on' },
    ...(id.startsWith('m') ? { loadBalancer: ['m0', 'm1', 'm2'] } : {}),
  })),
  clusters: [
    {
      endpoint: 'e',
      nodes: ALL.map(({ id }) => ({ name: id, server: id })),
      members: MASTERS.map(({ id }) => ({ name: id, server: id, started: true, learner: false, running: true })),
      secrets: [],
    },
  ],
};
const fine: WorldEvidence = {
  subjects: [subject('ha', act())],
  entries: [etcd('add', [3, 3, 3]), phase(1), phase(1, 'exit')],
  world: whole,
  struck: new Set(),
  succeeded: new Set([`w0 ${UNIT}-1`]),
};
const [cluster] = whole.clusters;

it('finds no violation in a heal that did what it should', () => {
  expect(judgeWorld(fine)).toEqual([]);
});

const heal = { order: 'heal' } as const;
const WRONG: readonly (readonly [string, string, Partial<WorldEvidence>])[] = [
  ['10', 'a majority is lost', { entries: [etcd('add', [3, 3, 3]), etcd('stop m1', [3, 3, 1])] }],
  ['10', 'the server of a member is destroyed', { entries: [etcd('add', [3, 3, 3]), etcd('destroy m1', [3, 3, 2])] }],
  [
    '11',
    'a restore while the old cluster lives',
    {
      entries: [etcd('add', [3, 3, 3]), entry('command', 'etcdctl snapshot restore /var/lib/x', { server: 'm0' })],
    },
  ],
  [
    '11',
    'a restore on a new server while the old cluster lives, and cannot be reached',
    {
      entries: [
        entry('etcd', 'destroy m0', { voters: 3, started: 3, running: 0, living: 2, servers: 'm0 m1 m2' }),
        entry('command', 'etcdutl snapshot restore /var/lib/x', { server: 'new' }),
      ],
      struck: new Set(['m0', 'm1', 'm2']),
    },
  ],
  ['12', 'a phase begins again after it has succeeded', { entries: [phase(1), phase(1, 'exit'), phase(2)] }],
  ['12', 'a phase begins while it runs', { entries: [phase(1), phase(2)], succeeded: new Set() }],
  [
    '13',
    'a node without a server',
    {
      world: {
        ...whole,
        clusters: [
          {
            ...(cluster as never as object),
            nodes: [...(cluster?.nodes ?? []), { name: 'old', server: 'gone' }],
          } as never,
        ],
      },
    },
  ],
  [
    '13',
    'a load balancer that was not reloaded',
    {
      world: {
        ...whole,
        machines: whole.machines.map((one) => (one.id === 'm0' ? { ...one, loadBalancer: ['m1', 'm2', 'old'] } : one)),
      },
    },
  ],
  [
    '14',
    'a login on a worker that stays',
    { entries: [entry('login', 'ubuntu', { server: 'w0' })], subjects: [subject('ha', act(heal))] },
  ],
];

it.each(WRONG)('%s: %s', (number, _, change) => {
  expect(judgeWorld({ ...fine, ...change }).map(({ invariant }) => invariant.split(' ')[0])).toContain(number);
});

const EXCUSED: readonly (readonly [string, Partial<WorldEvidence>])[] = [
  [
    'the second machine was switched off on purpose',
    { entries: [etcd('stop m0', [3, 3, 2]), etcd('stop m1', [3, 3, 1])], struck: new Set(['m0', 'm1']) },
  ],
  [
    'the instance was being terminated',
    {
      subjects: [subject('ha', act({ order: 'terminate', after: [] }))],
      entries: [etcd('add', [3, 3, 3]), etcd('destroy m1', [3, 3, 1])],
    },
  ],
  ['the job failed before it began again', { entries: [phase(1), phase(1, 'exit'), phase(2)], succeeded: new Set() }],
  [
    'the machine was restarted in the middle of the job',
    { entries: [phase(1), entry('machine', 'reboot', { server: 'w0' }), phase(2)], succeeded: new Set() },
  ],
];

it.each(EXCUSED)('no violation: %s', (_, change) => {
  expect(judgeWorld({ ...fine, ...change })).toEqual([]);
});

const JOB = `/var/lib/vnflow/jobs/${UNIT.slice('vnflow-'.length)}`;
const PRESENT = { [`${JOB}/unit`]: `${UNIT}-2`, [`${JOB}/exit`]: '0\n' };

it.each([
  ['failed', { [`${JOB}.failed-1/exit`]: '75\n' }],
  ['vanished', {}],
])('reads from the node that a job has succeeded, and that the attempt before it %s', async (_, first) => {
  const files: Record<string, string> = { [`${JOB}.failed-1/unit`]: `${UNIT}-1`, ...first, ...PRESENT };
  const file = async (_server: string, path: string) => files[path];
  expect(await findSucceeded([phase(1), phase(2)], { file })).toEqual(new Set([`w0 ${UNIT}-2`]));
});
