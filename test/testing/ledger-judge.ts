import type { LedgerEntry, Simulator } from '../../simulator/index.ts';

/**
 * Finds faults of vnflow in the simulated world, by its ledger and its present state only: it reads nothing from
 * vnflow.
 * @param entries of the ledger while clusters were made and changed, not while they were taken away
 */
export function misdeeds(simulator: Pick<Simulator, 'nodes'>, entries: readonly LedgerEntry[]): string[] {
  return [
    ...repeated(simulator, entries),
    ...joinedTwice(entries),
    ...entries.filter(({ kind }) => kind === 'etcd').flatMap(majorityLost),
    ...simulator.nodes.clusters().flatMap((cluster) => misfits(simulator, cluster)),
  ];
}

/**
 * Phases of the install script that were begun more often on a node than they failed there, and once more. A job that
 * failed lies beside its successor, with its exit code.
 */
function repeated({ nodes }: Pick<Simulator, 'nodes'>, entries: readonly LedgerEntry[]): string[] {
  const begun = entries.filter(({ kind, what }) => kind === 'phase' && !/^vnflow credentials /.test(what)); // an additional token does no harm
  // a heal takes a node out of the load balancers and puts it in again: two jobs
  const jobOf = ({ what, detail }: LedgerEntry) =>
    what.startsWith('vnflow load-balancer ') ? `${what} ${String(detail?.['unit']).replace(/-\d+$/, '')}` : what;
  return [...Map.groupBy(begun, jobOf)].flatMap(([what, times]) => {
    const node = nodes.node(what.split(' ')[2] ?? '');
    const failed = times.filter(({ detail }) => {
      const [, job, attempt] = /^vnflow-(.+)-(\d+)$/.exec(String(detail?.['unit'])) ?? [];
      const exit = node?.file(`/var/lib/vnflow/jobs/${job}.failed-${attempt}/exit`)?.trim();
      return exit !== undefined && exit !== '0';
    });
    return times.length - failed.length > 1 ? [`${what}: ${times.length} times, of which ${failed.length} failed`] : [];
  });
}

/** Nodes on which kubeadm init or join ran more often than a phase that runs it was begun. */
function joinedTwice(entries: readonly LedgerEntry[]): string[] {
  const count = (kind: string, what: RegExp) =>
    Map.groupBy(
      entries.filter((entry) => entry.kind === kind && what.test(entry.what)),
      ({ where }) => where,
    );
  const ordered = count('phase', /^vnflow (init|join-)/);
  return [...count('command', /^kubeadm (init|join)( -|$)/)]
    .filter(([where, commands]) => commands.length > (ordered.get(where)?.length ?? 0))
    .map(([where, commands]) => `${commands.length} kubeadm init or join on ${where}`);
}

/** Members that never ran hold nothing yet; kubeadm adds one at a time. */
function majorityLost({ where, what, detail = {} }: LedgerEntry): string[] {
  const [voters, started, running] = [detail['voters'], detail['started'], detail['running']].map(Number);
  if (voters === undefined || started === undefined || running === undefined) return [];
  const text = `etcd of ${where} at "${what}": ${voters} voters, ${started} of them started, ${running} running`;
  return running < Math.floor(started / 2) + 1 || voters - started > 1 ? [text] : [];
}

/** Nodes and etcd members that belong to no machine, that share a machine, or that never ran. */
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
