import type { Stack } from '../../world/cloud/cloud-state.ts';
import { refuseUnknown } from '../../world/cloud/heat/parameters.ts';
import { isDeleted } from '../../world/cloud/heat/stack-store.ts';
import { isObject, type JsonObject } from '../../world/cloud/json.ts';
import { Refusal, STATUS_TITLES } from '../../world/cloud/refusal.ts';
import { type Answer, type Call, type Route, route, type Service } from '../service.ts';
import { byNameRoutes } from './by-name-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { answerAccepted, EXPLANATIONS, type HeatParts, livingStack, projectOf, stackOf } from './heat-parts.ts';
import { miscellaneousRoutes } from './other-routes.ts';
import { checkStackName, readOptions, readSource } from './requests.ts';
import { resourceRoutes } from './resource-routes.ts';

const LARGEST_BODY = 1_048_576;

/** Heat v1. */
export function createHeat(parts: HeatParts): Service {
  const { url } = parts.foundation;
  const version = () => ({ id: 'v1.0', status: 'CURRENT', links: [{ rel: 'self', href: `${url()}/heat-api/v1/` }] });
  return {
    name: 'heat',
    mount: '/heat-api',
    routes: [
      { method: 'GET', path: '/', auth: 'none', handle: () => ({ status: 300, body: { versions: [version()] } }) },
      ...stackRoutes(parts),
      ...resourceRoutes(parts),
      ...eventRoutes(parts),
      ...byNameRoutes(parts),
      ...byIdRoutes(parts),
      ...miscellaneousRoutes(parts),
    ],
    refuse: ({ status, type, message }) => ({
      status,
      body: {
        code: status,
        title: STATUS_TITLES[status] ?? 'Error',
        explanation: EXPLANATIONS[status] ?? '',
        error: { type, traceback: null, ...(message === '' ? {} : { message }) },
      },
    }),
    unknownUrl: () => ({
      status: 404,
      body: {
        message: 'The resource could not be found.<br /><br />\n\n\n',
        code: '404 Not Found',
        title: 'Not Found',
      },
    }),
    headers: (requestId) => ({ 'X-Openstack-Request-Id': requestId }),
  };
}

function stackRoutes(parts: HeatParts): Route[] {
  const { foundation, designer, validator, store, engine, views } = parts;
  return [
    route('GET', '/v1/:project/stacks', (call) => {
      const found = listStacks(parts, call);
      const count = call.query.get('with_count')?.toLowerCase() === 'true' ? { count: found.length } : {};
      return { status: 200, body: { stacks: page(found, call.query).map(views.row), ...count } };
    }),
    route('GET', '/v1/:project/stacks/detail', (call) => ({
      status: 200,
      body: { stacks: page(listStacks(parts, call), call.query).map((stack) => views.show(stack, { outputs: false })) },
    })),
    route('POST', '/v1/:project/stacks', (call) => {
      refuseLarge(call);
      const body = isObject(call.body) ? call.body : {};
      const projectId = projectOf(call);
      const name = checkStackName(body['stack_name']);
      const options = readOptions(body);
      if (store.byName(name, projectId)) throw new Refusal(409, 'StackExists', `The Stack (${name}) already exists.`);
      const source = readSource(designer, body);
      refuseUnknown(designer.template(source.template), source.parameters);
      validator.check(source, projectId);
      const stack = store.add({
        name,
        projectId,
        userId: call.session.userId,
        owner: call.session.userName,
        disableRollback: options.disableRollback ?? true,
        timeoutMins: options.timeoutMins ?? 60,
        tags: options.tags ?? [],
        source,
      });
      engine.begin(stack, 'CREATE');
      foundation.changed();
      const href = views.href(stack);
      const body201 = { stack: { id: stack.id, links: [{ href, rel: 'self' }] } };
      return { status: 201, headers: { Location: href }, body: body201 };
    }),
  ];
}

function refuseLarge({ bodyBytes }: Call): void {
  if (bodyBytes <= LARGEST_BODY) return;
  const message = `Request limit exceeded: JSON body size (${bodyBytes} bytes) exceeds maximum allowed size (${LARGEST_BODY} bytes).`;
  throw new Refusal(400, 'RequestLimitExceeded', message);
}

function listStacks({ foundation }: HeatParts, call: Call): Stack[] {
  const projectId = projectOf(call);
  const { query, session } = call;
  const isTrue = (key: string) => ['true', '1'].includes(query.get(key)?.toLowerCase() ?? '');
  const everyone = isTrue('global_tenant') && session.admin;
  const [names, ids, statuses] = [query.getAll('name'), query.getAll('id'), query.getAll('status')];
  return Object.values(foundation.state.stacks)
    .filter(
      (stack) =>
        (everyone || stack.projectId === projectId) &&
        (isTrue('show_deleted') || !isDeleted(stack)) &&
        (isTrue('show_nested') || stack.parentId === null) &&
        (names.length === 0 || names.includes(stack.name)) &&
        (ids.length === 0 || ids.includes(stack.id)) &&
        (statuses.length === 0 || statuses.includes(`${stack.action}_${stack.progress}`)),
    )
    .reverse();
}

