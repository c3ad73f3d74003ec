/** Host names that the simulated DNS resolves, besides those of the machines. */
const HOSTS = new Set(
  'github.com objects.githubusercontent.com raw.githubusercontent.com pkgs.k8s.io prod-cdn.packages.k8s.io dl.k8s.io cdn.dl.k8s.io get.helm.sh download.docker.com registry.k8s.io k8s.gcr.io docker.io registry-1.docker.io quay.io ghcr.io gcr.io public.ecr.aws mcr.microsoft.com archive.ubuntu.com security.ubuntu.com apt.kubernetes.io packages.cloud.google.com nova.clouds.archive.ubuntu.com'.split(
    ' ',
  ),
);

export function isKnownHost(host: string): boolean {
  return HOSTS.has(host) || host.endsWith('.archive.ubuntu.com');
}
