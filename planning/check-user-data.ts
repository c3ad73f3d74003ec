import { VnflowError } from '../domain/problems.ts';
import {
  type ChosenUserData,
  chosenUserData,
  USER_DATA_CLASS,
  USER_DATA_CLASSES,
  USER_DATA_FILE,
} from '../domain/user-data.ts';
import { checkCodeAllowed } from './package-code.ts';

interface UserDataSources {
  readonly additionalParams: Readonly<Record<string, unknown>> | undefined;
  /** The files of the package. */
  readonly files: { has(path: string): boolean };
  /** Whether the templates are generated from the VNFD. Only StandardUserData fits them, and it need not be named. */
  readonly isGenerated: boolean;
  /** Whether code of packages may run. */
  readonly allowPackageCode: boolean | undefined;
}

/**
 * UserData is chosen per request by two keys. Tacker's own classes are built in: the file that the request names is not
 * read for them.
 * @throws VnflowError BAD_REQUEST naming the key; PACKAGE_CODE_DISABLED
 */
export function checkUserData(sources: UserDataSources): ChosenUserData {
  const { additionalParams = {}, files, allowPackageCode, isGenerated } = sources;
  const file = additionalParams[USER_DATA_FILE];
  const name = additionalParams[USER_DATA_CLASS];
  if ((file === undefined) !== (name === undefined)) {
    throw createRequestProblem(`additionalParams: '${USER_DATA_FILE}' or '${USER_DATA_CLASS}' missing; give both.`);
  }
  for (const [key, value] of Object.entries({ [USER_DATA_FILE]: file, [USER_DATA_CLASS]: name })) {
    if (value !== undefined && typeof value !== 'string')
      throw createRequestProblem(`additionalParams.${key}: must be text.`);
  }
  const chosen = chosenUserData(additionalParams, isGenerated);
  if (isGenerated && !('builtIn' in chosen && chosen.builtIn === 'StandardUserData')) {
    throw createRequestProblem(
      `additionalParams.${USER_DATA_CLASS}: the package has no BaseHOT/, so its template is generated, and only StandardUserData fits it. Leave ${USER_DATA_FILE} and ${USER_DATA_CLASS} out.`,
    );
  }
  if ('builtIn' in chosen) return chosen;
  const { className } = chosen;
  if (!/^[A-Za-z_]\w*$/.test(className))
    throw createRequestProblem(`additionalParams.${USER_DATA_CLASS}: must be the name of a class.`);
  if (!chosen.file.endsWith('.py') || !files.has(chosen.file)) {
    throw createRequestProblem(
      `additionalParams.${USER_DATA_FILE}: the package has no Python file ${chosen.file}. Without one, ${USER_DATA_CLASS} is ${USER_DATA_CLASSES.join(', ')}.`,
    );
  }
  checkCodeAllowed(
    allowPackageCode,
    `additionalParams.${USER_DATA_CLASS}: ${className} is code of the package (${chosen.file}); built in are ${USER_DATA_CLASSES.join(', ')}`,
  );
  return chosen;
}

/**
 * Later operations may repeat the two keys, and need not.
 * @returns undefined when the request does not name user data
 * @throws VnflowError BAD_REQUEST, PACKAGE_CODE_DISABLED
 */
export function checkRepeatedUserData(sources: UserDataSources): ChosenUserData | undefined {
  const given = sources.additionalParams ?? {};
  return USER_DATA_FILE in given || USER_DATA_CLASS in given ? checkUserData(sources) : undefined;
}

function createRequestProblem(detail: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail });
}
