process.env['TZ'] = 'Asia/Kolkata'; // half an hour off: an offset in hours alone would show

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ClusterStatus, Timeline, TimelineStep } from '../vnfm/contract.ts';
import { duration } from './duration.ts';
import { eventLine } from './event-line.ts';
import { failureLines } from './failure-lines.ts';
import { opOccLines } from './op-occ-table.ts';
import { planLines } from './plan-text.ts';
import { createCanvas } from './redraw.ts';
import { statusExitCode, statusLines } from './status-lines.ts';
import { stepLines } from './step-table.ts';
import { renderTree } from './tree.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

function step(id: string, facts: Partial<TimelineStep> = {}): TimelineStep {
  return { id, kind: id, summary: id, state: 'WAITING', attempt: 1, ...facts };
}

function timeline(steps: TimelineStep[], facts: Partial<Timeline> = {}): Timeline {
  return {
    id: 'op',
    vnfInstanceId: 'vnf',
    operation: 'INSTANTIATE',
    operationState: 'PROCESSING',
    startTime: at(0),
    stateEnteredTime: at(1),
    steps,
    ...facts,
  };
}

const worker = (number: number, facts: Partial<TimelineStep> = {}) =>
  step(`prepare-${number}`, {
    kind: 'prepareNode',
    summary: `prepare worker${number}`,
    slot: `workerNode[${number}]`,
    node: { name: `worker${number}`, address: `10.10.0.${number}` },
    ...facts,
  });

const tree = (found: Timeline, { columns = 120, rows = 50 } = {}) =>
  renderTree(found, { now: START + 65_000, columns, rows }).map((line) => stripVTControlCharacters(line));

