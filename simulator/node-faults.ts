import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { NodeFault, NodeFaults } from './nodes/index.ts';

const where = { node: z.string().optional(), times: z.int().min(1).optional() };
const seconds = z.number().min(0);

/** A failure of a node as POST /_simulator/faults takes it: the forms of `NodeFault`. */
const nodeFaultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...where, kind: z.enum(['ssh-refused', 'ssh-hang', 'host-key', 'disk-full', 'unreachable']) }),
  z.strictObject({
    ...where,
    kind: z.literal('ssh-reset'),
    afterSeconds: seconds.optional(),
    commandPrefix: z.string().optional(),
  }),
  z.strictObject({ ...where, kind: z.literal('ssh-slow'), seconds }),
  z.strictObject({
    ...where,
    kind: z.literal('command'),
    commandPrefix: z.string(),
    exitCode: z.int().min(0).max(255).optional(),
    stderr: z.string().optional(),
    delaySeconds: seconds.optional(),
  }),
  z.strictObject({ ...where, kind: z.literal('download-corrupted'), urlPrefix: z.string() }),
]);

/** Node failures ordered over HTTP, each under an id. */
export interface OrderedNodeFaults {
  /** @throws ZodError when the request is not a node fault */
  add(request: unknown): { readonly id: string };
  list(): readonly NodeFault[];
  /** @returns whether there was something to remove */
  remove(id?: string): boolean;
}

export function createOrderedNodeFaults(faults: NodeFaults): OrderedNodeFaults {
  const removers = new Map<string, () => void>();
  return {
    add: (request) => {
      const id = randomUUID();
      // JSON has no undefined: optional keys that are absent stay absent.
      const fault = JSON.parse(JSON.stringify(nodeFaultSchema.parse(request))) as NodeFault;
      removers.set(id, faults.add(fault));
      return { id, ...fault };
    },
    list: () => faults.list(),
    remove: (id) => {
      if (id === undefined) {
        removers.clear();
        faults.clear();
        return true;
      }
      removers.get(id)?.();
      return removers.delete(id);
    },
  };
}
