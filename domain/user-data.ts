import { defaultUserData, groupUserData } from './group-user-data.ts';
import { type StackContent, standardUserData, type UserDataInput } from './standard-user-data.ts';

export const USER_DATA_FILE = 'lcm-operation-user-data';
export const USER_DATA_CLASS = 'lcm-operation-user-data-class';

/** The classes of user data that are built in: no script of a package is run for them. */
const USER_DATA = {
  StandardUserData: standardUserData,
  DefaultUserData: defaultUserData,
  KubernetesClusterUserData: groupUserData,
} as const satisfies Record<string, (input: UserDataInput) => StackContent>;

type UserDataClass = keyof typeof USER_DATA;
export const USER_DATA_CLASSES = Object.keys(USER_DATA) as readonly UserDataClass[];

/** User data that a request names, or that holds when it names none. */
export type ChosenUserData =
  | { readonly builtIn: UserDataClass }
  /** Code of the package: the path of the file in it, and the name of a class there. */
  | { readonly file: string; readonly className: string };

/**
 * The user data of a request. Tacker's own classes are recognised by name. Without the two keys DefaultUserData holds,
 * as in Tacker.
 * @param isGenerated whether the templates are generated from the VNFD: then StandardUserData holds
 */
export function chosenUserData(
  additionalParams: Readonly<Record<string, unknown>> = {},
  isGenerated = false,
): ChosenUserData {
  const className = additionalParams[USER_DATA_CLASS] ?? (isGenerated ? 'StandardUserData' : 'DefaultUserData');
  const builtIn = USER_DATA_CLASSES.find((name) => name === className);
  if (builtIn !== undefined) return { builtIn };
  return { file: packagePath(String(additionalParams[USER_DATA_FILE] ?? '')), className: String(className) };
}

/** `./UserData/mine.py` → `UserData/mine.py` */
function packagePath(written: string): string {
  return written.replace(/^(\.?\/)+/, '');
}

/**
 * The stack of a new instance, by built-in user data.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST
 */
export function stackContent(input: UserDataInput, builtIn: UserDataClass): StackContent {
  return USER_DATA[builtIn](input);
}
