import { makeBoundToken } from '../../world/cluster/service-accounts.ts';
import { failure, type Output, ok } from '../shell/command.ts';
import { forbidden } from './connection.ts';
import type { Scope } from './scope.ts';

const HOUR = 3600;
const SHORTEST = 600;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: HOUR };

/** Runs `kubectl create token NAME`. */
export function createToken([, name = '']: readonly string[], { connection, parsed, namespace }: Scope): Output {
  const refusal = forbidden(connection, 'create', { plural: 'serviceaccounts/token', name, namespace });
  if (refusal) return refusal;
  const [, count = '', unit = ''] = /^(\d+)([smh])$/.exec(parsed.value('--duration') ?? '1h') ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? 0);
  if (seconds < SHORTEST)
    return failure(
      1,
      `error: failed to create token:  TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${seconds}: may not specify a duration less than 10 minutes`,
    );
  const made = makeBoundToken(connection.server, connection.cluster, { namespace, name, seconds });
  if (!made) return failure(1, `error: failed to create token: serviceaccounts "${name}" not found`);
  if (parsed.value('-o', '--output') !== 'json') return ok(`${made.token}\n`);
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: null },
    spec: {
      audiences: ['https://kubernetes.default.svc.cluster.local'],
      expirationSeconds: seconds,
      boundObjectRef: null,
    },
    status: { token: made.token, expirationTimestamp: made.expiresAt },
  };
  return ok(`${JSON.stringify(answer, null, 4)}\n`);
}
