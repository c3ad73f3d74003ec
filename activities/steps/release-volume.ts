import { VnflowError } from '../../domain/problems.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { onNode } from '../node/node-session.ts';
import type { StepContextOf } from '../step-context.ts';

/** A server that is healed is often dead: the heal does not wait long for it. */
const REACH_SECONDS = 10;
const TIMEOUT_MS = 90_000;
const DATA = '/private_registry';
/** What was stopped and unmounted already is no failure. */
const RELEASE = `docker stop --time=30 private_registry
sync
if mountpoint -q "$1"; then umount "$1"; fi`;

/** Stops the registry and unmounts its volume, as far as the server still answers. */
export async function releaseVolume(step: StepContextOf<'releaseVolume'>): Promise<undefined> {
  const { deps, input } = step;
  const text = await release(step);
  step.say(text);
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, text);
}

async function release(step: StepContextOf<'releaseVolume'>): Promise<string> {
  const { signal } = step;
  try {
    const { code, stderr } = await onNode(step, { limitSeconds: REACH_SECONDS }, ({ session }) =>
      execAsRoot(session, sudoCommand(['sh', '-c', RELEASE, 'vnflow', DATA]), {
        name: 'release volume',
        signal,
        timeoutMs: TIMEOUT_MS,
      }),
    );
    return code === 0 ? 'The volume is unmounted.\n' : `The volume could not be unmounted: ${stderr.slice(-500)}`;
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    return `The volume could not be unmounted: ${error.message}`;
  }
}
