import { resolveParameters } from '../../world/cloud/heat/parameters.ts';
import { readTemplate } from '../../world/cloud/heat/template.ts';
import { isObject, type Json, stringAt } from '../../world/cloud/json.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Route, route } from '../service.ts';
import type { HeatParts } from './heat-parts.ts';
import { readSource } from './requests.ts';

export function miscellaneousRoutes({ designer, foundation }: HeatParts): Route[] {
  return [
    route('GET', '/v1/:project/build_info', () => ({
      status: 200,
      body: { api: { revision: 'simulator' }, engine: { revision: 'simulator' } },
    })),
    route('POST', '/v1/:project/validate', ({ body }) => {
      const given = isObject(body) ? (body['template'] ?? null) : null;
      if (given === null) throw new Refusal(400, 'HTTPBadRequest', 'No template specified');
      const template = readTemplate(given);
      const parameters = Object.fromEntries(
        Object.entries(template.parameters).map(([name, schema]) => [
          name,
          {
            Type: parameterType(stringAt(schema, 'type')),
            Default: schema['default'] ?? null,
            NoEcho: String(schema['hidden'] === true),
            Description: stringAt(schema, 'description') ?? '',
            Label: stringAt(schema, 'label') ?? name,
          } as Json,
        ]),
      );
      return {
        status: 200,
        body: { Description: template.description ?? 'No description', Parameters: parameters, Environment: {} },
      };
    }),
    route('POST', '/v1/:project/stacks/preview', (call) => {
      const source = readSource(designer, isObject(call.body) ? call.body : {});
      resolveParameters(designer.template(source.template), source);
      return { status: 200, body: { stack: { stack_name: stringAt(call.body, 'stack_name') ?? '', resources: [] } } };
    }),
    route('GET', '/v1/:project/resource_types', () => ({
      status: 200,
      body: { resource_types: designer.types().map((type) => ({ resource_type: type, description: null })) },
    })),
    route('GET', '/v1/:project/services', () => ({
      status: 200,
      body: {
        services: foundation.state.hosts.slice(0, 1).map((host) => ({ host, binary: 'heat-engine', status: 'up' })),
      },
    })),
  ];
}

function parameterType(type: string | undefined): string {
  const names: Readonly<Record<string, string>> = {
    json: 'Json',
    number: 'Number',
    boolean: 'Boolean',
    comma_delimited_list: 'CommaDelimitedList',
  };
  return names[type ?? ''] ?? 'String';
}
