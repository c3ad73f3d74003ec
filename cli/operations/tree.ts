import { stripVTControlCharacters, styleText } from 'node:util';
import { foreignText } from '../../domain/foreign-text.ts';
import type { Timeline, TimelineStep } from '../vnfm/contract.ts';
import { duration, secondsBetween } from './duration.ts';

type Style = Parameters<typeof styleText>[0];

export interface TreeOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Columns of the terminal. */
  readonly columns: number;
  /** The tree is shortened to this many lines. */
  readonly rows: number;
}

const MARK: Readonly<Record<TimelineStep['state'], { sign: string; style: Style }>> = {
  WAITING: { sign: '·', style: 'dim' },
  PAUSED: { sign: '‖', style: 'yellow' },
  RUNNING: { sign: '▶', style: 'cyan' },
  DONE: { sign: '✓', style: 'green' },
  FAILED: { sign: '✗', style: 'red' },
  CANCELLED: { sign: '■', style: 'yellow' },
  SKIPPED: { sign: '–', style: 'yellow' },
};

/** In a group with more nodes than this, only nodes that failed or run have a line of their own. */
const MOST_NODES = 8;
/** Step states in the order in which they are shown when there is not room for all. */
const URGENCY: Readonly<Record<TimelineStep['state'], number>> = {
  FAILED: 0,
  PAUSED: 1,
  RUNNING: 2,
  CANCELLED: 3,
  WAITING: 4,
  SKIPPED: 5,
  DONE: 5,
};

/** Draws an operation as a tree: operation → kind of step → node. @returns lines that fit into the terminal */
export function renderTree(timeline: Timeline, options: TreeOptions): string[] {
  const room = Math.max(0, options.rows - 1);
  const groups = shownGroups(groupsOf(timeline.steps), room);
  const shown = shownNodes(groups, room - groups.length);
  const lines = [headLine(timeline, options), ...groups.flatMap((group) => groupLines(group, shown, options))];
  return lines.map((line) => cut(line, options.columns));
}

/** Chooses the groups to show. With more groups than lines, finished groups are left out first. */
function shownGroups(groups: readonly TimelineStep[][], room: number): readonly TimelineStep[][] {
  const kept = new Set(byUrgency(groups, groupState).slice(0, room));
  return groups.filter((group) => kept.has(group));
}

/** Chooses the nodes that get a line of their own: first the failed ones, then the ones that have run longest. */
function shownNodes(groups: readonly TimelineStep[][], room: number): ReadonlySet<TimelineStep> {
  const stateOf = ({ state }: TimelineStep) => state;
  const candidates = groups
    .filter((group) => group.length > 1)
    .flatMap((group) => {
      const wanted = group.length <= MOST_NODES ? group : group.filter(needsAttention);
      return byUrgency(wanted.toSorted(byStart), stateOf).slice(0, MOST_NODES);
    });
  return new Set(byUrgency(candidates, stateOf).slice(0, Math.max(0, room)));
}

function byUrgency<T>(entries: readonly T[], stateOf: (entry: T) => TimelineStep['state']): T[] {
  return entries.toSorted((a, b) => URGENCY[stateOf(a)] - URGENCY[stateOf(b)]);
}

function byStart(a: TimelineStep, b: TimelineStep): number {
  return Date.parse(a.startedAt ?? '9999') - Date.parse(b.startedAt ?? '9999');
}

/** Groups steps by kind. Groups are in the order of their first steps in the plan. */
function groupsOf(steps: readonly TimelineStep[]): TimelineStep[][] {
  return [...Map.groupBy(steps, ({ kind }) => kind).values()];
}

function headLine(timeline: Timeline, { now }: TreeOptions): string {
  const { operation, operationState, startTime, stateEnteredTime, expectedSeconds, cancelMode } = timeline;
  const ended = ['COMPLETED', 'FAILED', 'FAILED_TEMP', 'ROLLED_BACK'].includes(operationState);
  const elapsed = duration(secondsBetween(startTime, ended ? stateEnteredTime : undefined, now));
  const about = !ended && expectedSeconds ? ` of about ${duration(expectedSeconds)}` : '';
  const cancel = cancelMode === undefined ? '' : styleText('yellow', `  being cancelled (${cancelMode})`);
  return `${styleText('bold', operation)}  ${styleText(stateStyle(operationState), operationState)}  ${elapsed}${about}${cancel}`;
}

