import { VnflowError } from '../domain/problems.ts';

const FILE = 'lcm-operation-user-data';
const CLASS = 'lcm-operation-user-data-class';

/**
 * UserData is chosen per request by two keys. StandardUserData is built in: the file that the request names is not read.
 * @throws VnflowError BAD_REQUEST
 */
export function checkUserData(additionalParams: Readonly<Record<string, unknown>> = {}): void {
  const file = additionalParams[FILE];
  const name = additionalParams[CLASS];
  if ((file === undefined) !== (name === undefined)) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams: '${FILE}' or '${CLASS}' missing; give both.`,
    });
  }
  if (name === 'StandardUserData' && typeof file === 'string') return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `additionalParams.${CLASS}: only StandardUserData can be used; give it together with ${FILE}.`,
  });
}

/** Later operations may repeat the two keys, and need not. @throws VnflowError BAD_REQUEST */
export function checkRepeatedUserData(additionalParams: Readonly<Record<string, unknown>>): void {
  if (FILE in additionalParams || CLASS in additionalParams) checkUserData(additionalParams);
}
