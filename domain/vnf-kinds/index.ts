import { VnflowError } from '../problems.ts';
import { driverNames } from '../vnfd/management-drivers.ts';
import type { LcmHook } from '../vnfd/model.ts';
import { kubernetesCluster } from './kubernetes-cluster/index.ts';
import { plain } from './plain/index.ts';
import { privateRegistry } from './private-registry/index.ts';
import type { VnfKind } from './vnf-kind.ts';

/** Every kind of VNF. The first that fits is taken; `plain` fits any package without a management driver. */
export const VNF_KINDS: readonly VnfKind[] = [kubernetesCluster, privateRegistry, plain];

/** Does a kind do the work of this hook? Then no script of the package is run for it. */
export function isBuiltIn(hook: LcmHook): boolean {
  const names = driverNames(hook);
  return VNF_KINDS.some(({ managementDrivers }) => managementDrivers.some((driver) => names.includes(driver)));
}

interface Marks {
  /** Implementations that the VNFD's Vnflcm interface names, and the file names of their scripts. */
  readonly managementDrivers: readonly string[];
  /** The hooks of the interface. */
  readonly hooks: readonly LcmHook[];
  /** Keys of the parameters that the request has, or that are kept with the instance. */
  readonly parameterKeys: readonly string[];
}

/**
 * The kind of a VNF: by the parameters given, or else by the management driver that its VNFD names.
 * A VNF whose hooks are all scripts of the package is plain.
 * @throws VnflowError VNFD_NOT_USABLE when the VNFD names only drivers that vnflow does not have, or drivers of several
 * kinds; BAD_REQUEST for parameters of several kinds
 */
export function vnfKindOf({ managementDrivers, hooks, parameterKeys }: Marks): VnfKind {
  const [byParameters, another] = VNF_KINDS.filter(
    ({ parameters }) => parameters && parameterKeys.includes(parameters.key),
  );
  if (another) {
    const keys = [byParameters, another].map((kind) => kind?.parameters?.key).join(' and ');
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams: ${keys} exclude each other: a VNF has one kind.`,
    });
  }
  const found = byParameters ?? checkDriversOfOneKind(managementDrivers);
  if (found) return found;
  if (hooks.every(({ script }) => script !== undefined)) return plain;
  const drivers = VNF_KINDS.flatMap((kind) => kind.managementDrivers).join(', ');
  throw new VnflowError('VNFD_NOT_USABLE', {
    detail: `The VNFD names the management driver ${managementDrivers.join(', ')}, which vnflow does not have; it has ${drivers}.`,
  });
}

/**
 * The kind of VNF that management drivers mean. Tacker would run several, one after another, in one set of servers.
 * @returns undefined when none of them means one
 * @throws VnflowError VNFD_NOT_USABLE when they mean several
 */
export function checkDriversOfOneKind(managementDrivers: readonly string[]): VnfKind | undefined {
  const meant = VNF_KINDS.flatMap((kind) => {
    const driver = kind.managementDrivers.find((name) => managementDrivers.includes(name));
    return driver === undefined || kind === plain ? [] : [{ kind, driver }];
  });
  if (meant.length > 1) {
    const drivers = meant.map(({ driver }) => driver).join(' and ');
    throw new VnflowError('VNFD_NOT_USABLE', {
      detail: `The VNFD names the management drivers ${drivers}, which make VNFs of different kinds: make a package of each.`,
    });
  }
  return (
    meant[0]?.kind ?? (plain.managementDrivers.some((name) => managementDrivers.includes(name)) ? plain : undefined)
  );
}
