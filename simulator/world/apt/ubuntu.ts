import { type DebianPackage, unitFileText } from './package.ts';

/** The packages of the image: name and version. */
const ON_THE_IMAGE: Readonly<Record<string, string>> = Object.fromEntries(
  `apt 2.4.11
bash 5.1-6ubuntu1.1
ca-certificates 20230311ubuntu0.22.04.1
cloud-init 23.4.4-0ubuntu0~22.04.1
coreutils 8.32-4.1ubuntu1.1
curl 7.81.0-1ubuntu1.15
dpkg 1.21.1ubuntu2.2
ethtool 1:5.16-1
gnupg 2.2.27-3ubuntu2.1
gpg 2.2.27-3ubuntu2.1
gpgv 2.2.27-3ubuntu2.1
gzip 1.10-4ubuntu4.1
iproute2 5.15.0-1ubuntu2
iptables 1.8.7-1ubuntu5.2
kmod 29-1ubuntu1
lsb-release 11.1.0ubuntu4
mount 2.37.2-4ubuntu3
openssh-server 1:8.9p1-3ubuntu0.6
openssl 3.0.2-0ubuntu1.15
procps 2:3.3.17-6ubuntu2.1
psmisc 23.4-2build3
python3 3.10.6-1~22.04
rsyslog 8.2112.0-2ubuntu2.2
software-properties-common 0.99.22.9
sudo 1.9.9-1ubuntu2.4
systemd 249.11-0ubuntu3.12
tar 1.34+dfsg-1ubuntu0.1.22.04.2
unattended-upgrades 2.8ubuntu1
util-linux 2.37.2-4ubuntu3
vim 2:8.2.3995-1ubuntu2.15
wget 1.21.2-2ubuntu1`
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);

const HAPROXY_CONFIG =
  'global\n\tlog /dev/log\tlocal0\n\tchroot /var/lib/haproxy\n\tstats socket /run/haproxy/admin.sock mode 660 level admin expose-fd listeners\n\tstats timeout 30s\n\tuser haproxy\n\tgroup haproxy\n\tdaemon\n\ndefaults\n\tlog\tglobal\n\tmode\thttp\n\toption\thttplog\n\toption\tdontlognull\n\ttimeout connect 5000\n\ttimeout client  50000\n\ttimeout server  50000\n';

const CONTAINERD_UNIT = unitFileText('containerd container runtime', '/usr/bin/containerd');

/** Packages that `apt-get install` can add from Ubuntu's archive. */
const IN_THE_ARCHIVE: readonly DebianPackage[] = [
  { name: 'apt-transport-https', version: '2.4.11' },
  { name: 'conntrack', version: '1:1.4.6-2build2', programs: ['/usr/sbin/conntrack'] },
  { name: 'ebtables', version: '2.0.11-4build2', programs: ['/usr/sbin/ebtables'] },
  { name: 'ipset', version: '7.15-1build1', programs: ['/usr/sbin/ipset'] },
  { name: 'ipvsadm', version: '1:1.31-1build2', programs: ['/usr/sbin/ipvsadm'] },
  { name: 'jq', version: '1.6-2.1ubuntu3', programs: ['/usr/bin/jq'] },
  { name: 'nfs-common', version: '1:2.6.1-1ubuntu1.2' },
  { name: 'open-iscsi', version: '2.1.5-1ubuntu1' },
  { name: 'chrony', version: '4.2-2ubuntu2', programs: ['/usr/bin/chronyc'] },
  { name: 'etcd-client', version: '3.3.25+dfsg-7ubuntu0.22.04.1', programs: ['/usr/bin/etcdctl'] },
  { name: 'socat', version: '1.7.4.1-3ubuntu4', programs: ['/usr/bin/socat'] },
  { name: 'unzip', version: '6.0-26ubuntu3.1', programs: ['/usr/bin/unzip'] },
  { name: 'lsof', version: '4.93.2+dfsg-1.1build2', programs: ['/usr/bin/lsof'] },
  {
    name: 'haproxy',
    version: '2.4.24-0ubuntu0.22.04.1',
    programs: ['/usr/sbin/haproxy'],
    directories: ['/run/haproxy', '/var/lib/haproxy'],
    files: {
      '/etc/haproxy/haproxy.cfg': HAPROXY_CONFIG,
      '/usr/lib/systemd/system/haproxy.service': unitFileText(
        'HAProxy Load Balancer',
        '/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid',
      ),
    },
    starts: ['haproxy'],
  },
  {
    name: 'keepalived',
    version: '1:2.2.4-0.2build1',
    programs: ['/usr/sbin/keepalived'],
    directories: ['/etc/keepalived'],
    files: {
      '/usr/lib/systemd/system/keepalived.service': unitFileText(
        'Keepalive Daemon (LVS and VRRP)',
        '/usr/sbin/keepalived --dont-fork',
      ),
    },
    enables: ['keepalived'], // keepalived does not start without a configuration
  },
  { name: 'runc', version: '1.1.12-0ubuntu2~22.04.1', programs: ['/usr/sbin/runc'] },
  {
    name: 'containerd',
    version: '1.7.12-0ubuntu2~22.04.1',
    depends: ['runc'],
    programs: ['/usr/bin/containerd', '/usr/bin/ctr', '/usr/bin/containerd-shim-runc-v2'],
    files: { '/usr/lib/systemd/system/containerd.service': CONTAINERD_UNIT },
    starts: ['containerd'],
  },
  {
    name: 'docker.io',
    version: '24.0.7-0ubuntu2~22.04.1',
    depends: ['containerd', 'iptables'],
    programs: ['/usr/bin/docker', '/usr/bin/dockerd'],
    directories: ['/etc/docker', '/var/lib/docker'],
    files: {
      '/usr/lib/systemd/system/docker.service': unitFileText(
        'Docker Application Container Engine',
        '/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock',
      ),
    },
    starts: ['docker'],
  },
];

export const UBUNTU_PACKAGES: ReadonlyMap<string, DebianPackage> = new Map([
  ...Object.entries(ON_THE_IMAGE).map(([name, version]): [string, DebianPackage] => [name, { name, version }]),
  ...IN_THE_ARCHIVE.map((found): [string, DebianPackage] => [found.name, found]),
]);

/** Returns the version of a package of the image. */
export function imageVersion(name: string): string | undefined {
  return ON_THE_IMAGE[name];
}

export function imagePackages(): readonly string[] {
  return Object.keys(ON_THE_IMAGE);
}