function page<T extends { id: string }>(items: readonly T[], query: URLSearchParams): T[] {
  const marker = query.get('marker');
  const start = marker === null ? 0 : items.findIndex(({ id }) => id === marker) + 1;
  const limit = Number(query.get('limit') ?? items.length);
  return items.slice(start, start + limit);
}

function byIdRoutes(parts: HeatParts): Route[] {
  const { foundation, designer, engine, views } = parts;
  const path = '/v1/:project/stacks/:name/:id';
  const update = (existing: boolean) => (call: Call) => {
    updateStack(parts, call, existing);
    return answerAccepted(call);
  };
  return [
    route('GET', path, (call) => {
      const outputs = call.query.get('resolve_outputs')?.toLowerCase() !== 'false';
      return { status: 200, body: { stack: views.show(stackOf(parts, call), { outputs }) } };
    }),
    route('PATCH', path, update(true)),
    route('PUT', path, update(false)),
    route('DELETE', path, (call): Answer => {
      const stack = livingStack(parts, call);
      const isDeleting = stack.action === 'DELETE' && stack.progress === 'IN_PROGRESS';
      if (!isDeleting) engine.begin(stack, 'DELETE');
      return { status: 204 };
    }),
    route('GET', `${path}/template`, (call) => ({
      status: 200,
      body: designer.template(stackOf(parts, call).source.template).source,
    })),
    route('GET', `${path}/files`, (call) => ({
      status: 200,
      body: Object.fromEntries(
        Object.entries(stackOf(parts, call).source.files).map(([name, key]) => [
          name,
          foundation.state.texts[key] ?? '',
        ]),
      ),
    })),
    route('GET', `${path}/environment`, (call) => ({ status: 200, body: environmentOf(stackOf(parts, call)) })),
    route('GET', `${path}/outputs`, (call) => ({
      status: 200,
      body: {
        outputs: views.outputs(stackOf(parts, call)).map(({ output_key, description }) => ({
          output_key: output_key ?? '',
          description: description ?? '',
        })),
      },
    })),
    route('GET', `${path}/outputs/:key`, (call) => {
      const key = call.params['key'] ?? '';
      const output = views.outputs(stackOf(parts, call)).find(({ output_key }) => output_key === key);
      if (!output) throw new Refusal(404, 'NotFound', `Specified output key ${key} not found.`);
      return { status: 200, body: { output } };
    }),
    route('POST', `${path}/actions`, (call) => act(parts, call)),
  ];
}

function environmentOf({ source }: Stack): JsonObject {
  return {
    resource_registry: { ...source.registry, resources: {} },
    parameters: source.parameters,
    parameter_defaults: source.parameterDefaults,
    event_sinks: [],
    encrypted_param_names: [],
  };
}

/** Updates a stack. PUT replaces everything; PATCH, and PUT with `existing`, keep what the body omits. */
function updateStack(parts: HeatParts, call: Call, isPatch: boolean): void {
  const { designer, validator, engine } = parts;
  refuseLarge(call);
  const stack = livingStack(parts, call);
  const body = isObject(call.body) ? call.body : {};
  if (stack.action === 'DELETE') {
    throw new Refusal(400, 'NotSupported', 'Updating a stack when it is deleting is not supported.');
  }
  const keepsOld = isPatch || body['existing'] === true;
  const source = readSource(designer, body, keepsOld ? stack.source : undefined);
  if (!keepsOld) refuseUnknown(designer.template(source.template), source.parameters);
  validator.check(source, stack.projectId);
  const options = readOptions(body);
  stack.disableRollback = options.disableRollback ?? stack.disableRollback;
  stack.timeoutMins = options.timeoutMins ?? stack.timeoutMins;
  stack.tags = options.tags ?? stack.tags;
  stack.previous = stack.source;
  stack.source = source;
  engine.begin(stack, 'UPDATE');
}

function act({ engine, ...parts }: HeatParts, call: Call): Answer {
  const stack = livingStack({ engine, ...parts }, call);
  const action = Object.keys(isObject(call.body) ? call.body : {})[0] ?? '';
  if (action === 'cancel_update' || action === 'cancel_without_rollback') {
    if (stack.progress !== 'IN_PROGRESS' || !['UPDATE', 'CREATE'].includes(stack.action)) {
      const message = `Cancelling update when stack is ${stack.action}_${stack.progress} is not supported.`;
      throw new Refusal(400, 'NotSupported', message);
    }
    if (stack.previous) stack.source = stack.previous;
    engine.begin(stack, 'ROLLBACK');
    return { status: 200, body: null };
  }
  throw new Refusal(400, 'HTTPBadRequest', `Invalid action ${action} specified`);
}
