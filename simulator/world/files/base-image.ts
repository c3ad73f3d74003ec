import { programFile } from './programs.ts';
import { type BaseImage, type Entry, nameOf, parentOf } from './tree.ts';

/** Ubuntu 22.04's cloud image: commands, configuration and directories, as far as the simulator needs them. */
const USER_COMMANDS =
  'awk base64 basename bash cat chmod chown chgrp cmp column comm cp curl cut date dd df diff dirname dmesg dpkg dpkg-query du echo egrep env expand expr false fgrep file find flock fold free fuser getent gpg grep groups gunzip gzip head hostname hostnamectl id install ip join journalctl kill last less ln loginctl ls lsb_release lsblk lsmod md5sum mkdir mktemp mount mountpoint mv nl nohup nproc od openssl paste pgrep pkill printenv printf ps pwd readlink realpath rev rm rmdir sed seq setsid sh sha1sum sha256sum sha512sum sleep sort split ss stat strings sudo sync systemctl systemd-run tac tail tar tee test timedatectl timeout touch tr true tty umount uname uniq uptime wc wget which who whoami xargs zcat apt apt-cache apt-get apt-mark cloud-init networkctl resolvectl ping trap umask ulimit time clear history alias unalias bc [';
const SYSTEM_COMMANDS =
  'blkid depmod ebtables ethtool iptables ip6tables ipvsadm lsmod mkfs.ext4 modprobe reboot shutdown poweroff swapoff swapon sysctl useradd usermod';

const DIRECTORIES =
  '/bin /boot /dev /dev/shm /etc /etc/apt /etc/apt/keyrings /etc/apt/sources.list.d /etc/cloud /etc/cron.d /etc/default /etc/modules-load.d /etc/netplan /etc/ssh /etc/sudoers.d /etc/sysctl.d /etc/systemd /etc/systemd/system /home /home/ubuntu /home/ubuntu/.ssh /lib /lib/systemd /lib/systemd/system /media /mnt /opt /proc /proc/sys /root /root/.ssh /run /run/cloud-init /run/systemd /sbin /srv /sys /sys/fs /tmp /usr /usr/bin /usr/lib /usr/lib/systemd /usr/lib/systemd/system /usr/local /usr/local/bin /usr/local/lib /usr/local/sbin /usr/sbin /usr/share /usr/share/keyrings /var /var/cache /var/lib /var/lib/cloud /var/lib/dpkg /var/log /var/spool /var/tmp';

const FILES: Readonly<Record<string, string>> = {
  '/etc/os-release':
    'PRETTY_NAME="Ubuntu 22.04.4 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.4 LTS (Jammy Jellyfish)"\nVERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\nHOME_URL="https://www.ubuntu.com/"\nSUPPORT_URL="https://help.ubuntu.com/"\nBUG_REPORT_URL="https://bugs.launchpad.net/ubuntu/"\nPRIVACY_POLICY_URL="https://www.ubuntu.com/legal/terms-and-policies/privacy-policy"\nUBUNTU_CODENAME=jammy\n',
  '/etc/lsb-release':
    'DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=22.04\nDISTRIB_CODENAME=jammy\nDISTRIB_DESCRIPTION="Ubuntu 22.04.4 LTS"\n',
  '/etc/issue': 'Ubuntu 22.04.4 LTS \\n \\l\n\n',
  '/etc/debian_version': 'bookworm/sid\n',
  '/etc/hosts':
    '127.0.0.1 localhost\n\n# The following lines are desirable for IPv6 capable hosts\n::1 ip6-localhost ip6-loopback\nfe00::0 ip6-localnet\nff00::0 ip6-mcastprefix\nff02::1 ip6-allnodes\nff02::2 ip6-allrouters\nff02::3 ip6-allhosts\n',
  '/etc/fstab':
    'LABEL=cloudimg-rootfs\t/\t ext4\tdiscard,errors=remount-ro\t0 1\nLABEL=UEFI\t/boot/efi\tvfat\tumask=0077\t0 1\n/swap.img\tnone\tswap\tsw\t0 0\n',
  '/etc/passwd':
    'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nsyslog:x:107:113::/home/syslog:/usr/sbin/nologin\nubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n',
  '/etc/group': 'root:x:0:\nadm:x:4:syslog,ubuntu\nsudo:x:27:ubuntu\nubuntu:x:1000:\n',
  '/etc/shells': '/bin/sh\n/bin/bash\n/usr/bin/bash\n',
  '/etc/timezone': 'Etc/UTC\n',
  '/etc/resolv.conf': 'nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch openstacklocal\n',
  '/etc/systemd/resolved.conf': '[Resolve]\n#DNS=\n#FallbackDNS=\n#Domains=\n#DNSSEC=no\n',
  '/etc/environment':
    'PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin"\n',
  '/etc/sudoers.d/90-cloud-init-users': '# User rules for ubuntu\nubuntu ALL=(ALL) NOPASSWD:ALL\n',
  '/etc/apt/sources.list':
    'deb http://archive.ubuntu.com/ubuntu jammy main restricted universe\ndeb http://archive.ubuntu.com/ubuntu jammy-updates main restricted universe\ndeb http://security.ubuntu.com/ubuntu jammy-security main restricted universe\n',
  '/home/ubuntu/.bashrc': '# ~/.bashrc: executed by bash(1) for non-login shells.\n',
  '/home/ubuntu/.profile': '# ~/.profile: executed by the command interpreter for login shells.\n',
  '/root/.bashrc': '# ~/.bashrc: executed by bash(1) for non-login shells.\n',
  '/var/log/cloud-init.log': '',
  '/var/log/syslog': '',
  '/swap.img': '',
};

