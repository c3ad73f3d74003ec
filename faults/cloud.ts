import axios from 'axios';
import { z } from 'zod';

const Catalogue = z.object({
  token: z.object({
    catalog: z.array(z.object({ type: z.string(), endpoints: z.array(z.object({ url: z.string() })) })),
  }),
});
const Stacks = z.object({ stacks: z.array(z.object({ stack_name: z.string(), stack_status: z.string() })) });

/** The stacks of the OpenStack, read through its API. */
export interface CloudContent {
  /** Status of a stack by its name. */
  readonly stacks: ReadonlyMap<string, string>;
}

export interface Cloud {
  /** A token that is valid for some time. An old one when Keystone does not answer. */
  token(): Promise<string>;
  content(): Promise<CloudContent>;
  /** Makes the creation of every resource in the stack of this instance fail from now on. @returns id of the fault */
  breakStack(instance: string): Promise<string>;
  mend(fault: string): Promise<void>;
  mendAll(): Promise<void>;
}

const TOKEN_AGE_MS = 30_000;

/** Connects to the cloud. @param authUrl of Keystone @param simulatorUrl of the simulator's own API for faults */
export async function connectCloud(authUrl: string, simulatorUrl: string): Promise<Cloud> {
  const domain = { name: 'Default' };
  const user = { name: 'nfv_user', domain, password: 'devstack' };
  const scope = { project: { name: 'nfv', domain } };
  const login = () =>
    axios.post<unknown>(
      `${authUrl}/auth/tokens`,
      { auth: { identity: { methods: ['password'], password: { user } }, scope } },
      { proxy: false, timeout: 3_000 },
    );
  const answer = await login();
  let newest = { text: String(answer.headers['x-subject-token']), at: Date.now() };
  const token = async (): Promise<string> => {
    if (Date.now() - newest.at > TOKEN_AGE_MS) {
      const again = await login().catch(() => undefined);
      if (again) newest = { text: String(again.headers['x-subject-token']), at: Date.now() };
    }
    return newest.text;
  };
  const { catalog } = Catalogue.parse(answer.data).token;
  const endpoint = (type: string) => catalog.find((service) => service.type === type)?.endpoints[0]?.url ?? '';
  const get = async (url: string): Promise<unknown> =>
    (await axios.get<unknown>(url, { headers: { 'X-Auth-Token': await token() }, proxy: false })).data;
  const faults = `${simulatorUrl}/_simulator/faults`;
  return {
    token,
    content: async () => ({
      stacks: new Map(
        Stacks.parse(await get(`${endpoint('orchestration')}/stacks`)).stacks.map(({ stack_name, stack_status }) => [
          stack_name,
          stack_status,
        ]),
      ),
    }),
    breakStack: async (instance) => {
      const effect = { resourceFails: 'No valid host was found.' };
      const fault = { service: 'heat', resourceNameContains: `vnf-${instance}`, effect };
      return z.object({ id: z.string() }).parse((await axios.post<unknown>(faults, fault, { proxy: false })).data).id;
    },
    mend: async (fault) => void (await axios.delete(`${faults}/${fault}`, { proxy: false })),
    mendAll: async () => void (await axios.delete(faults, { proxy: false })),
  };
}
