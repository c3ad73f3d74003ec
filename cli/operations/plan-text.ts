import { styleText } from 'node:util';
import { foreignText } from '../../domain/foreign-text.ts';
import type { Disruption, Observed, Plan, PodToLeave } from '../vnfm/contract.ts';
import { duration } from './duration.ts';

/** Names beyond this number are only counted. */
const MOST_NAMES = 6;

/** Pods beyond this number are only counted. */
const MIB = 1024 * 1024;
const MOST_PODS = 12;

/** When a kind has more steps than this, only some are shown, because they differ only in their node. */
const MOST_ALIKE = 8;
const SHOWN_ALIKE = 3;

/**
 * Describes a plan: each step with its predecessors and its commands, then the nodes that it disturbs.
 * @returns lines
 */
export function planLines(plan: Plan): string[] {
  if (plan.steps.length === 0) return [`${plan.operation}: nothing to do`];
  const head = `${plan.operation}: ${plan.steps.length} steps, about ${duration(plan.criticalPathSeconds)} (* = on the critical path)`;
  return [
    styleText('bold', head),
    ...(plan.installScript ? [scriptLine(plan.installScript)] : []),
    ...stepLines(plan),
    ...(plan.disruption ? ['', ...disruptionLines(plan.disruption)] : []),
    ...(plan.observed ? observedLines(plan.observed) : []),
    ...(plan.rollback ? [rollbackLine(plan.rollback)] : []),
    ...(plan.template ? templateLines(plan.template) : []),
  ];
}

/** The templates as YAML documents, each below its name. */
function templateLines({ generated, name, top, nested }: NonNullable<Plan['template']>): string[] {
  const files = Object.entries(nested).map(([file, text]) => [file, text] as const);
  return [
    styleText('bold', `Heat templates${generated ? ', generated from the VNFD' : ' of the package'}`),
    ...[[name, top] as const, ...files].flatMap(([file, text]) => [
      `# ${foreignText(file)}`,
      '---',
      ...text.trimEnd().split('\n').map(foreignText),
    ]),
  ];
}

/** How vnflow calls the install script, by its contract. */
const CONTRACTS: Readonly<Record<string, string>> = {
  phases: "vnflow's contract: one call per phase (docs/install-script.md)",
  monolith: "Tacker's contract: one call does everything on a node (docs/tacker-packages.md)",
};

function scriptLine({ path, contract, isOwn }: NonNullable<Plan['installScript']>): string {
  if (isOwn) return styleText('dim', "  install script: vnflow's own, because the package has none");
  return styleText('dim', `  install script ${foreignText(path)}: ${CONTRACTS[contract] ?? foreignText(contract)}`);
}

function stepLines(plan: Plan): string[] {
  const critical = new Set(plan.criticalPath);
  const summaries = new Map(plan.steps.map(({ id, summary }) => [id, summary]));
  const width = Math.min(60, Math.max(0, ...plan.steps.map(({ summary }) => summary.length)));
  const alike = Map.groupBy(plan.steps, ({ kind }) => kind);
  return plan.steps.flatMap((step) => {
    const { id, kind, summary, after, commands, expectedSeconds } = step;
    const group = alike.get(kind) ?? [];
    const place = group.length > MOST_ALIKE ? group.indexOf(step) : 0;
    if (place === SHOWN_ALIKE) return [styleText('dim', `  … and ${group.length - SHOWN_ALIKE} more like these`)];
    if (place > SHOWN_ALIKE) return [];
    return [
      [
        `${critical.has(id) ? '*' : ' '} ${summary.padEnd(width)}  ${duration(expectedSeconds).padStart(12)}`,
        after.length === 0 ? 'at once' : `after ${some(after.map((other) => summaries.get(other) ?? other))}`,
      ].join('  '),
      ...commands.map((command) => styleText('dim', `      ${command}`)),
    ];
  });
}

