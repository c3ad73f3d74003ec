import type { AxiosInstance, AxiosResponse } from 'axios';
import axios from 'axios';
import { TASKS } from '../../domain/operations.ts';
import type { Ledger } from '../../simulator/index.ts';
import { jobId } from '../../ssh/job.ts';

/** Task resource → operation. */
const OPERATION_OF = new Map(TASKS.map(([operation, task]) => [task, operation]));

interface Promised {
  /** Answer of `POST …/plan`, requested right before the operation. */
  readonly answer: AxiosResponse;
  /** The ledger's last entry at that time. */
  readonly since: number;
}

/** Plans by path of the operation. */
const promises = new Map<string, Promised>();
/** Ledgers of what happened on the nodes, by base URL of the API. */
const witnesses = new Map<string, Ledger>();

export function bearWitness(baseUrl: string, ledger: Ledger): void {
  witnesses.set(baseUrl, ledger);
}

/**
 * Makes a client request the plan of every operation before it starts the operation. It handles requests of version 2.
 */
export function askForPlans(http: AxiosInstance): AxiosInstance {
  const pending = new WeakMap<object, Promised>();
  http.interceptors.request.use(async (config) => {
    const [, instance, task] = /\/vnflcm\/v2\/vnf_instances\/([^/?]+)\/([a-z]+)$/.exec(config.url ?? '') ?? [];
    const operation = OPERATION_OF.get(task ?? '');
    if (config.method !== 'post' || operation === undefined) return config;
    const { baseURL = '', headers } = config;
    const answer = await axios.post(
      `${baseURL}/vnflow/v1/vnf_instances/${instance}/plan`,
      { operation, request: config.data },
      { headers: { ...headers }, validateStatus: () => true, proxy: false },
    );
    pending.set(config, { answer, since: witnesses.get(baseURL)?.entries().at(-1)?.seq ?? 0 });
    return config;
  });
  http.interceptors.response.use((response) => {
    const promised = pending.get(response.config);
    const location = String(response.headers['location'] ?? '');
    if (promised && response.status === 202) promises.set(new URL(location).pathname, promised);
    return response;
  });
  return http;
}

/**
 * Checks that the plan contained all that was executed, and that vnflow did not log in to a node that the plan leaves
 * untouched.
 * @throws Error that names what was not planned
 */
export async function checkAgainstPlan(http: AxiosInstance, operation: string): Promise<void> {
  const promised = promises.get(operation);
  if (!promised) return;
  const { answer, since } = promised;
  if (answer.status !== 200) {
    if (answer.data.code === 'VNF_BUSY') return; // the previous operation was just ending
    throw new Error(`accepted, although its plan was refused: ${JSON.stringify(answer.data)}`);
  }
  const { steps, rollback, disruption } = answer.data;
  const planned: string[] = [...steps, ...rollback.steps].map(({ id }: { id: string }) => id);
  const { data: timeline } = await http.get(operation.replace('/vnflcm/v2/', '/vnflow/v1/').concat('/timeline'));
  const unplanned = timeline.steps
    .filter(({ id, attempt }: { id: string; attempt: number }) => attempt > 0 && !planned.includes(id))
    .map(({ id }: { id: string }) => id);
  const entries = witnesses.get(http.defaults.baseURL ?? '')?.entries(since) ?? [];
  const jobs = planned.map((id) => `vnflow-${jobId(timeline.id, id)}-`);
  const unplannedJobs = entries
    .filter(({ kind }) => kind === 'phase')
    .map(({ detail }) => String(detail?.['unit']))
    .filter((unit) => unit.startsWith(`vnflow-${timeline.id}-`) && !jobs.some((job) => unit.startsWith(job)));
  const untouched = new Set(disruption.untouched.map((label: string) => label.split(' ')[0]));
  const logins = entries
    .filter(({ kind, where }) => kind === 'login' && untouched.has(where))
    .map(({ where }) => where);
  if (unplanned.length + unplannedJobs.length + logins.length === 0) return;
  throw new Error(`not in the plan: ${JSON.stringify({ unplanned, unplannedJobs, logins })}`);
}
