import axios from 'axios';
import { z } from 'zod';

const Catalogue = z.object({
  token: z.object({
    catalog: z.array(z.object({ type: z.string(), endpoints: z.array(z.object({ url: z.string() })) })),
  }),
});
const Stacks = z.object({ stacks: z.array(z.object({ stack_name: z.string(), stack_status: z.string() })) });

/** What the OpenStack has, asked as a client of its own would. */
export interface CloudContent {
  /** Name → status. */
  readonly stacks: ReadonlyMap<string, string>;
}

export interface Cloud {
  readonly token: string;
  content(): Promise<CloudContent>;
  /** From now on no resource of this instance's stack can be made. @returns its id */
  breakStack(instance: string): Promise<string>;
  mend(fault: string): Promise<void>;
  mendAll(): Promise<void>;
}

/** @param authUrl Keystone's @param simulatorUrl where faults are ordered */
export async function connectCloud(authUrl: string, simulatorUrl: string): Promise<Cloud> {
  const domain = { name: 'Default' };
  const user = { name: 'nfv_user', domain, password: 'devstack' };
  const answer = await axios.post<unknown>(
    `${authUrl}/auth/tokens`,
    { auth: { identity: { methods: ['password'], password: { user } }, scope: { project: { name: 'nfv', domain } } } },
    { proxy: false },
  );
  const token = String(answer.headers['x-subject-token']);
  const { catalog } = Catalogue.parse(answer.data).token;
  const endpoint = (type: string) => catalog.find((service) => service.type === type)?.endpoints[0]?.url ?? '';
  const get = async (url: string): Promise<unknown> =>
    (await axios.get<unknown>(url, { headers: { 'X-Auth-Token': token }, proxy: false })).data;
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
