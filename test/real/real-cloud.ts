import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Where the OpenStack is, as `openstack` reads it from the environment, and how the nodes are reached. */
const Environment = z.object({
  OS_AUTH_URL: z.url(),
  OS_USERNAME: z.string(),
  OS_PASSWORD: z.string(),
  OS_PROJECT_NAME: z.string(),
  OS_USER_DOMAIN_NAME: z.string().default('Default'),
  OS_PROJECT_DOMAIN_NAME: z.string().default('Default'),
  OS_REGION_NAME: z.string().optional(),
  VNFLOW_BASTION: z.string(),
  /** Name of the network of the nodes. */
  VNFLOW_TEST_NETWORK: z.string().default('net0'),
  /** The login of the images. */
  VNFLOW_TEST_USER: z.string().default('ubuntu'),
  VNFLOW_TEST_PASSWORD: z.string().default('ubuntu'),
  /** Folder of the package. Default: the sample of this checkout. */
  VNFLOW_TEST_PACKAGE: z.string().optional(),
  /** The `install_parameters` of the requests, as JSON: versions, keys and checksums of the nodes' mirrors. */
  VNFLOW_TEST_INSTALL_PARAMETERS: z.preprocess(readJson, z.record(z.string(), z.string()).default({})),
  /** How often an operation in FAILED_TEMP is retried, for a cloud that loses requests. The report names each retry. */
  VNFLOW_TEST_RETRIES: z.coerce.number().int().min(0).default(0),
});
export type RealEnvironment = z.infer<typeof Environment>;

/** Text that is no JSON stays text, so that the schema refuses it. */
function readJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/** @throws Error that names the variables that are missing or wrong */
export function readRealEnvironment(environment: NodeJS.ProcessEnv): RealEnvironment {
  const read = Environment.safeParse(environment);
  if (read.success) return read.data;
  const names = read.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(
    `npm run test:real needs OS_* as of an openrc file, and VNFLOW_BASTION (user@host:port). Missing or wrong: ${names}`,
  );
}

const Token = z.object({
  token: z.object({
    catalog: z.array(
      z.object({
        type: z.string(),
        endpoints: z.array(z.object({ url: z.string(), interface: z.string(), region: z.string().optional() })),
      }),
    ),
  }),
});
const Address = z.object({ addr: z.string(), 'OS-EXT-IPS:type': z.string().optional() });
const Server = z.object({ id: z.string(), status: z.string(), addresses: z.record(z.string(), z.array(Address)) });
const Servers = z.object({ servers: z.array(Server) });

/** What the test asks the OpenStack itself, beside vnflow. */
export interface RealCloud {
  token(): Promise<string>;
  networkId(name: string): Promise<string>;
  /** Status of a server. Undefined when Nova has none. */
  serverStatus(id: string): Promise<string | undefined>;
  /** The fixed address of a server in a network. */
  address(id: string, network: string): Promise<string>;
  /** Switches a server off, and waits until it is. */
  stopServer(id: string): Promise<void>;
  /** Names of the stacks that exist. */
  stacks(): Promise<string[]>;
}

const STOP_LIMIT_MS = 300_000;

export function connectRealCloud(env: RealEnvironment): RealCloud {
  const login = async () => {
    const user = { name: env.OS_USERNAME, password: env.OS_PASSWORD, domain: { name: env.OS_USER_DOMAIN_NAME } };
    const scope = { project: { name: env.OS_PROJECT_NAME, domain: { name: env.OS_PROJECT_DOMAIN_NAME } } };
    const answer = await fetch(`${env.OS_AUTH_URL}/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
    });
    if (!answer.ok) throw new Error(`Keystone: ${answer.status} ${await answer.text()}`);
    const { catalog } = Token.parse(await answer.json()).token;
    return { token: answer.headers.get('x-subject-token') ?? '', catalog };
  };
  const ask = async (type: string, path: string, body?: object): Promise<unknown> => {
    const { token, catalog } = await login();
    const endpoints = catalog.find((service) => service.type === type)?.endpoints ?? [];
    const base = endpoints.find((one) => one.interface === 'public')?.url ?? endpoints[0]?.url ?? '';
    const answer = await fetch(`${base.replace(/\/$/, '')}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${type} ${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return text === '' ? {} : JSON.parse(text);
  };
  const find = async (id: string) =>
    Servers.parse(await ask('compute', '/servers/detail')).servers.find((server) => server.id === id);
  const serverStatus = async (id: string) => (await find(id))?.status;
  return {
    token: async () => (await login()).token,
    networkId: async (name) => {
      const Networks = z.object({ networks: z.array(z.object({ id: z.string(), name: z.string() })) });
      const base = '/v2.0/networks';
      const { networks } = Networks.parse(await ask('network', base));
      const found = networks.find((network) => network.name === name || network.id === name);
      if (!found) throw new Error(`There is no network ${name}: name one with VNFLOW_TEST_NETWORK.`);
      return found.id;
    },
    serverStatus,
    address: async (id, network) => {
      const all = (await find(id))?.addresses[network] ?? [];
      return (all.find((one) => one['OS-EXT-IPS:type'] !== 'floating') ?? all[0])?.addr ?? '';
    },
    stopServer: async (id) => {
      await ask('compute', `/servers/${id}/action`, { 'os-stop': null });
      const end = Date.now() + STOP_LIMIT_MS;
      while ((await serverStatus(id)) !== 'SHUTOFF') {
        if (Date.now() > end) throw new Error(`server ${id} does not stop`);
        await delay(1_000);
      }
    },
    stacks: async () => {
      const Stacks = z.object({ stacks: z.array(z.object({ stack_name: z.string() })) });
      return Stacks.parse(await ask('orchestration', '/stacks')).stacks.map(({ stack_name }) => stack_name);
    },
  };
}
