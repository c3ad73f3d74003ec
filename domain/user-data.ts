import { groupUserData } from './group-user-data.ts';
import { type StackContent, standardUserData, type UserDataInput } from './standard-user-data.ts';

export const USER_DATA_CLASS = 'lcm-operation-user-data-class';

/** The classes of user data that are built in: no script of a package is run. */
const USER_DATA = {
  StandardUserData: standardUserData,
  KubernetesClusterUserData: groupUserData,
} as const satisfies Record<string, (input: UserDataInput) => StackContent>;

export type UserDataClass = keyof typeof USER_DATA;
export const USER_DATA_CLASSES = Object.keys(USER_DATA) as readonly UserDataClass[];

/** The class that a request names, if it is one of ours. */
export function userDataClass(additionalParams: Readonly<Record<string, unknown>> = {}): UserDataClass | undefined {
  return USER_DATA_CLASSES.find((name) => name === additionalParams[USER_DATA_CLASS]);
}

/**
 * The stack of a new instance, by the user data that the request names.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST
 */
export function stackContent(input: UserDataInput): StackContent {
  return USER_DATA[userDataClass(input.request.additionalParams) ?? 'StandardUserData'](input);
}
