import { setTimeout as delay } from 'node:timers/promises';
import { VnflowError } from '../../domain/problems.ts';
import { listClusterNodes } from '../../store/cluster-nodes.ts';
import { findStep, type OperationStepRow } from '../../store/operation-steps.ts';
import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import { readStepLog } from '../../store/step-logs.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiRequest, type Endpoints, withoutBody } from '../http/endpoint.ts';
import { readCount } from '../http/read-count.ts';
import { vnfLcmOpOccOf } from '../vnflcm/lookup.ts';
import { stepView } from './timeline.ts';

const STEP = '/vnf_lcm_op_occs/:id/steps/:stepId';
const POLL_MS = 300;
const LONGEST_WAIT_SECONDS = 60;
const MOST = Number.MAX_SAFE_INTEGER;

/** One step, and the log of one of its attempts. */
export function stepResources(context: ApiContext): Record<string, Endpoints> {
  return {
    [STEP]: {
      GET: withoutBody(async (request) => {
        const operation = await vnfLcmOpOccOf(context, request);
        const [step, nodes] = await Promise.all([
          stepOf(context, operation, request),
          listClusterNodes(context.db, operation.vnfInstanceId),
        ]);
        return { status: 200, json: stepView(step, { nodes, expectedSeconds: undefined }) };
      }),
    },
    [`${STEP}/log`]: {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: await logOf(context, await vnfLcmOpOccOf(context, request), request),
      })),
    },
  };
}

/** @throws VnflowError NOT_FOUND */
async function stepOf({ db }: ApiContext, { id }: VnfLcmOpOccRow, { params }: ApiRequest): Promise<OperationStepRow> {
  const stepId = params['stepId'] ?? '';
  const step = await findStep(db, id, stepId);
  if (step) return step;
  throw new VnflowError('NOT_FOUND', { detail: `The operation has no step ${stepId.slice(0, 200)}.` });
}

/**
 * A part of a log: after the piece `?after=`, of the attempt `?attempt=` (the newest); with `?wait=SECONDS` it waits
 * that long for more, as long as the attempt runs.
 */
async function logOf(
  context: ApiContext,
  operation: VnfLcmOpOccRow,
  request: ApiRequest,
): Promise<Record<string, unknown>> {
  const { query, signal } = request;
  let step = await stepOf(context, operation, request);
  const attempt = readCount(query, 'attempt', step.attempt, MOST);
  const after = readCount(query, 'after', 0, MOST);
  const until = Date.now() + Math.min(readCount(query, 'wait', 0, MOST), LONGEST_WAIT_SECONDS) * 1000;
  const key = { vnfLcmOpOccId: operation.id, stepId: step.stepId, attempt };
  // The state comes before the text: what an attempt writes before its end is in the text of that answer.
  let runs = runsStill(step, attempt);
  let part = await readStepLog(context.db, key, after);
  while (part.text === '' && runs && Date.now() < until && !signal.aborted) {
    await delay(POLL_MS);
    step = await stepOf(context, operation, request);
    runs = runsStill(step, attempt);
    part = await readStepLog(context.db, key, after);
  }
  // Steps that run no script on a node keep what they say in the tail. So do rows of older releases.
  const short = part.text === '' && after === 0 && attempt === step.attempt && !runs ? (step.logTail ?? '') : '';
  return { stepId: step.stepId, attempt, attempts: step.attempt, ...part, text: part.text || short, running: runs };
}

function runsStill({ state, attempt }: OperationStepRow, asked: number): boolean {
  return state === 'RUNNING' && attempt === asked;
}
