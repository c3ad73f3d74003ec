import type { Session } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { type Json, type JsonObject, listAt, objectAt, stringAt } from '../../world/cloud/json.ts';
import { viewFlavor } from '../../world/cloud/nova/views.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Answer, type Call, type Route, route } from '../service.ts';
import { adminOnly, minorOf, type NovaParts } from './nova-parts.ts';
import { quotaRoutes } from './quota-routes.ts';

export function otherRoutes(parts: NovaParts): Route[] {
  const { foundation, compute } = parts;
  const { state, url } = foundation;
  const flavors = (call: Call, detail: boolean) => {
    const all = Object.values(state.flavors).sort((a, b) => a.id.localeCompare(b.id));
    const marker = call.query.get('marker');
    const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
    const limit = Number(call.query.get('limit') ?? all.length);
    const page = all
      .slice(start, start + limit)
      .map((flavor) => viewFlavor(flavor, { url: url(), minor: minorOf(call) }));
    const last = page.at(-1);
    const href = `${url()}/compute/v2.1/flavors${detail ? '/detail' : ''}?limit=${limit}&marker=${last?.['id']}`;
    return {
      status: 200,
      body: {
        flavors: detail
          ? page
          : page.map(({ id, name, links }) => ({ id: id ?? '', name: name ?? '', links: links ?? [] })),
        ...(call.query.has('limit') && page.length === limit ? { flavors_links: [{ rel: 'next', href }] } : {}),
      },
    };
  };
  return [
    route('GET', '/v2.1/flavors', (call) => flavors(call, false)),
    route('GET', '/v2.1/flavors/detail', (call) => flavors(call, true)),
    route('GET', '/v2.1/flavors/:id', (call) => {
      const flavor = state.flavors[call.params['id'] ?? ''];
      if (!flavor) throw new Refusal(404, 'itemNotFound', `Flavor ${call.params['id']} could not be found.`);
      return { status: 200, body: { flavor: viewFlavor(flavor, { url: url(), minor: minorOf(call) }) } };
    }),
    ...flavorRoutes(foundation),
    route('GET', '/v2.1/flavors/:id/os-extra_specs', () => ({ status: 200, body: { extra_specs: {} } })),
    ...groupRoutes(parts),
    ...keypairRoutes(foundation),
    route('GET', '/v2.1/os-availability-zone', () => ({ status: 200, body: { availabilityZoneInfo: [zone(null)] } })),
    route('GET', '/v2.1/os-availability-zone/detail', (call) => {
      adminOnly(call);
      const hosts = Object.fromEntries(
        state.hosts.map((host) => [
          host,
          { 'nova-compute': { available: true, active: true, updated_at: '2026-11-21T10:00:00.000000' } },
        ]),
      );
      return { status: 200, body: { availabilityZoneInfo: [zone(hosts)] } };
    }),
    ...['os-hypervisors', 'os-hypervisors/detail'].map((path) =>
      route('GET', `/v2.1/${path}`, (call) => {
        adminOnly(call);
        const items = state.hosts.map((host, i) => ({
          id: String(i + 1),
          hypervisor_hostname: host,
          state: 'up',
          status: 'enabled',
          ...(path.endsWith('detail')
            ? {
                hypervisor_type: 'simulated',
                host_ip: '127.0.0.1',
                service: { id: String(i + 1), host, disabled_reason: null },
              }
            : {}),
        }));
        return { status: 200, body: { hypervisors: items } };
      }),
    ),
    ...quotaRoutes(foundation),
    route('GET', '/v2.1/extensions', () => ({ status: 200, body: { extensions: [] } })),
    route('GET', '/v2.1/os-services', (call) => {
      adminOnly(call);
      const services = state.hosts.map((host, i) => ({
        id: String(i + 1),
        binary: 'nova-compute',
        host,
        zone: 'nova',
        status: 'enabled',
        state: 'up',
        updated_at: null,
        disabled_reason: null,
      }));
      return { status: 200, body: { services } };
    }),
    route('DELETE', '/v2.1/os-server-groups/:id', ({ params, session }): Answer => {
      const group = state.serverGroups[params['id'] ?? ''];
      if (!group || (!session.admin && group.projectId !== session.projectId)) {
        throw new Refusal(404, 'itemNotFound', `Instance group ${params['id']} could not be found.`);
      }
      compute.deleteGroup(group.id);
      return { status: 204 };
    }),
  ];
}

function zone(hosts: Json): JsonObject {
  return { zoneName: 'nova', zoneState: { available: true }, hosts };
}