describe('the tree of an operation', () => {
  it('shows operation, steps and nodes with state, attempt and elapsed time', () => {
    const steps = [
      step('applyStack', { summary: 'create the Heat stack', state: 'DONE', startedAt: at(1), endedAt: at(14) }),
      worker(5, {
        state: 'RUNNING',
        startedAt: at(15),
        attempt: 2,
        logTail: 'Reading package lists\nUnpacking kubelet\n',
      }),
      worker(6, { state: 'DONE', startedAt: at(15), endedAt: at(60) }),
      step('verifyCluster', { summary: 'verify that every node is Ready' }),
    ];
    expect(tree(timeline(steps, { expectedSeconds: 80 }))).toEqual([
      'INSTANTIATE  PROCESSING  1 min 05 s of about 1 min 20 s',
      '  ✓ create the Heat stack  13 s',
      '  ▶ prepare node 1 of 2',
      '    ▶ worker5 (10.10.0.5)  50 s  attempt 2  Unpacking kubelet',
      '    ✓ worker6 (10.10.0.6)  45 s',
      '  · verify that every node is Ready',
    ]);
  });

  it('names a node by its slot until a server is bound to it', () => {
    const { node: _, ...unbound } = worker(1);
    expect(tree(timeline([unbound, worker(2)]))[2]).toBe('    · workerNode[1]');
  });

  it('shows what failed, and the time until then, while an operation waits for an operator', () => {
    const failed = worker(1, {
      state: 'FAILED',
      startedAt: at(1),
      endedAt: at(3),
      error: { code: 'NODE_AUTH', detail: 'No.' },
    });
    const lines = tree(timeline([failed], { operationState: 'FAILED_TEMP', stateEnteredTime: at(4) }));
    expect(lines).toEqual(['INSTANTIATE  FAILED_TEMP  4 s', '  ✗ prepare worker1  2 s  NODE_AUTH No.']);
  });

  it('sums up 500 nodes, and shows the nodes that run or have failed', () => {
    const steps = Array.from({ length: 500 }, (_, i) => worker(i, { state: i === 77 ? 'FAILED' : 'DONE' }));
    const lines = tree(timeline(steps));
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe('  ✗ prepare node 499 of 500, 1 failed');
    expect(lines[2]).toContain('worker77');
  });

  it('is readable at 80 × 24 with 500 nodes: counts per kind, the failed first, then those that have run longest', () => {
    const join = (number: number) => ({ ...worker(number), id: `join-${number}`, kind: 'joinWorker' });
    const prepared = (number: number): Partial<TimelineStep> => {
      if (number === 400)
        return { state: 'FAILED', error: { code: 'NODE_COMMAND_FAILED', detail: 'disk full '.repeat(20) } };
      return number < 300
        ? { state: 'DONE' }
        : { state: 'RUNNING', startedAt: at(499 - number), logTail: 'x'.repeat(200) };
    };
    const all = Array.from({ length: 500 }, (_, number) => number);
    const steps = [
      step('applyStack', { state: 'DONE' }),
      step('discover', { state: 'DONE' }),
      ...all.map((number) => worker(number, prepared(number))),
      step('initControlPlane', { state: 'DONE' }),
      step('installCni', { state: 'RUNNING', startedAt: at(60) }),
      ...all.map((number) => ({
        ...join(number),
        ...(number < 100 ? { state: 'RUNNING' as const, startedAt: at(61) } : {}),
      })),
      step('verifyCluster'),
      step('registerVim'),
    ];
    const lines = tree(timeline(steps), { columns: 80, rows: 22 });
    expect(lines).toHaveLength(22);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[3]).toBe('  ✗ prepare node 300 of 500, 199 running, 1 failed');
    const failed = lines.find((line) => line.includes('worker400'));
    expect(failed).toMatch(/^ {4}✗ worker400 .*NODE_COMMAND_FAILED disk full/);
    expect(lines).toContainEqual(expect.stringContaining('▶ worker499 (10.10.0.499)  1 min 05 s'));
    expect(lines).toContain('  ▶ join worker 0 of 500, 100 running');
    expect(lines.at(-1)).toBe('  · registerVim');
  });

  it('leaves out finished kinds of steps when there are more kinds than lines', () => {
    const kinds = Array.from({ length: 30 }, (_, index) =>
      step(`kind${index}`, { state: index < 25 ? 'DONE' : 'WAITING' }),
    );
    const lines = tree(timeline(kinds), { columns: 80, rows: 8 });
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toContain('kind29');
    expect(lines).toContainEqual(expect.stringContaining('kind25'));
  });

  it('fits into a small terminal', () => {
    const steps = [worker(1), worker(2), step('verifyCluster', { summary: 'a long sentence '.repeat(10) })];
    const lines = tree(timeline(steps), { columns: 40, rows: 3 });
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines[2]).toMatch(/…$/);
  });

  it('shows what operators did: a pending cancel, steps that are paused, skipped (and why) or stopped', () => {
    const steps = [
      step('a', { state: 'SKIPPED', note: 'skipped by me: by hand', error: { code: 'NODE_AUTH', detail: 'No.' } }),
      step('b', { state: 'PAUSED', note: 'paused by me' }),
      step('c', { state: 'CANCELLED' }),
    ];
    expect(tree(timeline(steps, { cancelMode: 'GRACEFUL' }))).toEqual([
      'INSTANTIATE  PROCESSING  1 min 05 s  being cancelled (GRACEFUL)',
      '  – a  skipped by me: by hand',
      '  ‖ b  paused by me',
      '  ■ c',
    ]);
  });

  it('removes control characters that a node prints', () => {
    const evil = worker(1, { state: 'RUNNING', startedAt: at(1), logTail: '\u001b[2J\u001b]0;owned\u0007evil\u0008' });
    const raw = renderTree(timeline([evil]), { now: START, columns: 200, rows: 9 }).join('\n');
    expect(raw.replaceAll(/\u001b\[[0-9;]*m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(raw).toContain('evil');
  });
});

it('draws a new frame over the previous one', () => {
  const written: string[] = [];
  const canvas = createCanvas({ write: (text: string) => written.push(text) > 0 });
  canvas.draw(['a', 'b']);
  canvas.draw(['c']);
  expect(written).toEqual(['\r\u001b[Ja\nb\n', '\u001b[2A\r\u001b[Jc\n']);
});

it('formats an event as one line, whatever characters its text contains', () => {
  const event = {
    seq: 1,
    at: at(5),
    type: 'step',
    state: 'FAILED',
    summary: 's',
    text: 'join w1:\n\u001b[31mno\u001b[0m',
  } as const;
  expect(eventLine(event)).toBe('17:30:05 join w1: no');
  expect(eventLine({ ...event, type: 'operation', text: 'COMPLETED' })).toBe('17:30:05 operation COMPLETED');
});

it('shows why an operation failed: the code, the log, and the remedy', () => {
  const error = { code: 'NODE_COMMAND_FAILED', detail: 'It failed.', remedy: 'Retry.' };
  const seen = worker(1, { state: 'FAILED', error: { detail: 'x', seen: 'E: no \u001b[2Jspace left' } });
  expect(failureLines(timeline([seen], { error, operationState: 'FAILED_TEMP' }))).toEqual([
    'NODE_COMMAND_FAILED: It failed.',
    '  What to do: Retry.',
    '',
    'prepare worker1:',
    '    E: no space left',
  ]);
});

it('shows a plan with its order, durations and critical path', () => {
  const plan = {
    operation: 'INSTANTIATE',
    criticalPathSeconds: 83,
    criticalPath: ['a', 'b'],
    steps: [
      { id: 'a', kind: 'a', summary: 'create', after: [], commands: ['POST /stacks'], expectedSeconds: 20 },
      { id: 'b', kind: 'b', summary: 'prepare w1', after: ['a'], commands: [], expectedSeconds: 63 },
      { id: 'c', kind: 'b', summary: 'prepare w2', after: ['a'], commands: [], expectedSeconds: 5 },
    ],
  };
  expect(planLines(plan).map((line) => stripVTControlCharacters(line))).toEqual([
    'INSTANTIATE: 3 steps, about 1 min 23 s (* = on the critical path)',
    '* create              20 s  at once',
    '      POST /stacks',
    '* prepare w1    1 min 03 s  after create',
    '  prepare w2           5 s  after create',
  ]);
});

it('shows which nodes a plan disturbs, the majority of etcd during it, and how it is undone', () => {
  const quorum = (members: number, majority: number) => ({ members, majority, tolerates: members - majority });
  const drain = { id: 'a', kind: 'a', summary: 'drain w3', after: [], commands: [], expectedSeconds: 20 };
  const lines = planLines({
    operation: 'HEAL',
    criticalPathSeconds: 20,
    criticalPath: [],
    steps: [drain],
    disruption: {
      added: [],
      removed: [],
      replaced: ['m1', 'w3'],
      drained: ['w3'],
      touched: ['m2', 'm3'],
      untouched: Array.from({ length: 498 }, (_, index) => `w${index}`),
      quorum: { before: quorum(3, 2), lowest: quorum(2, 2), after: quorum(3, 2) },
    },
    observed: {
      etcd: [
        { name: 'm1', healthy: false, voter: true },
        { name: 'm2', healthy: true, voter: true },
      ],
      controlPlane: [
        { name: 'm1', verdict: 'unknown', seen: 'no answer; its server is ACTIVE in Nova' },
        { name: 'm2', verdict: 'alive', seen: 'its member of etcd votes' },
      ],
      pods: [
        { namespace: 'shop', name: 'web-1', node: 'w3' },
        { namespace: 'shop', name: 'db-1', node: 'w3', budget: { name: 'db', disruptionsAllowed: 0 } },
      ],
      capacity: ['Quota for instances: 5 of 4 are used, 0 more are needed.'],
      contents: { images: 20, bytes: 3_000_000, unreadable: ['tools/a:1 (no manifest)'] },
    },
    rollback: { supported: false, steps: [] },
  });
  expect(lines.map((line) => stripVTControlCharacters(line)).slice(3)).toEqual([
    'What it means for the cluster',
    '  replaced     m1, w3  (the server is deleted and created anew)',
    '  drained      w3  (pods are evicted, disruption budgets are respected)',
    '  touched      m2, m3  (stays; commands run there)',
    '  not touched  w0, w1, w2, w3, w4, w5 and 492 more  (no login, no command)',
    '  etcd         3 members (majority 2, 1 may fail) → 2 members (majority 2, 0 may fail) → 3 members (majority 2, 1 may fail)',
    '  etcd now     m1 does not answer, m2 answers',
    '  unknown      m1: no answer; its server is ACTIVE in Nova',
    '  pods leave   2:',
    '               shop/db-1 on w3  (budget db: 0 may go now)',
    '               shop/web-1 on w3',
    '  no room      Quota for instances: 5 of 4 are used, 0 more are needed.',
    '  contents     20 images, 3 MiB; cannot be copied: tools/a:1 (no manifest)',
    '  undo         not possible',
  ]);
  expect(planLines({ operation: 'HEAL', criticalPathSeconds: 0, criticalPath: [], steps: [] })).toEqual([
    'HEAL: nothing to do',
  ]);
});

it('lists steps by the ids that controls take, with their errors and the notes of operators', () => {
  const steps = [
    worker(1, { state: 'FAILED', attempt: 2, error: { detail: 'disk \u001b[2Jfull' } }),
    worker(2, { state: 'SKIPPED', attempt: 1, note: 'skipped by me: by hand', error: { detail: 'x' } }),
  ];
  expect(stepLines(timeline(steps)).map((line) => stripVTControlCharacters(line).replaceAll(/ +/g, ' '))).toEqual([
    'STEP STATE ATTEMPT WHAT',
    'prepare-1 FAILED 2 prepare worker1: disk full',
    'prepare-2 SKIPPED 1 prepare worker2: skipped by me: by hand',
  ]);
});

it('shows only some of many steps that differ only in their node', () => {
  const steps = Array.from({ length: 499 }, (_, index) => ({
    id: `p${index}`,
    kind: 'prepareNode',
    summary: `prepare w${index}`,
    after: [],
    commands: ['bash install.sh prepare'],
    expectedSeconds: 63,
  }));
  const lines = planLines({ operation: 'SCALE', criticalPathSeconds: 63, criticalPath: ['p0'], steps });
  expect(lines).toHaveLength(8);
  expect(stripVTControlCharacters(lines.at(-1) ?? '')).toBe('  … and 496 more like these');
});

it('lists operations, the newest last', () => {
  const opOcc = (id: string, startTime: string) => ({
    id,
    operation: 'INSTANTIATE',
    operationState: 'COMPLETED',
    vnfInstanceId: 'v',
    startTime,
    stateEnteredTime: startTime,
  });
  const [, first, second] = opOccLines([opOcc('new', at(9)), opOcc('old', at(1))]);
  expect([first?.slice(0, 3), second?.slice(0, 3)]).toEqual(['old', 'new']);
});

it.each([
  [0.4, '0 s'],
  [59.6, '1 min 00 s'],
  [65, '1 min 05 s'],
  [3_725, '1 h 02 min'],
])('%s seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));

it('shows the Heat templates of a plan that has them, each below its name, and nothing that steers the terminal', () => {
  const steps = [
    { id: 'applyStack', kind: 'applyStack', summary: 'create', after: [], commands: [], expectedSeconds: 20 },
  ];
  const template = { generated: true, name: 'top', top: 'a: 1\nb: \u001b[31m2\n', nested: { 'web.yaml': 'c: 3\n' } };
  const lines = planLines({ operation: 'INSTANTIATE', criticalPathSeconds: 20, criticalPath: [], steps, template });
  const from = lines.findIndex((line) => line.includes('generated from the VNFD'));
  expect(lines.slice(from + 1)).toEqual(['# top', '---', 'a: 1', 'b: 2', '# web.yaml', '---', 'c: 3']);
});

describe('the status of an instance', () => {
  const status: ClusterStatus = {
    vnfInstanceId: '5c1c7b43-0000-4000-8000-000000000000',
    vnfInstanceName: 'core-1\u202e',
    instantiationState: 'INSTANTIATED',
    flavourId: 'simple',
    observedAt: '2026-11-22T18:00:00Z',
    nodes: [
      {
        name: 'master17',
        role: 'master',
        serverId: 'server-0',
        vnfcId: 'vnfc-0',
        addresses: { ssh: '172.24.4.10', node: '10.10.0.10' },
        ready: { status: true },
        kubelet: 'v1.26.8',
        etcd: { voter: true, healthy: true },
      },
      {
        name: 'worker47',
        role: 'worker',
        serverId: 'server-1',
        addresses: { ssh: '172.24.4.47', node: '10.10.0.47' },
        ready: { status: false, reason: 'NodeStatusUnknown', since: '2026-11-22T17:46:00Z' },
      },
    ],
    etcd: { members: 1, healthy: 1, tolerates: 0 },
    lastBackup: { takenAt: '2026-11-22T16:00:00Z', bytes: 2048 },
  };
  const now = Date.parse('2026-11-22T18:00:00Z');

  it('names each node with its VNFC and server, and says since when it is not Ready', () => {
    const lines = statusLines(status, now).map((line) => stripVTControlCharacters(line).split(/ {2,}/));
    expect(lines).toEqual([
      ['core-1', 'simple', 'INSTANTIATED', '5c1c7b43-0000-4000-8000-000000000000'],
      ['NODE', 'ROLE', 'ADDRESS', 'READY', 'KUBELET', 'ETCD', 'VNFC', 'SERVER'],
      ['master17', 'master', '10.10.0.10', 'yes', 'v1.26.8', 'votes', 'vnfc-0', 'server-0'],
      ['worker47', 'worker', '10.10.0.47', 'NO: NodeStatusUnknown for 14 min 00 s', '-', '-', '-', 'server-1'],
      ['etcd', '1 of 1 members answer, 0 more may fail'],
      ['backup', '2 h 00 min ago, 2 KiB'],
    ]);
  });

  it('ends with 1 when a node is not Ready, and with 0 when all is well', () => {
    expect(statusExitCode(status)).toBe(1);
    expect(statusExitCode({ ...status, nodes: status.nodes.slice(0, 1) })).toBe(0);
    expect(statusExitCode({ ...status, nodes: [], problem: 'The cluster does not answer.' })).toBe(1);
  });
});
