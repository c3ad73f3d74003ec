import type { LedgerEntry } from '../../simulator/kernel/ledger.ts';
import type { Simulator } from '../../simulator/simulator.ts';

/**
 * What went wrong in the simulated world, judged by what it wrote down and how it looks now: nothing of vnflow is asked.
 * @param entries of the ledger while clusters were made and changed, not while they were taken away
 */
export function misdeeds(simulator: Pick<Simulator, 'nodes'>, entries: readonly LedgerEntry[]): string[] {
  return [
    ...repeated('phase', entries, (what) => !/^vnflow credentials /.test(what)), // a token more does no harm
    ...repeated('command', entries, (what) => /^kubeadm (init|join)( -|$)/.test(what)),
    ...entries.filter(({ kind }) => kind === 'etcd').flatMap(majorityLost),
    ...simulator.nodes.clusters().flatMap((cluster) => misfits(simulator, cluster)),
  ];
}

/** A phase of the install script, or a command that changes membership, that ran more than once on a node. */
function repeated(
  kind: 'phase' | 'command',
  entries: readonly LedgerEntry[],
  concerns: (what: string) => boolean,
): string[] {
  const runs = entries.filter((entry) => entry.kind === kind && concerns(entry.what));
  const of = ({ where, what }: LedgerEntry) =>
    kind === 'phase' ? what : `${what.split(' ', 2).join(' ')} on ${where}`;
  return [...Map.groupBy(runs, of)]
    .filter(([, times]) => times.length > 1)
    .map(([what, times]) => `${what}: ${times.length} times`);
}

/** Members that never ran hold nothing yet; kubeadm adds one at a time. */
function majorityLost({ where, what, detail = {} }: LedgerEntry): string[] {
  const [voters, started, running] = [detail['voters'], detail['started'], detail['running']].map(Number);
  if (voters === undefined || started === undefined || running === undefined) return [];
  const text = `etcd of ${where} at "${what}": ${voters} voters, ${started} of them started, ${running} running`;
  return running < Math.floor(started / 2) + 1 || voters - started > 1 ? [text] : [];
}

/** Nodes and etcd members that belong to no machine, to the same one, or that never came to life. */
function misfits(
  { nodes }: Pick<Simulator, 'nodes'>,
  cluster: ReturnType<Simulator['nodes']['clusters']>[number],
): string[] {
  const machines = new Set(nodes.list().map(({ id }) => id));
  const kube = Object.values(cluster.nodes);
  const servers = kube.map(({ server }) => server);
  return [
    ...kube.filter(({ server }) => !machines.has(server)).map(({ name }) => `node ${name} has no machine`),
    ...(new Set(servers).size < servers.length ? ['a machine is two nodes'] : []),
    ...[...machines].filter((id) => !servers.includes(id)).map((id) => `machine ${id} is no node`),
    ...cluster.etcd.members
      .filter(({ started, learner, server }) => !started || learner || !machines.has(server))
      .map(({ name }) => `etcd member ${name} is no voter that lives`),
  ];
}
