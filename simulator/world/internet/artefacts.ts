import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { programFile } from '../files/programs.ts';
import { type Member, packTar } from './archive.ts';
import { isReleased, type Project } from './releases.ts';

/** A file of a release. The simulator makes it in the form of the project: a program, or a tar archive of programs. */
export interface Artefact {
  readonly url: string;
  readonly bytes: string;
  /** The digest that the project published. */
  readonly sha256: string;
}

interface Kind {
  readonly project: Project;
  /** The pattern of the URL; its groups are version and architecture. */
  readonly url: RegExp;
  readonly make: (release: { readonly version: string; readonly architecture: string; readonly url: string }) => string;
}

const V = '(\\d+\\.\\d+\\.\\d+)';
const ARCHITECTURE = '(amd64|arm64)';
const GITHUB = 'https://github\\.com';

function archive(directory: string, names: string): Kind['make'] {
  return ({ version, architecture, url }) => {
    const members = names.split(' ').map((name): Member => {
      const bytes = executable(name, { version, architecture, url });
      return { kind: 'file', name: `${directory}${name}`, mode: 0o755, bytes, to: '' };
    });
    const folder: Member = { kind: 'directory', name: directory, mode: 0o755, bytes: '', to: '' };
    return gzipSync(packTar(directory === '' ? members : [folder, ...members]), { level: 0 }).toString('latin1');
  };
}

function executable(
  name: string,
  { version, architecture, url }: { readonly version: string; readonly architecture: string; readonly url: string },
): string {
  // the simulated machines are x86-64, so a program of another architecture is mere bytes
  if (architecture !== 'amd64') return `\x7fELF ${architecture} ${name} ${version}\n${url}\n`;
  return programFile(name, version, `# from ${url}\n`);
}

const program =
  (name: string): Kind['make'] =>
  (release) =>
    executable(name, release);

const CNI_PLUGINS =
  'bandwidth bridge dhcp dummy firewall host-device host-local ipvlan loopback macvlan portmap ptp sbr static tuning vlan vrf';

const KINDS: readonly Kind[] = [
  {
    project: 'containerd',
    url: new RegExp(
      `^${GITHUB}/containerd/containerd/releases/download/v${V}/containerd-\\1-linux-${ARCHITECTURE}\\.tar\\.gz$`,
    ),
    make: archive(
      'bin/',
      'containerd-shim-runc-v2 containerd-stress containerd-shim containerd containerd-shim-runc-v1 ctr',
    ),
  },
  {
    project: 'runc',
    url: new RegExp(`^${GITHUB}/opencontainers/runc/releases/download/v${V}/runc\\.${ARCHITECTURE}$`),
    make: program('runc'),
  },
  {
    project: 'cilium-cli',
    url: new RegExp(`^${GITHUB}/cilium/cilium-cli/releases/download/v${V}/cilium-linux-${ARCHITECTURE}\\.tar\\.gz$`),
    make: archive('', 'cilium'),
  },
  {
    project: 'cni-plugins',
    url: new RegExp(
      `^${GITHUB}/containernetworking/plugins/releases/download/v${V}/cni-plugins-linux-${ARCHITECTURE}-v\\1\\.tgz$`,
    ),
    make: archive('./', CNI_PLUGINS),
  },
  {
    project: 'cri-tools',
    url: new RegExp(
      `^${GITHUB}/kubernetes-sigs/cri-tools/releases/download/v${V}/crictl-v\\1-linux-${ARCHITECTURE}\\.tar\\.gz$`,
    ),
    make: archive('', 'crictl'),
  },
  {
    project: 'etcd',
    url: new RegExp(`^${GITHUB}/etcd-io/etcd/releases/download/v${V}/etcd-v\\1-linux-${ARCHITECTURE}\\.tar\\.gz$`),
    make: (release) =>
      archive(`etcd-v${release.version}-linux-${release.architecture}/`, 'etcd etcdctl etcdutl')(release),
  },
  {
    project: 'helm',
    url: new RegExp(`^https://get\\.helm\\.sh/helm-v${V}-linux-${ARCHITECTURE}\\.tar\\.gz$`),
    make: (release) => archive(`linux-${release.architecture}/`, 'helm')(release),
  },
  ...['kubeadm', 'kubectl', 'kubelet'].map(
    (name): Kind => ({
      project: 'kubernetes',
      url: new RegExp(`^https://dl\\.k8s\\.io/(?:release/)?v${V}/bin/linux/${ARCHITECTURE}/${name}$`),
      make: program(name),
    }),
  ),
];

const GITHUB_RELEASES = 'https://github.com';

