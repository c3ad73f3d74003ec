import { expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from './problems.ts';
import { fillRemedy, remedyIn } from './remedy.ts';

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

it('never advises to retry or roll back an operation that has ended', () => {
  const aboutOperations = CODES.filter((code) => code !== 'ROLLBACK_NOT_SUPPORTED'); // a refusal, never an operation's error
  for (const code of aboutOperations) {
    for (const state of ['ROLLED_BACK', 'FAILED'] as const)
      expect(remedyIn(state, code)).not.toMatch(/retry|roll ?back/i);
  }
  expect(remedyIn('ROLLED_BACK', 'STACK_CREATE_FAILED')).toBe('Remove the cause, then send the request again.');
  expect(remedyIn('ROLLED_BACK', 'IMAGE_MISSING')).toBe(
    'Register the image under this name (`openstack image create`), then send the request again; or correct sw_image_data in the VNFD.',
  );
});

it('is the remedy of the catalogue while the operation can still be retried', () => {
  for (const code of CODES) expect(remedyIn('FAILED_TEMP', code)).toBe(PROBLEMS[code].remedy);
});

it('fills the ids into commands, and names those of the openstack client', () => {
  const filled = fillRemedy(PROBLEMS.STACK_CREATE_FAILED.remedy, { vnfLcmOpOccId: 'op-1' });
  expect(filled).toBe(
    "Remove the cause, then `vnflow ops retry op-1`; or `vnflow ops rollback op-1`. Tacker's client: `openstack vnflcm op retry op-1`, `openstack vnflcm op rollback op-1`.",
  );
  expect(fillRemedy(PROBLEMS.VNF_BUSY.remedy, { vnfInstanceId: 'vnf-1' })).toContain('`vnflow ops --vnf vnf-1`');
  expect(fillRemedy(PROBLEMS.OPERATION_STATE.remedy, { vnfLcmOpOccId: 'op-1' })).toBe(
    'Look at the operation: `vnflow watch op-1`.',
  );
});

it('leaves no placeholder of an operation in any remedy', () => {
  for (const code of CODES)
    expect(fillRemedy(PROBLEMS[code].remedy, { vnfLcmOpOccId: 'op-1' })).not.toContain('OP_OCC');
});
