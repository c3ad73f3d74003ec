import { z } from 'zod';
import type { StepInput } from '../domain/activity-contract.ts';
import type { JoinCredentials } from '../domain/phase-environment.ts';
import { VnflowError } from '../domain/problems.ts';
import type { JobResult } from '../ssh/job.ts';
import { listClusterNodes } from '../store/cluster-nodes.ts';
import { secretName } from '../store/secrets.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { Beat } from './heartbeating.ts';
import { onNode } from './node-session.ts';
import { runPhase } from './phase.ts';

/** Tokens live two hours at least (docs/install-script.md); a join that starts now must end before its token does. */
const USABLE_MS = 90 * 60 * 1000;
const REACH_SECONDS = 60;

const Lease = z.object({
  round: z.int(),
  vnfLcmOpOccId: z.string(),
  mintedAt: z.number(),
  credentials: z.object({ token: z.string(), caCertHash: z.string(), certificateKey: z.string() }),
});

/** Seals what a phase minted; the job's secret output is removed from the node after that. */
export async function keepJoinCredentials(
  deps: ActivityDependencies,
  input: StepInput,
  job: JobResult,
): Promise<JoinCredentials> {
  const { JOIN_TOKEN: token, CERTIFICATE_KEY: certificateKey } = job.secretOutputs;
  const { CA_CERT_HASH: caCertHash } = job.outputs;
  if (!token || !caCertHash || !certificateKey) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail:
        'The install script ended well but did not give CA_CERT_HASH, JOIN_TOKEN and CERTIFICATE_KEY (docs/install-script.md).',
      seen: job.logTail,
    });
  }
  const credentials = { token, caCertHash, certificateKey };
  const lease = { round: input.round, vnfLcmOpOccId: input.vnfLcmOpOccId, mintedAt: Date.now(), credentials };
  await deps.secrets.put(secretName.joinCredentials(input.vnfInstanceId), lease, input.vnfInstanceId);
  return credentials;
}

/** Many joins of one worker process that find no lease ask the control plane once. */
const minting = new Map<string, Promise<JoinCredentials>>();

/** Credentials of this round of the operation; minted anew when there are none or they are too old. */
export async function joinCredentials(
  deps: ActivityDependencies,
  input: StepInput,
  beat: Beat,
): Promise<JoinCredentials> {
  const kept = Lease.safeParse(await deps.secrets.get(secretName.joinCredentials(input.vnfInstanceId)));
  const usable =
    kept.success &&
    kept.data.vnfLcmOpOccId === input.vnfLcmOpOccId &&
    kept.data.round === input.round &&
    Date.now() - kept.data.mintedAt < USABLE_MS;
  if (usable) return kept.data.credentials;
  const under = minting.get(input.vnfInstanceId);
  if (under) return under;
  const minted = mint(deps, input, beat).finally(() => minting.delete(input.vnfInstanceId));
  minting.set(input.vnfInstanceId, minted);
  return minted;
}

async function mint(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<JoinCredentials> {
  const master = (await listClusterNodes(deps.db, input.vnfInstanceId)).find(({ role }) => role === 'master');
  if (!master)
    throw new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could issue a token.' });
  return onNode(deps, input, { slot: master.slot, limitSeconds: REACH_SECONDS, beat }, async (access) => {
    const phase = { name: 'credentials', kind: 'joinWorker', jobSuffix: `credentials-${Date.now()}` } as const;
    return keepJoinCredentials(deps, input, await runPhase(deps, input, { phase, access, beat }));
  });
}
