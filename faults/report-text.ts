import type { RunReport } from './run-life.ts';

/** What many runs gave. */
export interface Campaign {
  readonly reports: readonly RunReport[];
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** One line about a run. */
export function lineOf({ scenario, acts, counts, notes, violations, seconds }: RunReport): string {
  const { seed, shape, lives, disruptions, meddling } = scenario;
  return [
    `seed ${seed}  ${shape}  ${lives.map(({ flavour, version }) => `${flavour} (${version})`).join(' + ')}`,
    disruptions.map(({ kind, forMs }) => `${kind} ${(forMs / 1000).toFixed(1)} s`).join(', '),
    ...(meddling.length > 0 ? [`${meddling.length} controls of operators`] : []),
    acts.map(({ order, state }) => `${order} ${state}`).join(', '),
    `${counts.accepted} accepted, ${counts.refused} refused, ${counts.unclear} unclear`,
    ...(notes.length > 0 ? [`notes: ${notes.join('; ')}`] : []),
    `${violations.length} violations  ${seconds.toFixed(0)} s`,
  ].join('  ');
}

export function violationLines({ violations }: RunReport): string[] {
  return violations.map(({ invariant, instance, text }) => `    ${invariant}: ${instance} ${text}`);
}

/** The numbers of a campaign. */
export function totalsOf({ reports, cpuSeconds, seconds }: Campaign) {
  const count = (keys: readonly string[]) =>
    [...Map.groupBy(keys, (key) => key)]
      .map(([key, all]) => ({ key, count: all.length }))
      .toSorted((a, b) => b.count - a.count);
  const acts = reports.flatMap((report) => report.acts);
  return {
    runs: reports.length,
    operations: reports.reduce((sum, { counts }) => sum + counts.accepted, 0),
    violated: reports.filter(({ violations }) => violations.length > 0),
    faults: count(reports.flatMap(({ scenario }) => scenario.disruptions.map(({ kind }) => kind))),
    ends: count(acts.map(({ order, state }) => `${order} ${state}`)),
    vnfs: count(
      reports.flatMap(({ scenario }) => scenario.lives.map(({ flavour, version }) => `${flavour} ${version}`)),
    ),
    secondsEach: seconds / Math.max(1, reports.length),
    cpuEach: cpuSeconds / Math.max(1, reports.length),
  };
}

export function textReport(campaign: Campaign): string {
  const { runs, operations, violated, faults, ends, vnfs, secondsEach, cpuEach } = totalsOf(campaign);
  const table = (title: string, rows: readonly { key: string; count: number }[]) => [
    '',
    title,
    ...rows.map(({ key, count }) => `${String(count).padStart(7)}  ${key}`),
  ];
  const lines = campaign.reports.toSorted((a, b) => a.scenario.seed - b.scenario.seed);
  return [
    `${runs} runs, ${operations} accepted requests, ${violated.length} runs violated`,
    `${campaign.seconds.toFixed(0)} s, ${secondsEach.toFixed(1)} s a run, ${cpuEach.toFixed(1)} s of CPU time a run`,
    ...table('faults', faults),
    ...table('operations and how they came to rest', ends),
    ...table('VNFs', vnfs),
    '',
    'runs',
    ...lines.flatMap((report) => [lineOf(report), ...violationLines(report)]),
    '',
  ].join('\n');
}
