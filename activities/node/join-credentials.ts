import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import type { JoinCredentials } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { finishStalledJoin } from '../etcd/stalled-join.ts';
import type { StepContext } from '../step-context.ts';
import { onControlPlane } from './control-plane.ts';
import { type Phase, runPhase } from './phase.ts';
import type { PhaseContext } from './phase-job.ts';

/** A token lives at least two hours (docs/install-script.md). A join that starts now must end before its token does. */
const USABLE_MS = 90 * 60 * 1000;

const Lease = z.object({
  round: z.int(),
  vnfLcmOpOccId: z.string(),
  mintedAt: z.number(),
  credentials: z.object({
    token: z.string().min(1),
    certificateKey: z.string().min(1),
    caCertHash: z.string().min(1).optional(),
    encryptionConfig: z.string().min(1).optional(),
  }),
});
type Lease = z.infer<typeof Lease>;

/**
 * Runs a phase that mints credentials (`init`, `credentials`) and keeps the credentials, sealed.
 * @throws VnflowError NODE_PROTOCOL; as `runPhase`
 */
export async function mintJoinCredentials(
  step: PhaseContext,
  phase: Omit<Phase, 'sealSecrets'>,
): Promise<JoinCredentials> {
  const { input } = step;
  const sealSecrets = (secrets: Readonly<Record<string, string>>) =>
    putLease(step, {
      round: input.round,
      vnfLcmOpOccId: input.vnfLcmOpOccId,
      mintedAt: Date.now(),
      credentials: {
        token: secrets['JOIN_TOKEN'] ?? '',
        certificateKey: secrets['CERTIFICATE_KEY'] ?? '',
        encryptionConfig: secrets['ENCRYPTION_CONFIG'],
      },
    });
  const { outputs, logTail } = await runPhase(step, { ...phase, sealSecrets });
  const lease = await readLease(step);
  const caCertHash = outputs['CA_CERT_HASH'];
  if (!lease || !caCertHash) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail:
        'The install script ended well but did not give CA_CERT_HASH, JOIN_TOKEN and CERTIFICATE_KEY (docs/install-script.md).',
      seen: logTail,
    });
  }
  const credentials = { ...lease.credentials, caCertHash };
  await putLease(step, { ...lease, credentials });
  return credentials;
}

async function putLease({ deps, input }: ActivityContext, lease: Lease): Promise<void> {
  const { vnfInstanceId: owner } = input;
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(secretName.joinCredentials(owner), lease, owner));
}

async function readLease({ deps, input }: ActivityContext): Promise<Lease | undefined> {
  const kept = Lease.safeParse(await deps.secrets.get(secretName.joinCredentials(input.vnfInstanceId)));
  return kept.success ? kept.data : undefined;
}

/**
 * By instance: credentials that are being minted. Joins of one worker process that find no usable credentials share one
 * minting.
 */
const minting = new Map<string, Promise<JoinCredentials>>();

/** kubeadm's words for a token that the cluster does not know: it has expired, or was deleted. */
const TOKEN_IS_GONE = /could not find a JWS signature in the cluster-info ConfigMap/;

/**
 * Joins a node with credentials. The next attempt gets new ones when the cluster does not know their token any more: the
 * clock of a node that slept, or an administrator, may end a token before its time.
 * @param join gets the credentials
 * @throws VnflowError as `join` and `runPhase`
 */
export async function withJoinCredentials(
  step: StepContext,
  join: (credentials: JoinCredentials) => Promise<void>,
): Promise<void> {
  const credentials = await getJoinCredentials(step);
  try {
    await join(credentials);
  } catch (error) {
    if (error instanceof VnflowError && TOKEN_IS_GONE.test(error.message)) await endLease(step, credentials);
    throw error;
  }
}

/** Makes credentials too old, unless another step has minted new ones meanwhile. */
async function endLease(step: StepContext, { token }: JoinCredentials): Promise<void> {
  const lease = await readLease(step);
  if (lease?.credentials.token === token) await putLease(step, { ...lease, mintedAt: 0 });
}

/** Gets credentials of this round of the operation. Mints new ones when there are none or they are too old. */
async function getJoinCredentials(step: StepContext): Promise<JoinCredentials> {
  const { input } = step;
  const lease = await readLease(step);
  const fresh =
    lease?.vnfLcmOpOccId === input.vnfLcmOpOccId &&
    lease.round === input.round &&
    Date.now() - lease.mintedAt < USABLE_MS;
  if (fresh && lease.credentials.caCertHash !== undefined)
    return { ...lease.credentials, caCertHash: lease.credentials.caCertHash };
  const under = minting.get(input.vnfInstanceId);
  if (under) return under;
  const minted = mintOnControlPlane(step).finally(() => minting.delete(input.vnfInstanceId));
  minting.set(input.vnfInstanceId, minted);
  return minted;
}

async function mintOnControlPlane(step: StepContext): Promise<JoinCredentials> {
  const { slot } = step.input;
  return onControlPlane(step, { avoid: slot === undefined ? [] : [slot] }, async (node) => {
    await finishStalledJoin(node);
    return mintJoinCredentials(node, {
      name: 'credentials',
      kind: 'joinWorker',
      jobSuffix: `credentials-${Date.now()}`,
    });
  });
}
