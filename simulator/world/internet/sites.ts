import { artefactAt } from './artefacts.ts';
import { isReleased, lastPatch, newestRelease } from './releases.ts';
import { armouredKey, DOCKER_KEY, KUBERNETES_KEY } from './signing-keys.ts';

type Page = (match: readonly string[]) => string | undefined;

const CONTAINERD_UNIT = `[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
LimitNOFILE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
`;

/** Returns a file of digests; each project has its own form. */
function sums(urls: readonly string[]): string | undefined {
  const lines = urls.flatMap((url) => {
    const artefact = artefactAt(url);
    return artefact ? [`${artefact.sha256}  ${url.slice(url.lastIndexOf('/') + 1)}\n`] : [];
  });
  return lines.length === 0 ? undefined : lines.join('');
}

const PAGES: readonly { readonly pattern: RegExp; readonly page: Page }[] = [
  {
    pattern: /^(https:\/\/github\.com\/opencontainers\/runc\/releases\/download\/v[\d.]+\/)runc\.sha256sum$/,
    page: ([, directory = '']) => sums([`${directory}runc.amd64`, `${directory}runc.arm64`]),
  },
  {
    pattern: /^(https:\/\/dl\.k8s\.io\/.*)\.sha256$/,
    page: ([, url = '']) => artefactAt(url)?.sha256,
  },
  { pattern: /^(https:\/\/.*)\.sha256(?:sum)?$/, page: ([, url = '']) => sums([url]) },
  {
    pattern: /^https:\/\/pkgs\.k8s\.io\/core:\/stable:\/v(\d+\.\d+)\/deb\/Release\.key$/,
    page: ([, minor = '']) => (lastPatch('kubernetes', minor) === undefined ? undefined : armouredKey(KUBERNETES_KEY)),
  },
  {
    pattern: /^https:\/\/pkgs\.k8s\.io\/core:\/stable:\/v(\d+\.\d+)\/deb\/(InRelease|Release|Packages)$/,
    page: ([, minor = '', name = '']) =>
      lastPatch('kubernetes', minor) === undefined
        ? undefined
        : `Origin: obs://build.opensuse.org/isv:kubernetes:core:stable:v${minor}/deb\nLabel: ${name}\n`,
  },
  { pattern: /^https:\/\/download\.docker\.com\/linux\/ubuntu\/gpg$/, page: () => armouredKey(DOCKER_KEY) },
  {
    pattern:
      /^https:\/\/raw\.githubusercontent\.com\/containerd\/containerd\/(?:refs\/(?:heads|tags)\/)?(main|v([\d.]+))\/containerd\.service$/,
    page: ([, branch, version = '']) =>
      branch === 'main' || isReleased('containerd', version) ? CONTAINERD_UNIT : undefined,
  },
  {
    pattern: /^https:\/\/raw\.githubusercontent\.com\/cilium\/cilium-cli\/(?:main|master)\/stable\.txt$/,
    page: () => `v${newestRelease('cilium-cli')}\n`,
  },
  { pattern: /^https:\/\/dl\.k8s\.io\/release\/stable\.txt$/, page: () => `v${newestRelease('kubernetes')}` },
  {
    pattern: /^https:\/\/dl\.k8s\.io\/release\/stable-(\d+\.\d+)\.txt$/,
    page: ([, minor = '']) => {
      const patch = lastPatch('kubernetes', minor);
      return patch === undefined ? undefined : `v${minor}.${patch}`;
    },
  },
];

/** Returns a page or small file of a site that the simulator has. Releases are in artefacts.ts. */
export function siteFile(url: string): string | undefined {
  for (const { pattern, page } of PAGES) {
    const match = pattern.exec(url);
    if (match) return page(match);
  }
  return undefined;
}