/** Digests as the projects publish them; install_k8s_cluster.sh pins these, too. */
const PUBLISHED: Readonly<Record<string, string>> = {
  [`${GITHUB_RELEASES}/containerd/containerd/releases/download/v1.7.11/containerd-1.7.11-linux-amd64.tar.gz`]:
    'd66161d54546fad502fd50a13fcb79efff033fcd895adc9c44762680dcde4e69',
  [`${GITHUB_RELEASES}/containerd/containerd/releases/download/v1.7.11/containerd-1.7.11-linux-arm64.tar.gz`]:
    '5eae27cce38a14be5390d4035127aa11416bc5ae592a9ff25b11870872ce1159',
  [`${GITHUB_RELEASES}/opencontainers/runc/releases/download/v1.1.10/runc.amd64`]:
    '81f73a59be3d122ab484d7dfe9ddc81030f595cc59968f61c113a9a38a2c113a',
  [`${GITHUB_RELEASES}/opencontainers/runc/releases/download/v1.1.10/runc.arm64`]:
    '4830afd426bdeacbdf9cb8729524aa2ed51790b8c4b28786995925593708f1c8',
  [`${GITHUB_RELEASES}/cilium/cilium-cli/releases/download/v0.15.23/cilium-linux-amd64.tar.gz`]:
    'cda3f1c40ae2191a250a7cea9e2c3987eaa81cb657dda54cd8ce25f856c384da',
  [`${GITHUB_RELEASES}/cilium/cilium-cli/releases/download/v0.15.23/cilium-linux-arm64.tar.gz`]:
    '9aa37d99a15e72bbcb555d7ed5b88c2ae3a7e6fbc478f9ee402a835ba6b41175',
  [`${GITHUB_RELEASES}/containerd/containerd/releases/download/v2.3.4/containerd-2.3.4-linux-amd64.tar.gz`]:
    '9d68969855fbf676cdb8ed758e420fb048d61f984f61de3e53eddfebe484d168',
  [`${GITHUB_RELEASES}/containerd/containerd/releases/download/v2.3.4/containerd-2.3.4-linux-arm64.tar.gz`]:
    'a985fbb7e18fc0362d31a055338f5d7b0e087a3e27f14c70d1c5965399a29f95',
  [`${GITHUB_RELEASES}/opencontainers/runc/releases/download/v1.4.3/runc.amd64`]:
    'f6ae8efc0fa40079e1475e97cbe9d1bd3f106a28d6af78a11d9f1bd565515e60',
  [`${GITHUB_RELEASES}/opencontainers/runc/releases/download/v1.4.3/runc.arm64`]:
    '633301e2e32f8a5ad54031aab4901eb00308bec677dd15faa2751e8f9dab5ca4',
  [`${GITHUB_RELEASES}/cilium/cilium-cli/releases/download/v0.19.7/cilium-linux-amd64.tar.gz`]:
    'cd15e0983bf0acc7946cd05d453d1e58376ea92dec2642e745212df2b07d8852',
  [`${GITHUB_RELEASES}/cilium/cilium-cli/releases/download/v0.19.7/cilium-linux-arm64.tar.gz`]:
    '9482937f14061fb239f2dbb2f97f4103de1b101f5d5defbff319f294f9bd540f',
  [`${GITHUB_RELEASES}/etcd-io/etcd/releases/download/v3.6.14/etcd-v3.6.14-linux-amd64.tar.gz`]:
    'ffe840ff9295808e88cce2794a18a5ac87f12a5203c8314d0bf6aa119b41bac5',
  [`${GITHUB_RELEASES}/etcd-io/etcd/releases/download/v3.6.14/etcd-v3.6.14-linux-arm64.tar.gz`]:
    'fa1b80565ee6fc2df1ae6f57a508b221f3ecc7d591c317c581cd8281b0842b3e',
};

function trueSha256(bytes: string): string {
  return createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex');
}

const made = new Map<string, Artefact>();

/** Finds the file of a release. @returns undefined when the project has not released it */
export function artefactAt(url: string): Artefact | undefined {
  const known = made.get(url);
  if (known) return known;
  for (const { project, url: pattern, make } of KINDS) {
    const [, version, architecture] = pattern.exec(url) ?? [];
    if (version === undefined || architecture === undefined || !isReleased(project, version)) continue;
    const bytes = make({ version, architecture, url });
    const artefact = { url, bytes, sha256: PUBLISHED[url] ?? trueSha256(bytes) };
    made.set(url, artefact);
    return artefact;
  }
  return undefined;
}

let stand: ReadonlyMap<string, string> | undefined;

/**
 * Returns the SHA-256 of a file on a simulated machine. A file that equals the simulator's file of a release has the
 * published digest of the real one; any other file has its own.
 */
export function sha256Of(bytes: string): string {
  stand ??= new Map(
    Object.keys(PUBLISHED).flatMap((url) => {
      const artefact = artefactAt(url);
      return artefact ? [[trueSha256(artefact.bytes), artefact.sha256] as const] : [];
    }),
  );
  const own = trueSha256(bytes);
  return stand.get(own) ?? own;
}
