import { type Call, type Route, route } from '../service.ts';
import { answerText, createStackRefusal, type HeatParts, projectOf } from './heat-parts.ts';

/** Requests that name a stack without its id get 302 to the full URL, for every method. */
export function byNameRoutes(parts: HeatParts): Route[] {
  const { foundation, store, views } = parts;
  const redirect = (rest: (call: Call) => string) => (call: Call) => {
    const projectId = projectOf(call);
    const name = call.params['name'] ?? '';
    const byId = foundation.state.stacks[name];
    const stack = byId?.projectId === projectId ? byId : store.byName(name, projectId);
    if (!stack) throw createStackRefusal(name);
    const search = call.query.size > 0 ? `?${call.query}` : '';
    const href = `${views.href(stack)}${rest(call)}${search}`;
    const text = `The resource was found at <a href="${href}">${href}</a>;\nyou should be redirected automatically.\n\n`;
    return answerText(302, text, { headers: call.headers, extra: { Location: href } });
  };
  const base = '/v1/:project/stacks/:name';
  return [
    ...['GET', 'PATCH', 'PUT', 'DELETE'].map((method) =>
      route(
        method,
        base,
        redirect(() => ''),
      ),
    ),
    ...['template', 'files', 'environment', 'outputs', 'resources', 'events'].map((part) =>
      route(
        'GET',
        `${base}/${part}`,
        redirect(() => `/${part}`),
      ),
    ),
    route(
      'POST',
      `${base}/actions`,
      redirect(() => '/actions'),
    ),
    route(
      'GET',
      `${base}/resources/:resource`,
      redirect(({ params }) => `/resources/${params['resource']}`),
    ),
    route(
      'PATCH',
      `${base}/resources/:resource`,
      redirect(({ params }) => `/resources/${params['resource']}`),
    ),
    route(
      'GET',
      `${base}/resources/:resource/events`,
      redirect(({ params }) => `/resources/${params['resource']}/events`),
    ),
  ];
}
