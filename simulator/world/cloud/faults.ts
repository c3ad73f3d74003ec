import { z } from 'zod';
import { createFaultList, type Ordered } from '../../kernel/fault-list.ts';
import type { Persistence } from '../../kernel/persistence.ts';

const effectSchema = z.strictObject({
  /** Answers with this status instead of doing the work. */
  status: z.int().min(100).max(599).optional(),
  body: z.json().optional(),
  /** Value of the Retry-After header. */
  retryAfter: z.union([z.string(), z.number()]).optional(),
  /** Delay before the work, simulated seconds. */
  delaySeconds: z.number().min(0).optional(),
  /** Never answers. */
  hang: z.literal(true).optional(),
  resetConnection: z.literal(true).optional(),
  /** Does the work, then spoils the answer. */
  afterSuccess: z.literal(true).optional(),
  /** Heat: the resource fails with this reason. */
  resourceFails: z.string().optional(),
  /** Heat: the resource stays in progress. */
  stuck: z.literal(true).optional(),
});

const faultSchema = z.strictObject({
  service: z.enum(['keystone', 'heat', 'nova', 'neutron', 'glance', 'cinder', 'swift']),
  method: z.string().optional(),
  pathContains: z.string().optional(),
  /** Heat: part of `stack name/resource name`. */
  resourceNameContains: z.string().optional(),
  /** Heat: the action on the resource. Undefined means CREATE and UPDATE. */
  action: z.enum(['CREATE', 'UPDATE', 'DELETE']).optional(),
  /** The number of strikes. Undefined when the fault strikes until it is removed. */
  times: z.int().min(1).optional(),
  effect: effectSchema,
});

export type FaultEffect = z.infer<typeof effectSchema>;
export type FaultRequest = z.infer<typeof faultSchema>;
export type Fault = Ordered<FaultRequest>;

/** The faults of services that a test or a person ordered. */
export interface Faults {
  /** @throws ZodError when the request is not a fault */
  add(request: unknown): Fault;
  list(): readonly Fault[];
  /** Removes one fault, or all. @returns whether a fault was removed */
  remove(id?: string): boolean;
  /** Returns the effect of the first fault that matches an HTTP request, and counts a strike. */
  strikeRequest(at: { service: string; method: string; path: string }): FaultEffect | undefined;
  /**
   * Returns the effect of the first fault that matches a Heat resource, and counts a strike.
   * @param place `stack name/resource name`
   */
  strikeResource(place: string, action: string): FaultEffect | undefined;
}

/** @param onStrike called for each fault that strikes */
export function createFaults(persistence: Persistence, onStrike: (fault: Fault, place: string) => void): Faults {
  const faults = createFaultList<FaultRequest>(persistence, 'service-faults');
  const strike = (fault: Fault | undefined, place: string): FaultEffect | undefined => {
    if (!fault) return undefined;
    faults.strike(fault.id);
    onStrike(fault, place);
    return fault.effect;
  };
  return {
    add: (request) => faults.add(faultSchema.parse(request)),
    list: faults.list,
    remove: faults.remove,
    strikeRequest: ({ service, method, path }) =>
      strike(
        faults
          .list()
          .find(
            (fault) =>
              fault.resourceNameContains === undefined &&
              fault.service === service &&
              (fault.method === undefined || fault.method.toUpperCase() === method) &&
              (fault.pathContains === undefined || path.includes(fault.pathContains)),
          ),
        `${method} ${path}`,
      ),
    strikeResource: (place, action) =>
      strike(
        faults
          .list()
          .find(
            ({ service, resourceNameContains, action: wanted }) =>
              service === 'heat' &&
              resourceNameContains !== undefined &&
              place.includes(resourceNameContains) &&
              (wanted === undefined ? action !== 'DELETE' : wanted === action),
          ),
        place,
      ),
  };
}
