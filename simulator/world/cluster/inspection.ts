import { addressesOf } from '../nodes/node.ts';
import type { World } from '../world.ts';
import { memberRuns } from './etcd.ts';
import { haproxyConfig } from './haproxy.ts';

/** What an examiner finds on the machines and in the clusters. Plain JSON. */
export interface Inspection {
  readonly machines: readonly {
    readonly id: string;
    readonly hostname: string;
    readonly addresses: readonly string[];
    readonly power: 'on' | 'off';
    /** Addresses of the API servers that the running load balancer forwards to. Absent without a load balancer. */
    readonly loadBalancer?: readonly string[];
  }[];
  readonly clusters: readonly {
    readonly endpoint: string;
    /** `server`: id of the machine. */
    readonly nodes: readonly { readonly name: string; readonly server: string }[];
    readonly members: readonly {
      readonly name: string;
      readonly server: string;
      readonly started: boolean;
      readonly learner: boolean;
      readonly running: boolean;
    }[];
    /** Values that may appear nowhere in clear text: tokens and keys. */
    readonly secrets: readonly string[];
  }[];
}

export function inspect(world: World): Inspection {
  return {
    machines: [...world.nodes.values()].map((node) => {
      const config = haproxyConfig(node);
      return {
        id: node.id,
        hostname: node.state.hostname,
        addresses: addressesOf(node),
        power: node.state.power,
        ...(config === undefined
          ? {}
          : { loadBalancer: Object.values(config.backends).flatMap((servers) => servers.map(({ host }) => host)) }),
      };
    }),
    clusters: world.clusters.all().map((cluster) => ({
      endpoint: cluster.endpoint,
      nodes: Object.values(cluster.nodes).map(({ name, server }) => ({ name, server })),
      members: cluster.etcd.members.map((member) => ({
        name: member.name,
        server: member.server,
        started: member.started,
        learner: member.learner,
        running: memberRuns(world, cluster, member),
      })),
      secrets: [
        ...Object.entries(cluster.tokens).map(([id, { secret }]) => `${id}.${secret}`),
        ...(cluster.certificates ? [cluster.certificates.key] : []),
      ],
    })),
  };
}
