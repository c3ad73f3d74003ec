import { createHash } from 'node:crypto';
import { programFile } from './files/programs.ts';

/**
 * What can be downloaded from the internet of the simulated world. A file is a short text that says what it stands for;
 * `sha256sum` answers the digest that the project published for the real file, as long as not a byte of the text was changed.
 */
interface Download {
  readonly content: string;
  /** Digest that the project published; absent: that of the content itself. */
  readonly published?: string;
}

/** Programs in an archive, by their path in it. */
type Members = Readonly<Record<string, string>>;

const ARCHIVE = 'simulated archive\n';

/** Published by the projects with their releases. */
const PUBLISHED: Readonly<Record<string, string>> = {
  'containerd-1.7.11-linux-amd64.tar.gz': 'd66161d54546fad502fd50a13fcb79efff033fcd895adc9c44762680dcde4e69',
  'runc-1.1.10': '81f73a59be3d122ab484d7dfe9ddc81030f595cc59968f61c113a9a38a2c113a',
  'cilium-cli-0.15.23': 'cda3f1c40ae2191a250a7cea9e2c3987eaa81cb657dda54cd8ce25f856c384da',
};

export const KUBERNETES_KEY_FINGERPRINT = 'DE15B14486CD377B9E876E1A234654DA9A296436';

const RELEASE_KEY = `-----BEGIN PGP PUBLIC KEY BLOCK-----
Version: GnuPG v2.0.15 (GNU/Linux)

mQENBGMHXfEBCADxJ4xPWkHJ8vYIbI9CzVzeMB7yqzzjEGlLuRcc2yYXrJYmZZ8Q
=6a1S
-----END PGP PUBLIC KEY BLOCK-----
`;

export function isKubernetesKey(content: string): boolean {
  return content === RELEASE_KEY;
}

function archive(url: string, members: Members): string {
  return `${ARCHIVE}${JSON.stringify({ url, members })}\n`;
}

/** Paths and contents of what an archive holds, `undefined` when the bytes are no (whole) archive of this world. */
export function archiveMembers(content: string): Members | undefined {
  if (!content.startsWith(ARCHIVE)) return undefined;
  try {
    return (JSON.parse(content.slice(ARCHIVE.length)) as { members: Members }).members;
  } catch {
    return undefined;
  }
}

type Maker = (match: readonly string[], url: string) => Download | undefined;

