import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const effectSchema = z.strictObject({
  /** Answer with this status instead of doing the work. */
  status: z.int().min(100).max(599).optional(),
  body: z.json().optional(),
  /** Value of a Retry-After header. */
  retryAfter: z.union([z.string(), z.number()]).optional(),
  /** Simulated seconds to wait first. */
  delaySeconds: z.number().min(0).optional(),
  /** Never answer. */
  hang: z.literal(true).optional(),
  resetConnection: z.literal(true).optional(),
  /** Do the work, then spoil the answer. */
  afterSuccess: z.literal(true).optional(),
  /** Heat: the resource fails with this reason. */
  resourceFails: z.string().optional(),
  /** Heat: the resource never gets ready. */
  stuck: z.literal(true).optional(),
});

const faultSchema = z.strictObject({
  service: z.string(),
  method: z.string().optional(),
  pathContains: z.string().optional(),
  /** Heat: part of `stack name/resource name`. */
  resourceNameContains: z.string().optional(),
  /** How often it strikes; without it: always. */
  times: z.int().min(1).optional(),
  effect: effectSchema,
});

export type FaultEffect = z.infer<typeof effectSchema>;
export type FaultRequest = z.infer<typeof faultSchema>;
export type Fault = FaultRequest & { readonly id: string; readonly struck: number };

/** Failures that a test or a person orders from the cloud. */
export interface Faults {
  /** @throws ZodError when the request is not a fault */
  add(request: unknown): Fault;
  list(): readonly Fault[];
  /** Removes one fault, or all of them; true when there was something to remove. */
  remove(id?: string): boolean;
  /** The effect that strikes an HTTP request, if any; counts it. */
  strikeRequest(at: { service: string; method: string; path: string }): FaultEffect | undefined;
  /** The effect that strikes a Heat resource, if any; counts it. `place`: `stack name/resource name`. */
  strikeResource(place: string): FaultEffect | undefined;
}

export function createFaults(onStrike: (fault: Fault, place: string) => void): Faults {
  let faults: Fault[] = [];
  const strike = (fault: Fault | undefined, place: string): FaultEffect | undefined => {
    if (!fault) return undefined;
    const struck = fault.struck + 1;
    faults = faults.flatMap((other) =>
      other !== fault ? [other] : struck === fault.times ? [] : [{ ...fault, struck }],
    );
    onStrike(fault, place);
    return fault.effect;
  };
  return {
    add: (request) => {
      const fault = { ...faultSchema.parse(request), id: randomUUID(), struck: 0 };
      faults.push(fault);
      return fault;
    },
    list: () => faults,
    remove: (id) => {
      const before = faults.length;
      faults = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
      return faults.length < before;
    },
    strikeRequest: ({ service, method, path }) =>
      strike(
        faults.find(
          (fault) =>
            fault.resourceNameContains === undefined &&
            fault.service === service &&
            (fault.method === undefined || fault.method.toUpperCase() === method) &&
            (fault.pathContains === undefined || path.includes(fault.pathContains)),
        ),
        `${method} ${path}`,
      ),
    strikeResource: (place) =>
      strike(
        faults.find(
          ({ service, resourceNameContains }) =>
            service === 'heat' && resourceNameContains !== undefined && place.includes(resourceNameContains),
        ),
        place,
      ),
  };
}
