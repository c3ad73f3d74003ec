/** The last patch of each minor version that the projects have released. Requests for other versions get 404. */
const LAST_PATCH = {
  containerd: { '1.5': 18, '1.6': 39, '1.7': 28, '2.0': 7, '2.1': 9, '2.2': 9, '2.3': 7 },
  runc: { '1.0': 3, '1.1': 15, '1.2': 9, '1.3': 6, '1.4': 3 },
  'cilium-cli': { '0.12': 12, '0.13': 2, '0.14': 8, '0.15': 23, '0.16': 24, '0.17': 0, '0.18': 9, '0.19': 7 },
  'cni-plugins': { '1.0': 1, '1.1': 1, '1.2': 0, '1.3': 0, '1.4': 1, '1.5': 1, '1.6': 2 },
  'cri-tools': {
    ...{ '1.24': 2, '1.25': 0, '1.26': 1, '1.27': 1, '1.28': 0, '1.29': 0, '1.30': 1, '1.31': 1 },
    ...{ '1.34': 0, '1.35': 0, '1.36': 0 },
  },
  etcd: { '3.4': 37, '3.5': 21, '3.6': 14 },
  helm: { '3.12': 3, '3.13': 3, '3.14': 4, '3.15': 4, '3.16': 4 },
  kubernetes: {
    ...{ '1.24': 17, '1.25': 16, '1.26': 15, '1.27': 16, '1.28': 15, '1.29': 15, '1.30': 14, '1.31': 13 },
    ...{ '1.34': 11, '1.35': 9, '1.36': 5 },
  },
} as const satisfies Record<string, Readonly<Record<string, number>>>;

export type Project = keyof typeof LAST_PATCH;

/** @param version without a leading `v` */
export function isReleased(project: Project, version: string): boolean {
  const [, minor = '', patch = ''] = /^(\d+\.\d+)\.(\d+)$/.exec(version) ?? [];
  const last = lastPatch(project, minor);
  return last !== undefined && Number(patch) <= last;
}

export function lastPatch(project: Project, minor: string): number | undefined {
  const minors: Readonly<Record<string, number>> = LAST_PATCH[project];
  return minors[minor];
}

/** The newest version of a project. */
export function newestRelease(project: Project): string {
  const [minor = '', patch = 0] = Object.entries<number>(LAST_PATCH[project]).at(-1) ?? [];
  return `${minor}.${patch}`;
}
