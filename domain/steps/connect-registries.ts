import { stepKind } from './step-kind.ts';

/** A node pulls images from the private registries that the request names, and from no other that an earlier one named. */
export const connectRegistries = stepKind({
  input: { slot: 'slot' },
  summary: 'connect {node} to its private registries',
  expectedSeconds: 5,
  timeLimitSeconds: 600,
  attempts: 12,
  mustRun: false,
  calls: [
    'curl --config - (GET /v2/ of each registry, with its authority and login; before anything is changed on a node that has others)',
    '/etc/hosts, /etc/containerd/certs.d/REGISTRY/hosts.toml and ca.crt, /var/lib/kubelet/config.json (0600)',
    'where docker is: /etc/docker/daemon.json, /etc/docker/certs.d/REGISTRY/ca.crt, /root/.docker/config.json (0600)',
    'systemctl try-restart kubelet, when a login has changed',
  ],
  nodes: { slot: 'visited' },
});