function stateStyle(state: string): Style {
  if (state === 'COMPLETED') return 'green';
  if (state === 'ROLLED_BACK') return 'yellow';
  return state.startsWith('FAILED') ? 'red' : 'cyan';
}

function groupLines(group: readonly TimelineStep[], shown: ReadonlySet<TimelineStep>, options: TreeOptions): string[] {
  const [only] = group;
  if (only && group.length === 1) return [`  ${stepLine(only, only.summary, options)}`];
  const nodes = group.filter((step) => shown.has(step));
  return [groupLine(group), ...nodes.map((step) => `    ${stepLine(step, nodeName(step), options)}`)];
}

function needsAttention({ state }: TimelineStep): boolean {
  return state === 'FAILED' || state === 'RUNNING' || state === 'PAUSED';
}

function groupLine(group: readonly TimelineStep[]): string {
  const { sign, style } = MARK[groupState(group)];
  const count = (...states: TimelineStep['state'][]) => group.filter(({ state }) => states.includes(state)).length;
  const counts = [`${count('DONE', 'SKIPPED')} of ${group.length}`];
  if (group.length > MOST_NODES && count('RUNNING') > 0) counts.push(`${count('RUNNING')} running`);
  if (group.length > MOST_NODES && count('FAILED') > 0) counts.push(`${count('FAILED')} failed`);
  return `  ${styleText(style, sign)} ${kindWords(group[0]?.kind ?? '')} ${styleText('dim', counts.join(', '))}`;
}

function groupState(group: readonly TimelineStep[]): TimelineStep['state'] {
  const states = new Set(group.map(({ state }) => state));
  if (states.has('FAILED')) return 'FAILED';
  if (states.has('RUNNING')) return 'RUNNING';
  if (states.has('PAUSED')) return 'PAUSED';
  if (states.has('CANCELLED')) return 'CANCELLED';
  if (states.has('WAITING')) return states.size === 1 ? 'WAITING' : 'RUNNING';
  return 'DONE';
}

function stepLine(step: TimelineStep, name: string, { now }: TreeOptions): string {
  const { sign, style } = MARK[step.state];
  const facts = [
    step.startedAt === undefined ? '' : duration(secondsBetween(step.startedAt, step.endedAt, now)),
    step.attempt > 1 ? styleText('yellow', `attempt ${step.attempt}`) : '',
    step.note === undefined ? '' : styleText('yellow', foreignText(step.note)),
    step.error === undefined || step.state === 'SKIPPED'
      ? ''
      : styleText('red', foreignText(`${step.error.code ?? ''} ${step.error.detail}`).trim()),
    step.state === 'RUNNING' && (step.progress ?? step.logTail)
      ? styleText('dim', lastLine(step.progress ?? step.logTail ?? ''))
      : '',
  ].filter((fact) => fact !== '');
  const label = step.state === 'WAITING' ? styleText('dim', name) : name;
  return [`${styleText(style, sign)} ${label}`, ...facts].join('  ');
}

function nodeName({ node, slot, summary }: TimelineStep): string {
  if (node?.name) return node.address ? `${node.name} (${node.address})` : node.name;
  return slot ?? summary;
}

/** `prepareNode` → `prepare node`. */
function kindWords(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function lastLine(text: string): string {
  return foreignText(text.trimEnd().replaceAll('\r', '\n')).split('\n').at(-1) ?? '';
}

/** Shortens the visible part of a line, and keeps its style sequences intact. */
function cut(line: string, columns: number): string {
  if (stripVTControlCharacters(line).length <= columns) return line;
  let visible = 0;
  let result = '';
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b')) result += part;
    else {
      const kept = part.slice(0, Math.max(0, columns - 1 - visible));
      result += kept;
      visible += kept.length;
    }
  }
  return `${result}…`;
}
