import type { Resource, Stack } from '../../world/cloud/cloud-state.ts';
import { signalResource } from '../../world/cloud/heat/scaling.ts';
import { isObject, type JsonObject } from '../../world/cloud/json.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Call, type Route, route } from '../service.ts';
import { type HeatParts, stackOf } from './heat-parts.ts';

/** Routes for the resources of a stack: list, show, mark unhealthy. */
export function resourceRoutes(parts: HeatParts): Route[] {
  const { views } = parts;
  const path = '/v1/:project/stacks/:name/:id/resources';
  return [
    route('GET', path, (call) => {
      const rows = views.resources(stackOf(parts, call), depthOf(call));
      return { status: 200, body: { resources: rows.filter((row) => isWanted(row, call.query)) } };
    }),
    route('GET', `${path}/:resource`, (call) => {
      const { stack, row } = resourceOf(parts, call);
      return { status: 200, body: { resource: views.resource(stack, row, call.session.admin) } };
    }),
    route('GET', `${path}/:resource/metadata`, (call) => {
      resourceOf(parts, call);
      return { status: 200, body: { metadata: {} } };
    }),
    route('POST', `${path}/:resource/signal`, (call) => {
      const { stack, row } = resourceOf(parts, call);
      signalResource(parts, stack, row, call.body ?? null);
      return { status: 200, body: null };
    }),
    route('PATCH', `${path}/:resource`, (call) => {
      const { stack, row } = resourceOf(parts, call);
      mark(parts, stack, row, isObject(call.body) ? call.body : {});
      return { status: 200, body: null };
    }),
  ];
}

/** Returns `nested_depth` of the query; Heat limits it to 5. */
export function depthOf({ query }: Call): number {
  const given = query.get('nested_depth');
  if (given === null) return 0;
  const depth = given.toLowerCase() === 'true' ? 5 : Number(given);
  if (!Number.isInteger(depth))
    throw new Refusal(400, 'HTTPBadRequest', `Only integer is acceptable by 'nested_depth'.`);
  return Math.min(Math.max(depth, 0), 5);
}

function isWanted(row: JsonObject, query: URLSearchParams): boolean {
  const matches = (key: string, test: (wanted: string) => boolean) => {
    const wanted = query.getAll(key);
    return wanted.length === 0 || wanted.some(test);
  };
  return (
    matches('type', (type) => String(row['resource_type']).startsWith(type)) &&
    matches('name', (name) => row['resource_name'] === name) &&
    matches('status', (status) => String(row['resource_status']).endsWith(status)) &&
    matches('physical_resource_id', (id) => row['physical_resource_id'] === id)
  );
}

/** Returns the resource that the URL names. @throws Refusal 404 */
function resourceOf(parts: HeatParts, call: Call): { stack: Stack; row: Resource } {
  const stack = stackOf(parts, call);
  const name = call.params['resource'] ?? '';
  const row = Object.hasOwn(stack.resources, name) ? stack.resources[name] : undefined;
  if (!row)
    throw new Refusal(404, 'ResourceNotFound', `The Resource (${name}) could not be found in Stack ${stack.name}.`);
  return { stack, row };
}

function mark({ store }: HeatParts, stack: Stack, row: Resource, body: JsonObject): void {
  const unknown = Object.keys(body).filter((key) => !['mark_unhealthy', 'resource_status_reason'].includes(key));
  if (unknown.length > 0) {
    const keys = unknown.map((key) => `'${key}'`).join(', ');
    throw new Refusal(400, 'HTTPBadRequest', `Invalid keys in resource mark unhealthy {${keys}}`);
  }
  if (body['mark_unhealthy'] === undefined) {
    throw new Refusal(400, 'HTTPBadRequest', 'Missing mandatory (mark_unhealthy) key from mark unhealthy request');
  }
  if (stack.progress === 'IN_PROGRESS') {
    const message = `Stack ${stack.name} already has an action (${stack.action}) in progress.`;
    throw new Refusal(409, 'ActionInProgress', message);
  }
  const reason = String(body['resource_status_reason'] ?? 'state changed by resource mark unhealthy');
  // Only a mark is taken back: another failure stays one.
  const isMarked = row.action === 'CHECK' && row.progress === 'FAILED';
  const isUnhealthy = ['true', '1'].includes(String(body['mark_unhealthy']).toLowerCase());
  if (isUnhealthy || isMarked) store.setResource(stack, row, 'CHECK', isUnhealthy ? 'FAILED' : 'COMPLETE', reason);
}
