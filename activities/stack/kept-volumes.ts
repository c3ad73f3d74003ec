import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { deleteVolume, showVolume } from '../../openstack/cinder.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { pollUntil } from '../attempt/poll.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { StackContext } from './stack-context.ts';

/** Cinder detaches and deletes a volume in seconds; a large one that is wiped needs minutes. */
const GONE_SECONDS = 600;
/** Volume by the name of its resource. */
const KeptVolumes = z.record(z.string(), z.string());
type KeptVolumes = z.infer<typeof KeptVolumes>;

/** Remembers volumes that no stack deletes, until the instance is terminated. */
export async function rememberKeptVolumes(context: ActivityContext, volumes: KeptVolumes): Promise<void> {
  const { deps, input } = context;
  const all = { ...(await readKeptVolumes(context)), ...volumes };
  const name = secretName.keptVolumes(input.vnfInstanceId);
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(name, all, input.vnfInstanceId));
}

export async function readKeptVolumes({ deps, input }: ActivityContext): Promise<KeptVolumes> {
  return KeptVolumes.parse((await deps.secrets.get(secretName.keptVolumes(input.vnfInstanceId))) ?? {});
}

/**
 * Deletes the volumes that outlived their stacks, and waits until they are gone.
 * @throws VnflowError VOLUME_STUCK when one is still there after minutes
 */
export async function removeKeptVolumes(context: StackContext): Promise<void> {
  const { deps, session, signal } = context;
  for (const id of Object.values(await readKeptVolumes(context))) {
    await pollUntil({ pause: deps.pace.poll, limitSeconds: GONE_SECONDS, signal }, async (isLate) => {
      const volume = await showVolume(session, id, { signal });
      if (!volume) return true;
      if (isLate()) {
        throw new VnflowError('VOLUME_STUCK', {
          detail: `Cinder has not deleted the volume ${id} within ${GONE_SECONDS} s: it is ${volume.status}.`,
          seen: `volume ${id} ${volume.status}`,
        });
      }
      context.mustHold();
      if (!/^(deleting|detaching|in-use)$/.test(volume.status)) await deleteVolume(session, id, { signal });
      context.say(`Cinder deletes the volume ${id}`);
      return undefined;
    });
  }
}
