import { signalResource } from '../../world/cloud/heat/scaling.ts';
import { CFN_MOUNT, isSignedBy, policyOfArn } from '../../world/cloud/heat/scaling-policy-kind.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import type { Service } from '../service.ts';
import type { HeatParts } from './heat-parts.ts';

/** The part of Heat's CloudFormation API that `alarm_url` leads to: the signature in the URL stands for a token. */
export function createAlarmSignals(parts: HeatParts): Service {
  return {
    name: 'heat',
    mount: CFN_MOUNT,
    routes: [
      {
        method: 'POST',
        path: '/v1/signal/:arn',
        auth: 'none',
        handle: ({ params, query, body }) => {
          const found = policyOfArn(parts.foundation.state.stacks, params['arn'] ?? '');
          if (!found || !isSignedBy(found.row, query)) {
            throw new Refusal(403, 'AccessDenied', 'User is not authorized to perform action');
          }
          signalResource(parts, found.stack, found.row, body ?? null);
          return { status: 200, html: '' };
        },
      },
    ],
    refuse: ({ status, type, message }) => ({
      status,
      body: { ErrorResponse: { Error: { Code: type, Type: 'Sender', Message: message } } },
    }),
    unknownUrl: () => ({ status: 404, html: 'The resource could not be found.' }),
  };
}