const MODES: Readonly<Record<string, number>> = {
  '/root': 0o700,
  '/root/.ssh': 0o700,
  '/home/ubuntu': 0o750,
  '/home/ubuntu/.ssh': 0o700,
  '/tmp': 0o1777,
  '/var/tmp': 0o1777,
  '/dev/shm': 0o1777,
  '/etc/sudoers.d': 0o750,
  '/etc/sudoers.d/90-cloud-init-users': 0o440,
  '/swap.img': 0o600,
  '/var/log/syslog': 0o640,
};

/** A fixed, invented date of the image. */
const IMAGE_DATE = Date.UTC(2024, 1, 21);

function ownerOf(path: string): string {
  return path.startsWith('/home/ubuntu') ? 'ubuntu' : 'root';
}

function build(): BaseImage {
  const entries = new Map<string, Entry>();
  for (const path of DIRECTORIES.split(' ')) {
    entries.set(path, { kind: 'directory', mode: MODES[path] ?? 0o755, owner: ownerOf(path), at: IMAGE_DATE });
  }
  // as in Ubuntu since 21.04, /bin, /sbin and /lib are links into /usr
  for (const name of ['bin', 'sbin', 'lib']) {
    entries.set(`/${name}`, { kind: 'link', to: `usr/${name}`, owner: 'root', at: IMAGE_DATE });
  }
  for (const path of ['/lib/systemd', '/lib/systemd/system']) entries.delete(path);
  for (const [path, bytes] of Object.entries(FILES)) {
    entries.set(path, { kind: 'file', bytes, mode: MODES[path] ?? 0o644, owner: ownerOf(path), at: IMAGE_DATE });
  }
  const program = (path: string) =>
    entries.set(path, {
      kind: 'file',
      bytes: programFile(nameOf(path), 'ubuntu-22.04'),
      mode: 0o755,
      owner: 'root',
      at: IMAGE_DATE,
    });
  for (const name of USER_COMMANDS.split(' ')) program(`/usr/bin/${name}`);
  for (const name of SYSTEM_COMMANDS.split(' ')) program(`/usr/sbin/${name}`);
  const children = new Map<string, Set<string>>();
  for (const path of entries.keys()) {
    if (path === '/') continue;
    const parent = parentOf(path);
    const names = children.get(parent) ?? new Set<string>();
    names.add(nameOf(path));
    children.set(parent, names);
  }
  return { entries, children };
}

/** The base image. All machines share it, and nothing changes it. */
export const UBUNTU_22_04: BaseImage = build();
