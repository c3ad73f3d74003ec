import { type DebianPackage, unitFileText } from './package.ts';

/** Packages of Docker's repository for jammy. Its containerd has the CRI plugin switched off. */
export const DOCKER_PACKAGES: readonly DebianPackage[] = [
  ...['1.6.33-1', '1.7.27-1'].map(
    (version): DebianPackage => ({
      name: 'containerd.io',
      version,
      programs: ['/usr/bin/containerd', '/usr/bin/ctr', '/usr/bin/runc', '/usr/bin/containerd-shim-runc-v2'],
      files: {
        '/etc/containerd/config.toml':
          '#   Copyright 2018-2022 Docker Inc.\n\ndisabled_plugins = ["cri"]\n\n#root = "/var/lib/containerd"\n',
        '/usr/lib/systemd/system/containerd.service': unitFileText(
          'containerd container runtime',
          '/usr/bin/containerd',
        ),
      },
      starts: ['containerd'],
    }),
  ),
  {
    name: 'docker-ce',
    version: '5:24.0.9-1~ubuntu.22.04~jammy',
    depends: ['containerd.io', 'iptables', 'docker-ce-cli'],
    programs: ['/usr/bin/dockerd'],
    directories: ['/etc/docker', '/var/lib/docker'],
    files: {
      '/usr/lib/systemd/system/docker.service': unitFileText(
        'Docker Application Container Engine',
        '/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock',
      ),
    },
    starts: ['docker'],
  },
  { name: 'docker-ce-cli', version: '5:24.0.9-1~ubuntu.22.04~jammy', programs: ['/usr/bin/docker'] },
];
