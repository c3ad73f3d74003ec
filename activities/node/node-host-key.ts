import { consoleFingerprints, isStillBooting } from '../../domain/console-log.ts';
import { PROBLEMS, VnflowError } from '../../domain/problems.ts';
import { consoleOutput } from '../../openstack/nova.ts';
import type { HostKeyPolicy } from '../../ssh/host-key.ts';
import { type ClusterNode, findHostKey, pinHostKey } from '../../store/cluster-nodes.ts';
import { bastionKeyId, NO_INSTANCE } from '../../store/host-keys.ts';
import type { ActivityContext } from '../activity-context.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies, Bastion } from '../dependencies.ts';
import { readVimConnection } from '../facts/operation-facts.ts';
import { vimSession } from '../stack/vim-session.ts';
import { createConsoleReader } from './console-reader.ts';
import { patientReader } from './patient-reader.ts';

/**
 * An answer within this time serves the next connection: a Nova that is slow under hundreds of questions gets no second
 * one.
 */
const CONSOLE_TIMEOUT_MS = 20_000;
const CONSOLE_LINES = 200;
/** All attempts of this process share this reader. */
const readServerConsole = createConsoleReader();

/**
 * The host key that a node must show. It is pinned by server and not by address, because a healed node may have the
 * address of its predecessor. sshd is up before cloud-init prints the keys on the console: until then a new server gets
 * no credential.
 */
export async function nodeHostKey(context: ActivityContext, node: ClusterNode): Promise<HostKeyPolicy> {
  const { deps, input } = context;
  const pinned = await findHostKey(deps.db, node.serverId);
  const expected = pinned ? [pinned.fingerprint] : [];
  const readSoon = patientReader(
    () =>
      readServerConsole(node.serverId, {
        serveMs: deps.pace.consoleEvery * 1000,
        ask: () => readConsole(context, node.serverId),
      }),
    (deps.pace.connectLimit * 1000) / 2, // a wait that outlasts the time-out of the connection would be in vain
  );
  let waitingUntil: number | undefined;
  return {
    expected,
    onFirstContact: async (fingerprint, keyType) => {
      const log = await readSoon();
      if (log === undefined) {
        throw new VnflowError('NODE_UNREACHABLE', {
          detail: `Nova did not give the console of server ${node.serverId}, so the host key ${fingerprint} of ${node.sshAddress} could not be checked. No credential was sent.`,
        });
      }
      const announced = consoleFingerprints(log);
      waitingUntil ??= Date.now() + deps.pace.consoleGrace * 1000;
      if (announced.length === 0 && isStillBooting(log) && Date.now() < waitingUntil) {
        throw new VnflowError('NODE_UNREACHABLE', {
          detail: `The console of server ${node.serverId} has not announced the host key of ${node.sshAddress} yet, which shows ${fingerprint}.`,
        });
      }
      if (announced.length > 0 && !announced.includes(fingerprint)) {
        throw new VnflowError('NODE_HOST_KEY', {
          detail: `${node.sshAddress} shows the host key ${fingerprint}, but the console of server ${node.serverId} announced ${announced.join(', ')}. No credential was sent.`,
        });
      }
      const source = announced.length > 0 ? 'console' : 'first-contact';
      const key = { serverId: node.serverId, vnfInstanceId: input.vnfInstanceId, keyType, fingerprint };
      await writeAsAttempt(deps, ({ db }) => pinHostKey(db, { ...key, source }));
      expected.push(fingerprint); // for the next attempt
    },
  };
}

/**
 * @returns an empty text when there is no console to read, which proves nothing; undefined when another try may succeed
 */
async function readConsole(context: ActivityContext, serverId: string): Promise<string | undefined> {
  try {
    const session = vimSession(context.deps, await readVimConnection(context));
    return await consoleOutput(session, serverId, { length: CONSOLE_LINES, timeoutMs: CONSOLE_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    return PROBLEMS[error.code].retriable ? undefined : '';
  }
}

/**
 * The host key that a bastion must show: one of the configuration, or else the one of the first contact, which is
 * pinned, because no console announces it.
 */
export async function bastionHostKey(deps: ActivityDependencies, bastion: Bastion): Promise<HostKeyPolicy> {
  const changedCode = 'BASTION_HOST_KEY';
  if (bastion.hostKeys !== undefined) return { expected: bastion.hostKeys, changedCode, onFirstContact: () => {} };
  const id = bastionKeyId(bastion);
  const pinned = await findHostKey(deps.db, id);
  const expected = pinned ? [pinned.fingerprint] : [];
  return {
    expected,
    changedCode,
    onFirstContact: async (fingerprint, keyType) => {
      await pinHostKey(deps.db, {
        serverId: id,
        vnfInstanceId: NO_INSTANCE,
        keyType,
        fingerprint,
        source: 'first-contact',
      });
      expected.push(fingerprint);
    },
  };
}
