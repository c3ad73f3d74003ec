export const ROOT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function homeOf(user: string): string {
  return user === 'root' ? '/root' : `/home/${user}`;
}

/** Returns the environment of a login. */
export function loginEnv(user: string): Record<string, string> {
  return {
    HOME: homeOf(user),
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
    PATH: `${ROOT_PATH}:/usr/games:/usr/local/games:/snap/bin`,
    LANG: 'C.UTF-8',
  };
}