function disruptionLines(found: Disruption): string[] {
  const { before, lowest, after } = found.quorum;
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['comes', found.added, ''],
    ['goes', found.removed, ''],
    ['replaced', found.replaced, 'the server is deleted and created anew'],
    ['drained', found.drained, 'pods are evicted, disruption budgets are respected'],
    ['touched', found.touched, 'stays; commands run there'],
    ['not touched', found.untouched, 'no login, no command'],
  ];
  const told = rows.filter(([, names]) => names.length > 0);
  return [
    styleText('bold', 'What it means for the cluster'),
    ...told.map(([word, names, meaning]) => row(word, `${some(names)}${meaning === '' ? '' : `  (${meaning})`}`)),
    row('etcd', [before, ...(lowest.members < before.members ? [lowest] : []), after].map(quorumWords).join(' → ')),
  ];
}

function observedLines({
  etcd = [],
  controlPlane = [],
  pods,
  podsProblem,
  capacity = [],
  contents,
  problem,
}: Observed): string[] {
  const members = etcd.map(({ name, healthy, voter }) => {
    const answers = healthy ? 'answers' : styleText('red', 'does not answer');
    return `${foreignText(name)} ${voter ? answers : `${answers}, has no vote yet`}`;
  });
  const fallen = controlPlane.filter(({ verdict }) => verdict !== 'alive');
  return [
    ...(members.length > 0 ? [row('etcd now', members.join(', '))] : []),
    ...fallen.map(({ name, verdict, seen }) => row(verdict, `${foreignText(name)}: ${foreignText(seen)}`)),
    ...(pods ? [row('pods leave', pods.length > 0 ? `${pods.length}:` : 'none'), ...podLines(pods)] : []),
    ...(podsProblem === undefined ? [] : [row('pods leave', `unknown: ${foreignText(podsProblem)}`)]),
    ...capacity.map((text) => row(styleText('red', 'no room'.padEnd(12)), foreignText(text))),
    ...(contents ? [row('contents', contentsWords(contents))] : []),
    ...(problem === undefined
      ? []
      : [row('not asked', `${foreignText(problem)} This plan assumes that every node is alive.`)]),
  ];
}

function contentsWords({ problem, images, bytes, unreadable }: NonNullable<Observed['contents']>): string {
  if (problem !== undefined) return `unknown: ${foreignText(problem)}`;
  const left = unreadable.length === 0 ? '' : `; cannot be copied: ${unreadable.map(foreignText).join(', ')}`;
  return `${images} images, ${Math.ceil(bytes / MIB)} MiB${left}`;
}

/** Lists the pods, first the ones whose eviction a budget may prevent. */
function podLines(pods: readonly PodToLeave[]): string[] {
  const held = ({ budget }: PodToLeave) => budget !== undefined && budget.disruptionsAllowed === 0;
  const sorted = [...pods.filter(held), ...pods.filter((pod) => !held(pod))];
  const lines = sorted.slice(0, MOST_PODS).map(({ namespace, name, node, budget }) => {
    const words = budget ? `  (budget ${budget.name}: ${budget.disruptionsAllowed} may go now)` : '';
    return `               ${namespace}/${name} on ${node}${words}`;
  });
  return sorted.length > MOST_PODS
    ? [...lines, `               … and ${sorted.length - MOST_PODS} more (--json: all)`]
    : lines;
}

function quorumWords({ members, majority, tolerates }: Disruption['quorum']['before']): string {
  if (members === 0) return 'none';
  return `${members} ${members === 1 ? 'member' : 'members'} (majority ${majority}, ${tolerates} may fail)`;
}

function rollbackLine({ supported, steps }: NonNullable<Plan['rollback']>): string {
  return row('undo', supported ? `rollback: ${steps.map(({ summary }) => summary).join(', ')}` : 'not possible');
}

function row(word: string, text: string): string {
  return `  ${word.padEnd(12)} ${text}`;
}

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
}
