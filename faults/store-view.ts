import { Client } from 'pg';
import { z } from 'zod';

/** Rows of the store that belong to requests and operations. */
export interface StoreFact {
  /** All operations, including any that the API does not show. */
  readonly operations: readonly { readonly id: string; readonly instance: string; readonly state: string }[];
  /** Requests that wait for their acceptance, by the id of their operation. */
  readonly requests: readonly { readonly operation: string; readonly instance: string }[];
  readonly secrets: readonly { readonly name: string; readonly owner: string }[];
}

const Operations = z.array(z.object({ id: z.string(), instance: z.string(), state: z.string() }));
const Requests = z.array(z.object({ operation: z.string(), instance: z.string() }));
const Secrets = z.array(z.object({ name: z.string(), owner: z.string() }));

/** Reads the store. @param url postgres://… of the store @throws Error when it cannot be read */
export async function readStore(url: string): Promise<StoreFact> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const rows = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
    return {
      operations: Operations.parse(
        await rows('select id, vnf_instance_id as instance, operation_state as state from vnf_lcm_op_occ'),
      ),
      requests: Requests.parse(
        await rows('select vnf_lcm_op_occ_id as operation, vnf_instance_id as instance from lcm_request'),
      ),
      secrets: Secrets.parse(await rows('select name, owner from secret')),
    };
  } finally {
    await client.end();
  }
}
