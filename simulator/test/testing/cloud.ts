import { type NodeHalf, type Simulator, type SimulatorOptions, startSimulatorWith } from '../../composition.ts';
import type { LatencyTable } from '../../kernel/latency.ts';
import { GUIDE_LATENCY } from '../../kernel/latency.ts';
import type { Json, JsonObject } from '../../world/cloud/json.ts';
import { isObject, stringAt } from '../../world/cloud/json.ts';
import { createInertMachines, type InertMachines } from './inert-machines.ts';

export type TestMachines = NodeHalf & Pick<InertMachines, 'running'>;

/** Starts the cloud without nodes at high speed. Its machines exist but run nothing. */
export function startCloud(options: SimulatorOptions = {}): Promise<Simulator<TestMachines>> {
  const latency: LatencyTable = { ...GUIDE_LATENCY, apiCall: 0 };
  return startSimulatorWith({ speed: 500, latency, ...options }, () => {
    const hypervisor = createInertMachines();
    const bastion = { host: '127.0.0.1', port: 0, user: 'none' };
    return { hypervisor, running: hypervisor.running, bastion, stop: async () => undefined };
  });
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A client of the APIs with a token. */
export interface Client {
  readonly token: string;
  readonly projectId: string;
  call(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a request to Heat; the path is relative to the project. */
  heat(method: string, path: string, body?: Json): Promise<Reply>;
  /** Waits until the stack is no longer IN_PROGRESS. @returns the stack as Heat shows it */
  settled(path: string): Promise<JsonObject>;
}

export async function request(
  url: string,
  method: string,
  at: { body?: Json | undefined; headers?: Record<string, string> },
): Promise<Reply> {
  const { body, headers } = at;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { Accept: 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : parse(text) };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function passwordAuth(user: string, project: string, password = 'devstack'): Json {
  const domain = { name: 'Default' };
  return {
    auth: {
      identity: { methods: ['password'], password: { user: { name: user, domain, password } } },
      scope: { project: { name: project, domain } },
    },
  };
}

export async function login(
  simulator: Pick<Simulator, 'url' | 'authUrl'>,
  user = 'nfv_user',
  project = 'nfv',
): Promise<Client> {
  const issued = await request(`${simulator.authUrl}/auth/tokens`, 'POST', { body: passwordAuth(user, project) });
  const token = issued.headers.get('x-subject-token') ?? '';
  const described = isObject(issued.body) ? issued.body['token'] : undefined;
  const projectId = isObject(described) ? (stringAt(described['project'], 'id') ?? '') : '';
  const call: Client['call'] = (method, path, body, headers) =>
    request(path.startsWith('http') ? path : `${simulator.url}${path}`, method, {
      body,
      headers: { 'X-Auth-Token': token, ...headers },
    });
  const heat: Client['heat'] = (method, path, body) => call(method, `/heat-api/v1/${projectId}${path}`, body);
  return {
    token,
    projectId,
    call,
    heat,
    settled: async (path) => {
      for (let i = 0; i < 2000; i++) {
        const reply = await heat('GET', path);
        const stack = isObject(reply.body) && isObject(reply.body['stack']) ? reply.body['stack'] : {};
        if (!String(stack['stack_status']).endsWith('IN_PROGRESS')) return stack;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      throw new Error(`${path} is still in progress`);
    },
  };
}

/** The recorded template: a server group, a scale group of VDU1, a VDU2 with a floating IP. */
const TOP = `heat_template_version: 2018-08-31
description: smoke test of the rig
parameters:
  nfv: {type: json}
resources:
  antiaffinity:
    type: OS::Nova::ServerGroup
    properties: {policies: [anti-affinity]}
  VDU1_scale_group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 3
      desired_capacity: {get_param: [nfv, VDU, VDU1, desired]}
      resource:
        type: VDU1.yaml
        properties:
          flavor: {get_param: [nfv, VDU, VDU1, flavor]}
          image: {get_param: [nfv, VDU, VDU1, image]}
          net: {get_param: [nfv, CP, net]}
          group: {get_resource: antiaffinity}
  VDU2:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: [nfv, VDU, VDU2, flavor]}
      image: {get_param: [nfv, VDU, VDU2, image]}
      networks: [{port: {get_resource: VDU2_CP1}}]
  VDU2_CP1:
    type: OS::Neutron::Port
    properties: {network: {get_param: [nfv, CP, net]}}
  VDU2_FIP:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: public, port_id: {get_resource: VDU2_CP1}}
outputs:
  mgmt_ip-VDU2: {value: {get_attr: [VDU2_CP1, fixed_ips, 0, ip_address]}}
  floating_ip: {value: {get_attr: [VDU2_FIP, floating_ip_address]}}
`;

export const VDU1 = `heat_template_version: 2018-08-31
description: one VDU1 with its port
parameters:
  flavor: {type: string}
  image: {type: string}
  net: {type: string}
  group: {type: string}
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: {get_param: image}
      name: VDU1
      networks: [{port: {get_resource: VDU1_CP1}}]
      scheduler_hints: {group: {get_param: group}}
  VDU1_CP1:
    type: OS::Neutron::Port
    properties: {network: {get_param: net}}
outputs:
  ip: {value: {get_attr: [VDU1_CP1, fixed_ips, 0, ip_address]}}
`;

const IMAGE = 'ubuntu-22.04-server-cloudimg-amd64';

/** Parameters of {@link TOP} for this number of VDU1. */
export function nfv(desired: number): JsonObject {
  return {
    nfv: {
      VDU: { VDU1: { desired, flavor: 'm1.medium', image: IMAGE }, VDU2: { flavor: 'm1.tiny', image: IMAGE } },
      CP: { net: 'net0' },
    },
  };
}

/** The body of a request that creates the recorded stack. */
export function topStack(name: string, desired = 2, more: JsonObject = {}): JsonObject {
  return {
    stack_name: name,
    template: TOP,
    files: { 'VDU1.yaml': VDU1 },
    parameters: nfv(desired),
    timeout_mins: 20,
    disable_rollback: true,
    ...more,
  };
}
