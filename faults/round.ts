import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from './child.ts';
import { gatherEvidence, type Witnesses } from './evidence.ts';
import { judge, mayHeal, type Violation } from './invariants.ts';
import { instantiateRequest } from './requests.ts';
import type { Part, Scenario } from './scenario.ts';
import { type Settled, takeDown } from './take-down.ts';
import { type Control, isAccepted, isUnclear, type Sent } from './vnfm.ts';

/** An instance of the burst, with its part of the scenario. */
interface Subject {
  readonly instance: string;
  readonly part: Part;
  fault: string | undefined;
  operation: string | undefined;
}

export interface RoundReport {
  readonly scenario: Scenario;
  readonly instances: readonly string[];
  /** Numbers of accepted, refused and lost requests of the burst. */
  readonly counts: { readonly accepted: number; readonly refused: number; readonly unclear: number };
  /** Processes that the script had to start or kill. */
  readonly helped: readonly string[];
  readonly violations: readonly Violation[];
  readonly seconds: number;
}

export interface RoundOptions {
  readonly vnfdId: string;
  /** Limit for everything to come to rest. */
  readonly settleMs: number;
}

const PREPARE_LIMIT_MS = 300_000;
/** After this limit the round goes on, even when requests of the burst are unanswered. */
const BURST_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 500;

/**
 * Runs a burst of requests with a kill -9 in it, checks the invariants, and checks that all instances can be deleted
 * afterwards.
 */
export async function runRound(witnesses: Witnesses, scenario: Scenario, options: RoundOptions): Promise<RoundReport> {
  const since = Date.now();
  const { place, vnfm, cloud } = witnesses;
  const subjects: Subject[] = [];
  for (const part of scenario.parts) {
    const instance = await vnfm.create(options.vnfdId);
    subjects.push({ instance, part, fault: undefined, operation: undefined });
  }
  const instances = subjects.map(({ instance }) => instance);
  for (const subject of subjects)
    if (subject.part.cause === 'heat') subject.fault = await cloud.breakStack(subject.instance);
  if (isDecision(scenario.kind)) await prepare(witnesses, subjects);

  const before = vnfm.sent.length;
  const burst = Promise.all(subjects.map((subject) => send(witnesses, scenario, subject)));
  await waitUntil(() => vnfm.sent.length - before >= scenario.killAfter.answers, BURST_LIMIT_MS, 5);
  await delay(scenario.killAfter.ms);
  place.kill(scenario.victim);
  const helped = await place.recover(scenario.downMs);
  await burst;
  const sent = vnfm.sent.slice(before);

  const settled = await settle(witnesses, instances, options.settleMs);
  const violations =
    settled.violations.length > 0
      ? settled.violations
      : await takeDown(witnesses, instances, {
          settle: () => settle(witnesses, instances, options.settleMs),
          seed: scenario.seed,
          authUrl: place.authUrl,
          requestOf: () => instantiateRequest(place.authUrl, 'heat'),
        });
  return { scenario, instances, counts: count(sent), helped, violations, seconds: (Date.now() - since) / 1000 };
}

function isDecision(kind: Scenario['kind']): kind is 'retry' | 'rollback' | 'fail' {
  return kind === 'retry' || kind === 'rollback' || kind === 'fail';
}

/** Prepares operations that wait in FAILED_TEMP. */
async function prepare(witnesses: Witnesses, subjects: readonly Subject[]): Promise<void> {
  const { place, vnfm, cloud } = witnesses;
  for (const subject of subjects) {
    const request = instantiateRequest(place.authUrl, subject.part.cause);
    subject.operation = await begin(witnesses, subject.instance, request);
  }
  const wanted = subjects.map(({ instance }) => instance);
  const end = Date.now() + PREPARE_LIMIT_MS;
  for (;;) {
    const operations = await vnfm.operations(wanted);
    if (operations.length === wanted.length && operations.every((one) => one.operationState === 'FAILED_TEMP')) break;
    if (Date.now() > end)
      throw new Error(`the operations did not fail: ${operations.map((one) => one.operationState).join(' ')}`);
    await delay(LOOK_EVERY_MS);
  }
  for (const { part, fault } of subjects) if (part.cured && fault !== undefined) await cloud.mend(fault);
}

/**
 * An API that is busy after the last kill may answer 503, or too late; then the request is sent again.
 * @returns the id of the operation
 * @throws Error when no operation has begun within the limit
 */
async function begin({ vnfm }: Witnesses, instance: string, request: object): Promise<string> {
  const end = Date.now() + PREPARE_LIMIT_MS;
  for (;;) {
    const sent = await vnfm.instantiate(instance, request);
    const operation = sent.operation ?? (await vnfm.operations([instance])).at(-1)?.id;
    if (operation !== undefined) return operation;
    if (Date.now() > end) throw new Error(`instantiate of ${instance}: ${JSON.stringify(sent.outcome)}`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Sends the requests of one instance in the burst. */
async function send({ vnfm, place }: Witnesses, { kind }: Scenario, subject: Subject): Promise<void> {
  const { instance, part, operation } = subject;
  await delay(part.sendAfterMs);
  if (isDecision(kind)) {
    if (operation !== undefined) await vnfm.control(kind satisfies Control, { instance, operation });
    return;
  }
  const begun = await vnfm.instantiate(instance, instantiateRequest(place.authUrl, part.cause));
  if (kind === 'cancel' && begun.operation !== undefined)
    await vnfm.control('cancel', { instance, operation: begun.operation, cancelMode: part.cancelMode });
}

/** Waits until no invariant is violated, or until the time limit. */
export async function settle(witnesses: Witnesses, instances: readonly string[], limitMs: number): Promise<Settled> {
  const end = Date.now() + limitMs;
  for (;;) {
    const seen = await gatherEvidence(witnesses, instances).catch((error: unknown) => String(error));
    const violations =
      typeof seen === 'string' ? [{ invariant: '0 it answers', instance: '', text: seen }] : judge(seen);
    const isOver = violations.length === 0 || (typeof seen !== 'string' && !mayHeal(violations));
    if (isOver || Date.now() > end) return { evidence: typeof seen === 'string' ? undefined : seen, violations };
    await delay(LOOK_EVERY_MS);
  }
}

function count(sent: readonly Sent[]): RoundReport['counts'] {
  const good = sent.filter(isAccepted).length;
  const unclear = sent.filter(isUnclear).length;
  return { accepted: good, unclear, refused: sent.length - good - unclear };
}
