import { VnflowError } from '../domain/problems.ts';
import { USER_DATA_CLASS, USER_DATA_CLASSES, userDataClass } from '../domain/user-data.ts';

const FILE = 'lcm-operation-user-data';
const CLASS = USER_DATA_CLASS;

/**
 * UserData is chosen per request by two keys. Both classes are built in: the file that the request names is not read.
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
  if (userDataClass(additionalParams) && typeof file === 'string') return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `additionalParams.${CLASS}: only ${USER_DATA_CLASSES.join(' and ')} can be used; give one of them together with ${FILE}.`,
  });
}

/** Later operations may repeat the two keys, and need not. @throws VnflowError BAD_REQUEST */
export function checkRepeatedUserData(additionalParams: Readonly<Record<string, unknown>>): void {
  if (FILE in additionalParams || CLASS in additionalParams) checkUserData(additionalParams);
}
