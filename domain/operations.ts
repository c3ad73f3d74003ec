import type { z } from 'zod';
import {
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
  VnfInfoModificationRequest,
} from './sol-requests.ts';

/** The LCM operations and their request bodies (SOL003 5.4). */
interface Requests {
  INSTANTIATE: InstantiateVnfRequest;
  TERMINATE: TerminateVnfRequest;
  SCALE: ScaleVnfRequest;
  HEAL: HealVnfRequest;
  MODIFY_INFO: VnfInfoModificationRequest;
}

export type Operation = keyof Requests;
export type RequestOf<O extends Operation> = Requests[O];

type InstantiationState = 'INSTANTIATED' | 'NOT_INSTANTIATED';

/**
 * Everything that differs between LCM operations, but for the plans (planning/make-plan.ts) and version 1 of the API
 * (api/v1/operations.ts).
 */
interface LcmOperation<Request> {
  /** The workflow type in Temporal. workflows/index.ts exports a function of this name. */
  readonly workflowType: string;
  /**
   * The task resource of the instance (`POST /vnf_instances/{id}/heal`), and the word of the CLI (`vnflow plan heal`).
   * Undefined when PATCH of the instance itself starts the operation.
   */
  readonly task?: string;
  /** The operation in the OpenAPI document, for people. */
  readonly summary: string;
  /** The schema of the request body. */
  readonly request: z.ZodType<Request>;
  /** The state that the instance must be in. Undefined when any will do. */
  readonly needs?: InstantiationState;
  /** The state of the instance when the operation has completed. Undefined when it stays in its state. */
  readonly leaves?: InstantiationState;
  /**
   * The source of flavour, VIM connection and logins of nodes: the request, or the data that the instance was made
   * with.
   */
  readonly factsFrom: 'request' | 'instance';
  /**
   * What happens to the servers: decides what the grant asks of the cloud, and whether scale levels change. Undefined
   * when nothing happens to them. Then vnflow requests no grant, and the end of the operation writes the members of a
   * VnfInfoModificationRequest that the request has.
   */
  readonly servers?: 'created' | 'scaled' | 'replaced' | 'deleted';
  /**
   * When the package must be usable: always, as servers are made from it; only if the request repeats parameters that
   * name its files; or never.
   */
  readonly usesPackage: 'always' | 'withParameters' | 'never';
  /** Whether the plan needs to know which control-plane nodes answer and vote. */
  readonly surveysControlPlane: boolean;
  /**
   * Whether what was done can be undone (reference: Tacker's v2 API).
   * @param request parameters as the store keeps them
   */
  readonly isRollbackSupported: (request: Readonly<Record<string, unknown>>) => boolean;
}

/** One row per LCM operation. API routes, the OpenAPI document, workflow types and the CLI's list come from it. */
export const LCM_OPERATIONS: { readonly [O in Operation]: LcmOperation<RequestOf<O>> } = {
  INSTANTIATE: {
    workflowType: 'instantiateVnf',
    task: 'instantiate',
    summary: 'Instantiate',
    request: InstantiateVnfRequest,
    needs: 'NOT_INSTANTIATED',
    leaves: 'INSTANTIATED',
    factsFrom: 'request',
    servers: 'created',
    usesPackage: 'always',
    surveysControlPlane: false,
    isRollbackSupported: () => true,
  },
  TERMINATE: {
    workflowType: 'terminateVnf',
    task: 'terminate',
    summary: 'Terminate',
    request: TerminateVnfRequest,
    needs: 'INSTANTIATED',
    leaves: 'NOT_INSTANTIATED',
    factsFrom: 'instance',
    servers: 'deleted',
    usesPackage: 'never',
    surveysControlPlane: false,
    isRollbackSupported: () => false,
  },
  SCALE: {
    workflowType: 'scaleVnf',
    task: 'scale',
    summary: 'Add or remove workers',
    request: ScaleVnfRequest,
    needs: 'INSTANTIATED',
    leaves: 'INSTANTIATED',
    factsFrom: 'instance',
    servers: 'scaled',
    usesPackage: 'always',
    surveysControlPlane: false,
    isRollbackSupported: ({ type }) => type === 'SCALE_OUT',
  },
  HEAL: {
    workflowType: 'healVnf',
    task: 'heal',
    summary: 'Replace nodes',
    request: HealVnfRequest,
    needs: 'INSTANTIATED',
    leaves: 'INSTANTIATED',
    factsFrom: 'instance',
    servers: 'replaced',
    usesPackage: 'withParameters',
    surveysControlPlane: true,
    isRollbackSupported: () => false,
  },
  MODIFY_INFO: {
    workflowType: 'modifyVnfInfo',
    summary: 'Change what is known of a VNF instance',
    request: VnfInfoModificationRequest,
    factsFrom: 'instance',
    usesPackage: 'never',
    surveysControlPlane: false,
    isRollbackSupported: () => true,
  },
};

export const OPERATIONS = Object.keys(LCM_OPERATIONS) as [Operation, ...Operation[]];

/** The operations that have a task resource, with its path. */
export const TASKS: readonly (readonly [Operation, string])[] = OPERATIONS.flatMap((operation) => {
  const { task } = LCM_OPERATIONS[operation];
  return task === undefined ? [] : [[operation, task] as const];
});
