import { expect, it } from 'vitest';
import type { SshSession } from '../../ssh/session.ts';
import { type ActivityDependencies, DEFAULT_PACE } from '../dependencies.ts';
import { leaveCluster } from './leave-cluster.ts';

const deps = {
  pace: { ...DEFAULT_PACE, poll: { first: 0.01, longest: 0.02 }, nodeGrace: 0.2 },
} as ActivityDependencies;
const { signal } = new AbortController();

/** kubectl of a cluster whose node is not Ready in the first looks. */
function clusterWhere(lostLooks: number): { session: SshSession; commands: string[] } {
  const commands: string[] = [];
  let looks = 0;
  const exec: SshSession['exec'] = async (command) => {
    commands.push(command);
    const isLook = command.includes("get node 'w1'") || command.includes('get node w1');
    const status = isLook && ++looks <= lostLooks ? 'Unknown' : 'True';
    const node = { metadata: { name: 'w1' }, status: { conditions: [{ type: 'Ready', status }] } };
    const stdout = isLook ? JSON.stringify({ ...node, items: [node] }) : '';
    return { code: 0, stdout, stderr: '', stdoutBytes: Buffer.from(stdout) } as Awaited<ReturnType<SshSession['exec']>>;
  };
  return { session: { exec, label: 'm1' } as SshSession, commands };
}

it.each([
  ['a node that is not Ready for a moment is drained like a living one', 3, false],
  ['the pods of a node that stays lost are given up', Number.POSITIVE_INFINITY, true],
])('%s', async (_, lostLooks, givenUp) => {
  const { session, commands } = clusterWhere(lostLooks);
  await leaveCluster({ deps, session, signal, say: () => {} }, { name: 'w1', timeoutSeconds: 60 });
  const drains = commands.filter((command) => command.includes('drain'));
  expect(drains.map((command) => command.includes('--disable-eviction'))).toEqual([givenUp]);
});