/** What each known address holds; `undefined`: 404. */
const SOURCES: readonly { readonly pattern: RegExp; readonly make: Maker }[] = [
  {
    pattern:
      /^https:\/\/github\.com\/containerd\/containerd\/releases\/download\/v([\d.]+)\/(containerd-([\d.]+)-linux-(amd64|arm64)\.tar\.gz)$/,
    make: ([, tag = '', name = '', version], url) =>
      tag === version && /^(1\.[4-7]|2\.[0-2])\.\d{1,2}$/.test(tag)
        ? {
            content: archive(
              url,
              Object.fromEntries(
                ['containerd', 'containerd-shim-runc-v2', 'containerd-stress', 'ctr'].map((program) => [
                  `bin/${program}`,
                  programFile(program, tag),
                ]),
              ),
            ),
            ...published(name),
          }
        : undefined,
  },
  {
    pattern: /^https:\/\/github\.com\/opencontainers\/runc\/releases\/download\/v([\d.]+)\/runc\.(amd64|arm64)$/,
    make: ([, version = '', architecture = ''], url) =>
      /^1\.[0-4]\.\d{1,2}$/.test(version)
        ? {
            content: programFile('runc', version, `# ${url}\n`),
            ...(architecture === 'amd64' ? published(`runc-${version}`) : {}),
          }
        : undefined,
  },
  {
    pattern:
      /^https:\/\/github\.com\/cilium\/cilium-cli\/releases\/download\/v([\d.]+)\/cilium-linux-(amd64|arm64)\.tar\.gz$/,
    make: ([, version = '', architecture = ''], url) =>
      /^0\.1[0-9]\.\d{1,2}$/.test(version)
        ? {
            content: archive(url, { cilium: programFile('cilium', version) }),
            ...(architecture === 'amd64' ? published(`cilium-cli-${version}`) : {}),
          }
        : undefined,
  },
  {
    pattern:
      /^https:\/\/github\.com\/kubernetes-sigs\/cri-tools\/releases\/download\/v([\d.]+)\/crictl-v[\d.]+-linux-amd64\.tar\.gz$/,
    make: ([, version = ''], url) => ({ content: archive(url, { crictl: programFile('crictl', version) }) }),
  },
  {
    pattern: /^https:\/\/get\.helm\.sh\/helm-v([\d.]+)-linux-amd64\.tar\.gz$/,
    make: ([, version = ''], url) => ({ content: archive(url, { 'linux-amd64/helm': programFile('helm', version) }) }),
  },
  {
    pattern: /^https:\/\/dl\.k8s\.io\/(?:release\/)?v([\d.]+)\/bin\/linux\/amd64\/(kubectl|kubeadm|kubelet)$/,
    make: ([, version = '', name = ''], url) => ({ content: programFile(name, version, `# ${url}\n`) }),
  },
  {
    pattern: /^https:\/\/pkgs\.k8s\.io\/core:\/stable:\/v1\.(\d+)\/deb\/Release\.key$/,
    make: ([, minor = '']) => (latestPatch(Number(minor)) === undefined ? undefined : { content: RELEASE_KEY }),
  },
  {
    pattern: /^https:\/\/raw\.githubusercontent\.com\/containerd\/containerd\/(?:main|v[\d.]+)\/containerd\.service$/,
    make: () => ({
      content:
        '[Unit]\nDescription=containerd container runtime\n[Service]\nExecStart=/usr/local/bin/containerd\n[Install]\nWantedBy=multi-user.target\n',
    }),
  },
];

function published(name: string): { readonly published?: string } {
  const digest = PUBLISHED[name];
  return digest === undefined ? {} : { published: digest };
}

/** Highest patch release of Kubernetes 1.x that the package repositories have. */
export function latestPatch(minor: number): number | undefined {
  return { 24: 17, 25: 16, 26: 15, 27: 16, 28: 15, 29: 15, 30: 14, 31: 14, 32: 10, 33: 6, 34: 2 }[minor];
}

const digests = new Map<string, string>();

function sha256(bytes: string): string {
  return createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex');
}

/** The digest of a file as `sha256sum` prints it. */
export function digestOf(bytes: string): string {
  return digests.get(bytes) ?? sha256(bytes);
}

/** Hosts that answer at all; others cannot be resolved. */
const HOSTS = new Set(
  'github.com pkgs.k8s.io dl.k8s.io get.helm.sh raw.githubusercontent.com archive.ubuntu.com security.ubuntu.com registry.k8s.io quay.io docker.io download.docker.com'.split(
    ' ',
  ),
);

/** @returns the bytes, 404, or `no-host` */
export function fetchArtefact(url: string): { readonly content: string } | 404 | 'no-host' {
  const { hostname } = new URL(url);
  if (!HOSTS.has(hostname)) return 'no-host';
  const sums = /^(.*?)(\.sha256sum|\.sha256)$/.exec(url);
  if (sums?.[1] !== undefined) {
    const [, of, ending] = sums;
    const runc = /^(.*\/)runc$/.exec(of);
    const download = find(runc ? `${runc[1]}runc.amd64` : of);
    if (!download) return 404;
    const name = runc ? 'runc.amd64' : of.slice(of.lastIndexOf('/') + 1);
    const digest = download.published ?? sha256(download.content);
    return { content: ending === '.sha256' ? digest : `${digest}  ${name}\n` };
  }
  const download = find(url);
  return download ? { content: download.content } : 404;
}

function find(url: string): Download | undefined {
  for (const { pattern, make } of SOURCES) {
    const match = pattern.exec(url);
    if (!match) continue;
    const download = make(match, url);
    if (download?.published) digests.set(download.content, download.published);
    return download;
  }
  return undefined;
}
