import { VnflowError } from '../../domain/problems.ts';
import { forgetHostKeys, isBastionKey, listHostKeys, type PinnedHostKey } from '../../store/host-keys.ts';
import { type Caller, isOperator } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoints, withoutBody } from '../http/endpoint.ts';
import { present } from '../http/present.ts';

/** The name of the bastion in requests and answers. */
const BASTION = 'bastion';

/** The pinned SSH host keys under `/vnflow/v1`: of the servers of the caller's project, and of the bastion. */
export function hostKeyResources({ db }: ApiContext): Record<string, Endpoints> {
  return {
    '/host_keys': {
      GET: withoutBody(async ({ caller }) => ({
        status: 200,
        json: (await listHostKeys(db, caller.tenant)).map(hostKeyView),
      })),
    },
    '/host_keys/:machine': {
      DELETE: withoutBody(async ({ caller, params }) => {
        const machine = params['machine'] ?? '';
        if (machine === BASTION) checkOperator(caller);
        const keys = (await listHostKeys(db, caller.tenant)).filter((key) => machineOf(key) === machine);
        if (keys.length === 0)
          throw new VnflowError('NOT_FOUND', {
            detail: `No host key of the machine "${machine.slice(0, 100)}" is pinned.`,
          });
        await forgetHostKeys(
          db,
          keys.map(({ serverId }) => serverId),
        );
        return { status: 204 };
      }),
    },
  };
}

/** The id of a server, or `bastion`. */
function machineOf(key: PinnedHostKey): string {
  return isBastionKey(key) ? BASTION : key.serverId;
}

/**
 * The bastion serves all projects: a member of one of them must not make vnflow trust another machine.
 * @throws VnflowError FORBIDDEN
 */
function checkOperator(caller: Caller): void {
  if (isOperator(caller)) return;
  throw new VnflowError('FORBIDDEN', {
    detail: 'The bastion serves all projects, so forgetting its host key needs the role admin.',
  });
}

function hostKeyView(key: PinnedHostKey): Record<string, unknown> {
  const isBastion = isBastionKey(key);
  return present({
    machine: machineOf(key),
    address: isBastion ? key.serverId.slice(BASTION.length + 1) : undefined,
    nodeName: key.nodeName,
    vnfInstanceId: isBastion ? undefined : key.vnfInstanceId,
    keyType: key.keyType,
    fingerprint: key.fingerprint,
    source: key.source,
    seenAt: key.seenAt.toISOString(),
  });
}
