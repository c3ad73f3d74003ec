import { createHmac } from 'node:crypto';
import type { Resource, Stack } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { stringAt } from '../json.ts';
import { describeLiveProperties } from './network-parts.ts';
import { ResourceFailure, type ResourceKind } from './resource-kind.ts';

const ADJUSTMENT_TYPES = ['change_in_capacity', 'exact_capacity', 'percent_change_in_capacity'];

/** The mount of Heat's CloudFormation API, which takes signed signals without a token. */
export const CFN_MOUNT = '/heat-api-cfn';

/** OS::Heat::ScalingPolicy: a signal to it resizes a group. */
export function scalingPolicyKind({ chance, url }: Foundation): ResourceKind {
  return {
    properties: {
      auto_scaling_group_id: { required: true },
      scaling_adjustment: { required: true, live: true },
      adjustment_type: { required: true, live: true },
      ...describeLiveProperties('cooldown', 'min_adjustment_step'),
    },
    create: async (task) => {
      const type = String(task.properties['adjustment_type']);
      if (!ADJUSTMENT_TYPES.includes(type)) {
        const allowed = ADJUSTMENT_TYPES.join(', ');
        const message = `Property error: adjustment_type: "${type}" is not an allowed value (${allowed})`;
        throw new ResourceFailure('StackValidationFailed', message);
      }
      const { stack, resource } = task;
      resource.data = {
        arn: `arn:openstack:heat::${stack.projectId}:stacks/${stack.name}/${stack.id}/resources/${resource.name}`,
        path: `${stack.projectId}/stacks/${stack.name}/${stack.id}/resources/${resource.name}/signal`,
        accessKey: chance.hex(),
        secretKey: chance.hex(),
      };
      // The policy is a Keystone user of its own, whose credentials sign the URL.
      task.identify(chance.hex());
    },
    update: async () => undefined,
    remove: async () => undefined,
    attributes: ({ data }) => ({
      alarm_url: `${url()}${CFN_MOUNT}/v1/signal/${encodeURIComponent(stringAt(data, 'arn') ?? '')}?${alarmQuery(data)}`,
      signal_url: `${url()}/heat-api/v1/${stringAt(data, 'path')}`,
    }),
  };
}

/** Returns whether the query of an alarm URL was signed by the policy. */
export function isSignedBy(policy: Resource, query: URLSearchParams): boolean {
  const wanted = alarmQuery(policy.data);
  return [...wanted].every(([name, value]) => query.get(name) === value);
}

/** Finds the policy that an alarm URL names. @param arn as in the URL, decoded */
export function policyOfArn(
  stacks: Readonly<Record<string, Stack>>,
  arn: string,
): { stack: Stack; row: Resource } | undefined {
  const [, id = '', name = ''] = /:stacks\/[^/]+\/([^/]+)\/resources\/(.+)$/.exec(arn) ?? [];
  const stack = stacks[id];
  const row = stack && Object.hasOwn(stack.resources, name) ? stack.resources[name] : undefined;
  return stack && row?.data['arn'] === arn ? { stack, row } : undefined;
}

function alarmQuery(data: Resource['data']): URLSearchParams {
  const signed = new URLSearchParams({
    AWSAccessKeyId: stringAt(data, 'accessKey') ?? '',
    SignatureMethod: 'HmacSHA256',
    SignatureVersion: '2',
  });
  const text = `POST\n${stringAt(data, 'arn')}\n${signed}`;
  const signature = createHmac('sha256', stringAt(data, 'secretKey') ?? '')
    .update(text)
    .digest('base64');
  return new URLSearchParams([...signed, ['Signature', signature]]);
}
