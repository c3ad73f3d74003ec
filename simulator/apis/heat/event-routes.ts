import type { Stack, StackEvent } from '../../world/cloud/cloud-state.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Call, type Route, route } from '../service.ts';
import { type HeatParts, stackOf } from './heat-parts.ts';
import { depthOf } from './resource-routes.ts';

interface Found {
  readonly stack: Stack;
  readonly event: StackEvent;
}

/** Routes for the events of a stack, of its nested stacks, and of one resource. */
export function eventRoutes(parts: HeatParts): Route[] {
  const { views } = parts;
  const path = '/v1/:project/stacks/:name/:id';
  const list = (call: Call) => {
    const depth = depthOf(call);
    const found = select(collect(parts, stackOf(parts, call), depth), call);
    return { status: 200, body: { events: found.map(({ stack, event }) => views.event(stack, event, depth > 0)) } };
  };
  return [
    route('GET', `${path}/events`, list),
    route('GET', `${path}/resources/:resource/events`, list),
    route('GET', `${path}/resources/:resource/events/:event`, (call) => {
      const stack = stackOf(parts, call);
      const event = stack.events.find(({ id }) => id === call.params['event']);
      if (!event) throw new Refusal(404, 'NotFound', `No event ${call.params['event']} found`);
      return {
        status: 200,
        body: { event: { ...views.event(stack, event, false), resource_type: event.type, resource_properties: {} } },
      };
    }),
  ];
}

function collect({ foundation }: HeatParts, top: Stack, depth: number): Found[] {
  const found: Found[] = [];
  let level = [top];
  for (let i = 0; i <= depth && level.length > 0; i++) {
    for (const stack of level) for (const event of stack.events) found.push({ stack, event });
    level = level.flatMap((stack) =>
      Object.values(stack.resources).flatMap(({ physicalId }) => foundation.state.stacks[physicalId] ?? []),
    );
  }
  return found.sort((a, b) => a.event.seq - b.event.seq);
}

/** Applies filters, order and page. With nested events, Heat lists the newest first. */
function select(all: readonly Found[], { query, params }: Call): Found[] {
  const [actions, statuses, names] = [
    query.getAll('resource_action'),
    query.getAll('resource_status'),
    query.getAll('resource_name'),
  ];
  const wantedNames = params['resource'] === undefined ? names : [params['resource']];
  const found = all.filter(({ event }) => {
    const [action = '', status = ''] = event.status.split(/_(.*)/s);
    return (
      (actions.length === 0 || actions.includes(action)) &&
      (statuses.length === 0 || statuses.includes(status)) &&
      (wantedNames.length === 0 || wantedNames.includes(event.name))
    );
  });
  const direction = query.get('sort_dir') ?? (query.has('nested_depth') ? 'desc' : 'asc');
  if (direction === 'desc') found.reverse();
  const marker = query.get('marker');
  const start = marker === null ? 0 : found.findIndex(({ event }) => event.id === marker) + 1;
  return found.slice(start, start + Number(query.get('limit') ?? found.length));
}
