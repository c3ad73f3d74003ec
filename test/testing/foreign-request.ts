import path from 'node:path';
import { vduGroups } from '../../domain/standard-user-data/vdu-groups.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import { mayBelongToVnfd } from '../../domain/vnfd/definition-files.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { readVnfd, vduCount } from '../../domain/vnfd.ts';
import { guideRequest } from './system.ts';

/** The network of the guide, which the simulated cloud has. */
export const NETWORK = 'bbc012e1-6619-4fe6-aaac-0668a4974313';

export interface ForeignCloud {
  readonly authUrl: string;
  /** The subnet of `NETWORK`. */
  readonly subnetId: string | undefined;
}

/** A request for an instance of a package, and what the cloud must have for it. */
export interface ForeignRequest {
  readonly body: object;
  readonly imageNames: readonly string[];
  readonly flavorNames: readonly string[];
}

/**
 * Makes a request to instantiate a package that nobody has written a request for: its first flavour, at the default
 * level, with every connection point on one network, and with the user data that the package brings. Where the
 * templates are generated, connection points with a virtual link stay on that.
 * @returns why there is none, for a package that is not made of servers
 */
export function foreignRequest(files: ReadonlyMap<string, Buffer>, cloud: ForeignCloud): ForeignRequest | string {
  const texts = new Map([...files].map(([name, content]) => [name, content.toString('utf8')]));
  const { flavours } = readVnfd(new Map([...texts].filter(([name]) => mayBelongToVnfd(name))));
  const [of] = flavours;
  if (of === undefined || of.vdus.length === 0) return 'no Vdu.Compute: no servers';
  const hots = new Map([...texts].filter(([name]) => name.startsWith(`BaseHOT/${of.id}/`)));
  const level = of.defaultLevelId ?? of.levels[0]?.id;
  const template = guideRequest('instantiate-plain.json', cloud.authUrl);
  const isExternal = ({ virtualLinkId }: { virtualLinkId?: string }) => hots.size > 0 || virtualLinkId === undefined;
  const points = of.connectionPoints.filter(isExternal).map(({ id }) => id);
  return {
    body: {
      flavourId: of.id,
      ...(level === undefined ? {} : { instantiationLevelId: level }),
      vimConnectionInfo: template.vimConnectionInfo,
      extVirtualLinks: points.length === 0 ? undefined : [linkOf(points, cloud.subnetId)],
      additionalParams: { ...(hots.size === 0 ? {} : userDataOf(of, { hots, texts, level })), ...clusterOf(of, files) },
    },
    imageNames: of.softwareImages.map(({ name }) => name),
    flavorNames: of.vdus.flatMap(({ computeFlavour }) => computeFlavour ?? []),
  };
}

/** Every connection point has two fixed addresses of its own: templates ask for none, one or both. */
function linkOf(cpdIds: readonly string[], subnetId: string | undefined): object {
  const extCps = cpdIds.map((cpdId, at) => {
    const addresses = [0, 1].map((n) => ({ type: 'IPV4', fixedAddresses: [`10.10.0.${200 + 2 * at + n}`], subnetId }));
    const data = { layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: addresses } };
    return { cpdId, cpConfig: { [cpdId]: { cpProtocolData: [data] } } };
  });
  return { id: 'net0', resourceId: NETWORK, extCps };
}

interface Sources {
  readonly hots: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
  readonly level: string | undefined;
}

/** The first class in UserData/, or else StandardUserData where DefaultUserData could not make the servers. */
function userDataOf(of: Flavour, { hots, texts, level }: Sources): object {
  for (const [file, text] of texts) {
    const [, className] = /^class\s+(\w+)\(.*AbstractUserData/m.exec(file.startsWith('UserData/') ? text : '') ?? [];
    if (className !== undefined) return chosen(`./${file}`, className);
  }
  const groups = vduGroups(baseHot(hots, of.id));
  const isDefault = of.vdus.every(({ id }) => groups.has(id) || (level !== undefined && vduCount(of, id, level) === 1));
  return isDefault ? {} : chosen('./UserData/userdata_standard.py', 'StandardUserData');
}

function chosen(file: string, className: string): object {
  return { 'lcm-operation-user-data': file, 'lcm-operation-user-data-class': className };
}

/** The parameters of a cluster, for packages with the driver of Tacker's Kubernetes guide. */
function clusterOf(of: Flavour, files: ReadonlyMap<string, Buffer>): object {
  if (!of.managementDrivers.includes('mgmt-drivers-kubernetes')) return {};
  const script = [...files.keys()].find((name) => path.posix.basename(name) === 'install_k8s_cluster.sh');
  const isComplex = of.id !== 'simple';
  const { additionalParams } = guideRequest(`instantiate-${isComplex ? 'complex' : 'simple'}.json`, '');
  return {
    k8s_cluster_installation_param: { ...additionalParams.k8s_cluster_installation_param, script_path: script ?? '' },
  };
}
