import { z } from 'zod';
import type { NodeFault } from './fault.ts';

const where = { node: z.string().optional(), times: z.int().min(1).optional() };
const seconds = z.number().min(0);

/** A fault of a node in the body of POST /_simulator/faults: the forms of `NodeFault`. */
const nodeFaultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...where,
    kind: z.enum(['ssh-refused', 'ssh-hang', 'host-key', 'disk-full', 'no-way-out', 'roles-ignored', 'unreachable']),
  }),
  z.strictObject({
    ...where,
    kind: z.literal('ssh-reset'),
    afterSeconds: seconds.optional(),
    commandPrefix: z.string().optional(),
  }),
  z.strictObject({ ...where, kind: z.enum(['ssh-slow', 'etcd-slow']), seconds }),
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

/** Reads a fault of a node. @throws ZodError when the request is no fault of a node */
export function readNodeFault(request: unknown): NodeFault {
  // JSON has no undefined: optional keys that are absent stay absent.
  return JSON.parse(JSON.stringify(nodeFaultSchema.parse(request))) as NodeFault;
}
