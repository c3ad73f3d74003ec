import { z } from 'zod';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { JoinCredentials } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { secretName } from '../../store/secrets.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { onControlPlane } from './control-plane.ts';
import type { NodeAccess } from './node-session.ts';
import { type Phase, runPhase } from './phase.ts';

/** Tokens live two hours at least (docs/install-script.md); a join that starts now must end before its token does. */
const USABLE_MS = 90 * 60 * 1000;

const Lease = z.object({
  round: z.int(),
  vnfLcmOpOccId: z.string(),
  mintedAt: z.number(),
  credentials: z.object({
    token: z.string().min(1),
    certificateKey: z.string().min(1),
    caCertHash: z.string().min(1).optional(),
  }),
});
type Lease = z.infer<typeof Lease>;

/** Runs a phase that mints credentials (`init`, `credentials`) and keeps what it gives, sealed. */
export async function mintJoinCredentials(
  deps: ActivityDependencies,
  input: StepInput,
  { phase, access, beat }: { phase: Omit<Phase, 'sealSecrets'>; access: NodeAccess; beat: Beat },
): Promise<JoinCredentials> {
  const sealSecrets = (secrets: Readonly<Record<string, string>>) =>
    putLease(deps, input, {
      round: input.round,
      vnfLcmOpOccId: input.vnfLcmOpOccId,
      mintedAt: Date.now(),
      credentials: { token: secrets['JOIN_TOKEN'] ?? '', certificateKey: secrets['CERTIFICATE_KEY'] ?? '' },
    });
  const { outputs, logTail } = await runPhase(deps, input, { phase: { ...phase, sealSecrets }, access, beat });
  const lease = await readLease(deps, input);
  const caCertHash = outputs['CA_CERT_HASH'];
  if (!lease || !caCertHash) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail:
        'The install script ended well but did not give CA_CERT_HASH, JOIN_TOKEN and CERTIFICATE_KEY (docs/install-script.md).',
      seen: logTail,
    });
  }
  const credentials = { ...lease.credentials, caCertHash };
  await putLease(deps, input, { ...lease, credentials });
  return credentials;
}

async function putLease(deps: ActivityDependencies, input: StepInput, lease: Lease): Promise<void> {
  const { vnfInstanceId: owner } = input;
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(secretName.joinCredentials(owner), lease, owner));
}

async function readLease(deps: ActivityDependencies, input: StepInput): Promise<Lease | undefined> {
  const kept = Lease.safeParse(await deps.secrets.get(secretName.joinCredentials(input.vnfInstanceId)));
  return kept.success ? kept.data : undefined;
}

/** Many joins of one worker process that find no lease ask the control plane once. */
const minting = new Map<string, Promise<JoinCredentials>>();

/** Credentials of this round of the operation; minted anew when there are none or they are too old. */
export async function joinCredentials(
  deps: ActivityDependencies,
  input: StepInput,
  beat: Beat,
): Promise<JoinCredentials> {
  const lease = await readLease(deps, input);
  const fresh =
    lease?.vnfLcmOpOccId === input.vnfLcmOpOccId &&
    lease.round === input.round &&
    Date.now() - lease.mintedAt < USABLE_MS;
  if (fresh && lease.credentials.caCertHash !== undefined)
    return { ...lease.credentials, caCertHash: lease.credentials.caCertHash };
  const under = minting.get(input.vnfInstanceId);
  if (under) return under;
  const minted = mint(deps, input, beat).finally(() => minting.delete(input.vnfInstanceId));
  minting.set(input.vnfInstanceId, minted);
  return minted;
}

async function mint(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<JoinCredentials> {
  const avoid = input.slot === undefined ? [] : [input.slot];
  return onControlPlane(deps, input, { avoid, beat }, async (access) => {
    const phase = { name: 'credentials', kind: 'joinWorker', jobSuffix: `credentials-${Date.now()}` } as const;
    return mintJoinCredentials(deps, input, { phase, access, beat });
  });
}
