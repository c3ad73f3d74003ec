import type { z } from 'zod';
import { LCM_OPERATIONS, type Operation, TASKS } from '../../domain/operations.ts';
import { CancelMode } from '../../domain/sol-requests.ts';
import { accepts, type Contract, type Contracts, removes, shows } from '../openapi/contract.ts';
import { ApiVersions } from './answer-parts.ts';

/** The schemas in which the versions of vnflcm differ. */
export interface VersionSchemas {
  readonly create: z.ZodType;
  readonly instance: z.ZodType;
  readonly instances: z.ZodType;
  readonly instancesQuery: z.ZodObject;
  readonly operation: z.ZodType;
  readonly operations: z.ZodType;
  readonly operationsQuery: z.ZodObject;
  readonly requestOf: (operation: Operation) => z.ZodType;
  /** True when the 202 of a rollback has a `Location`. */
  readonly rollbackHasLocation: boolean;
}

const started = (contract: Contract): Contract => ({ ...contract, hasLocation: true });

/** What a version of vnflcm takes and gives. */
export function vnflcmContracts(schemas: VersionSchemas): Contracts {
  const rollback = accepts('Undo a failed operation');
  return {
    '/api_versions': { GET: shows('The versions that are served', ApiVersions) },
    '/vnf_instances': {
      GET: shows('List VNF instances', schemas.instances, schemas.instancesQuery),
      POST: {
        summary: 'Create a VNF instance',
        body: schemas.create,
        answers: { 201: schemas.instance },
        hasLocation: true,
      },
    },
    '/vnf_instances/{id}': {
      GET: shows('Show a VNF instance', schemas.instance),
      PATCH: started(accepts('Change what is known of a VNF instance', schemas.requestOf('MODIFY_INFO'))),
      DELETE: removes('Delete a VNF instance'),
    },
    ...Object.fromEntries(
      TASKS.map(([operation, task]) => {
        const { summary } = LCM_OPERATIONS[operation];
        return [`/vnf_instances/{id}/${task}`, { POST: started(accepts(summary, schemas.requestOf(operation))) }];
      }),
    ),
    '/vnf_lcm_op_occs': { GET: shows('List operations', schemas.operations, schemas.operationsQuery) },
    '/vnf_lcm_op_occs/{id}': { GET: shows('Show an operation', schemas.operation) },
    '/vnf_lcm_op_occs/{id}/retry': { POST: accepts('Go on where a failed operation stopped') },
    '/vnf_lcm_op_occs/{id}/rollback': { POST: schemas.rollbackHasLocation ? started(rollback) : rollback },
    '/vnf_lcm_op_occs/{id}/fail': { POST: shows('Give a failed operation up', schemas.operation) },
    '/vnf_lcm_op_occs/{id}/cancel': { POST: accepts('Stop an operation under way', CancelMode) },
  };
}