/** Changes of flavors, which Nova leaves to admins. */
function flavorRoutes({ state, chance, changed, url }: Foundation): Route[] {
  return [
    route('POST', '/v2.1/flavors', (call): Answer => {
      adminOnly(call);
      const given = objectAt(call.body, 'flavor');
      const name = stringAt(given, 'name') ?? '';
      const [vcpus, ramMb, diskGb] = ['vcpus', 'ram', 'disk'].map((key) => Number(given[key]));
      if (name === '' || !(Number(vcpus) >= 1) || !(Number(ramMb) >= 1) || !(Number(diskGb) >= 0)) {
        throw new Refusal(400, 'badRequest', 'Invalid input for field/attribute flavor.');
      }
      if (Object.values(state.flavors).some((flavor) => flavor.name === name)) {
        throw new Refusal(409, 'conflictingRequest', `Flavor with name ${name} already exists.`);
      }
      const flavor = { id: chance.uuid(), name, vcpus: vcpus ?? 1, ramMb: ramMb ?? 1, diskGb: diskGb ?? 0 };
      state.flavors[flavor.id] = flavor;
      changed();
      return { status: 200, body: { flavor: viewFlavor(flavor, { url: url(), minor: minorOf(call) }) } };
    }),
    route('DELETE', '/v2.1/flavors/:id', (call): Answer => {
      adminOnly(call);
      const id = call.params['id'] ?? '';
      if (!state.flavors[id]) throw new Refusal(404, 'itemNotFound', `Flavor ${id} could not be found.`);
      delete state.flavors[id];
      changed();
      return { status: 202 };
    }),
  ];
}

function groupRoutes({ foundation, compute }: NovaParts): Route[] {
  const { state } = foundation;
  const show = (id: string, minor: number): JsonObject | undefined => {
    const group = state.serverGroups[id];
    if (!group) return undefined;
    const members = [...compute.scheduler.membersOf(id)];
    const shared = { id, name: group.name, members };
    if (minor >= 64)
      return { ...shared, project_id: group.projectId, user_id: group.userId, policy: group.policy, rules: {} };
    return {
      ...shared,
      policies: [group.policy],
      metadata: {},
      ...(minor >= 13 ? { project_id: group.projectId, user_id: group.userId } : {}),
    };
  };
  return [
    route('GET', '/v2.1/os-server-groups', (call) => ({
      status: 200,
      body: {
        server_groups: Object.values(state.serverGroups)
          .filter(
            ({ projectId }) =>
              projectId === call.session.projectId || (call.session.admin && call.query.has('all_projects')),
          )
          .flatMap(({ id }) => show(id, minorOf(call)) ?? []),
      },
    })),
    route('GET', '/v2.1/os-server-groups/:id', (call) => {
      const group = state.serverGroups[call.params['id'] ?? ''];
      const view =
        group && (call.session.admin || group.projectId === call.session.projectId)
          ? show(group.id, minorOf(call))
          : undefined;
      if (!view) throw new Refusal(404, 'itemNotFound', `Instance group ${call.params['id']} could not be found.`);
      return { status: 200, body: { server_group: view } };
    }),
    route('POST', '/v2.1/os-server-groups', (call) => {
      const given = objectAt(call.body, 'server_group');
      const policy = stringAt(given, 'policy') ?? String(listAt(given, 'policies')[0] ?? 'anti-affinity');
      const { projectId, userId } = call.session;
      const group = compute.createGroup({ name: stringAt(given, 'name') ?? '', projectId, userId, policy });
      return { status: 200, body: { server_group: show(group.id, minorOf(call)) ?? {} } };
    }),
  ];
}

function keypairRoutes({ state, changed }: Foundation): Route[] {
  const mine = (session: Session) => Object.values(state.keypairs).filter(({ userId }) => userId === session.userId);
  const view = ({ name, publicKey }: { name: string; publicKey: string }) => ({
    name,
    public_key: publicKey,
    fingerprint: '',
    type: 'ssh',
  });
  return [
    route('GET', '/v2.1/os-keypairs', ({ session }) => ({
      status: 200,
      body: { keypairs: mine(session).map((keypair) => ({ keypair: view(keypair) })) },
    })),
    route('POST', '/v2.1/os-keypairs', ({ session, body }) => {
      const given = objectAt(body, 'keypair');
      const keypair = {
        name: stringAt(given, 'name') ?? '',
        userId: session.userId,
        publicKey: stringAt(given, 'public_key') ?? '',
      };
      state.keypairs[`${session.userId}/${keypair.name}`] = keypair;
      changed();
      return { status: 200, body: { keypair: { ...view(keypair), user_id: session.userId } } };
    }),
    route('DELETE', '/v2.1/os-keypairs/:name', ({ session, params }): Answer => {
      delete state.keypairs[`${session.userId}/${params['name']}`];
      changed();
      return { status: 202 };
    }),
  ];
}
