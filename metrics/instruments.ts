import { Counter, Histogram, Registry } from 'prom-client';
import { outcomeCodeOf } from '../domain/outcome-code.ts';

/**
 * What one process measures about itself, in the names and units that Prometheus recommends
 * (prometheus.io/docs/practices/naming). A process has one registry, because its parts (SSH, OpenStack, steps, HTTP)
 * know nothing of each other.
 */
export const REGISTRY = new Registry();

const registers = [REGISTRY];
/** Seconds: from a quick answer to a step that installs a node. */
const STEP_SECONDS = [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_200, 3_600];
const CALL_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30];

const httpRequests = new Histogram({
  name: 'vnflow_http_request_duration_seconds',
  help: 'Requests to the API, from the first byte to the end of the answer.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: CALL_SECONDS,
  registers,
});

const steps = new Histogram({
  name: 'vnflow_step_duration_seconds',
  help: 'Attempts of steps. The outcome is DONE, FAILED (with its error code), REPEATED (with its code) or STOPPED.',
  labelNames: ['kind', 'outcome', 'code'] as const,
  buckets: STEP_SECONDS,
  registers,
});

const openstackCalls = new Histogram({
  name: 'vnflow_openstack_request_duration_seconds',
  help: 'Requests to OpenStack. The status is "none" when no answer arrived.',
  labelNames: ['service', 'method', 'status'] as const,
  buckets: CALL_SECONDS,
  registers,
});

const sshLogins = new Counter({
  name: 'vnflow_ssh_logins_total',
  help: 'Logins to nodes and to the bastion. The outcome is OK or an error code.',
  labelNames: ['outcome'] as const,
  registers,
});

const sshCommands = new Histogram({
  name: 'vnflow_ssh_command_duration_seconds',
  help: 'Commands over SSH. The outcome is OK (any exit code) or an error code.',
  labelNames: ['outcome'] as const,
  buckets: CALL_SECONDS,
  registers,
});

/** A request to the API. `route` is the pattern of its path, so that ids make no series of their own. */
export interface MeasuredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export function measureHttpRequest({ seconds, status, ...labels }: MeasuredRequest): void {
  httpRequests.observe({ ...labels, status: String(status) }, seconds);
}

export type StepOutcome = 'DONE' | 'FAILED' | 'REPEATED' | 'STOPPED';

/** @param seconds from the start to the end of the attempt */
export function measureStep(
  { kind, outcome, code = '' }: { kind: string; outcome: StepOutcome; code?: string },
  seconds: number,
): void {
  steps.observe({ kind, outcome, code }, seconds);
}

/** @param status undefined when no answer arrived */
export function measureOpenstackCall(
  { service, method, status }: { service: string; method: string; status: number | undefined },
  seconds: number,
): void {
  openstackCalls.observe({ service, method, status: status === undefined ? 'none' : String(status) }, seconds);
}

/** Counts a login while it is awaited. */
export async function measureSshLogin<T>(login: Promise<T>): Promise<T> {
  try {
    const session = await login;
    sshLogins.inc({ outcome: 'OK' });
    return session;
  } catch (error) {
    sshLogins.inc({ outcome: outcomeCodeOf(error) });
    throw error;
  }
}

/** Measures a command while it is awaited. */
export async function measureSshCommand<T>(command: Promise<T>): Promise<T> {
  const since = performance.now();
  const end = (outcome: string) => sshCommands.observe({ outcome }, (performance.now() - since) / 1000);
  try {
    const result = await command;
    end('OK');
    return result;
  } catch (error) {
    end(outcomeCodeOf(error));
    throw error;
  }
}
