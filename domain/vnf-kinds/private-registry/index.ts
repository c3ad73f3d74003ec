import type { DiscoveredStack } from '../../discovered-stack.ts';
import type { Plan } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';
import { slotName } from '../../slot.ts';
import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { InstallScript, PackageFiles, Vnf, VnfFacts, VnfKind } from '../vnf-kind.ts';
import { checkRegistryParameters } from './check-parameters.ts';
import { checkContentLoss } from './content-loss.ts';
import { addressesOfRegistry, discoverRegistry } from './discovery.ts';
import { insideRegistry } from './inside-registry.ts';
import { DEFAULT_SCRIPT, REGISTRY_PARAMETERS, RegistryParameters } from './parameters.ts';

/** A private registry of container images, made as Tacker's management driver makes it. */
export const privateRegistry: VnfKind = {
  name: 'private-registry',
  managementDrivers: ['mgmt-drivers-private-registry', 'private_registry_mgmt.py'],
  parameters: {
    ...REGISTRY_PARAMETERS,
    schema: RegistryParameters,
    loginOf: (parameters) => {
      const { ssh_username, ssh_password } = RegistryParameters.parse(parameters);
      return { username: ssh_username, password: ssh_password };
    },
  },
  readVnf: (given, files, contents) => {
    const parameters = contents ? checkRegistryParameters(given, contents) : RegistryParameters.parse(given);
    return new PrivateRegistry(parameters, scriptOf(parameters, files));
  },
  checkPackage() {},
};

/** A package need not have a script: Tacker's has none. */
function scriptOf({ script_path }: RegistryParameters, files: PackageFiles): InstallScript {
  const path = script_path ?? DEFAULT_SCRIPT;
  const isOwn = script_path === undefined && !files.has(DEFAULT_SCRIPT);
  return { path, contract: 'phases', ...(isOwn ? { isOwn } : {}) };
}

class PrivateRegistry implements Vnf {
  readonly #parameters: RegistryParameters;
  readonly installScript: InstallScript;

  constructor(parameters: RegistryParameters, installScript: InstallScript) {
    this.#parameters = parameters;
    this.installScript = installScript;
  }

  get kept() {
    return { as: REGISTRY_PARAMETERS.keptAs, parameters: this.#parameters };
  }

  readonly runsPackageHooks = false;
  readonly vimName = undefined;

  checkNew({ counts }: VnfFacts, flavourId: string): void {
    const servers = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (servers === 1) return;
    throw new VnflowError('BAD_REQUEST', {
      detail: `flavourId: a private registry is one server, and the flavour ${flavourId} has ${servers}.`,
    });
  }

  checkRequest(): void {}

  checkScaled({ aspectId }: { readonly aspectId: string }): void {
    throw new VnflowError('BAD_REQUEST', {
      detail: `aspectId: a private registry is one server, so ${aspectId} cannot be scaled.`,
    });
  }

  surveyedLast(): undefined {
    return undefined;
  }

  discover(stack: DiscoveredStack) {
    return {
      nodes: discoverRegistry(stack, this.#parameters),
      facts: { registryAddresses: addressesOfRegistry(stack) },
    };
  }

  inside({ counts }: VnfFacts): InsideServers {
    const [vduId = ''] = Object.keys(counts).filter((id) => (counts[id] ?? 0) > 0);
    return insideRegistry(slotName(vduId, 0));
  }

  reconfigured(): undefined {
    return undefined;
  }

  checkPlan(plan: Plan, { additionalParams }: VnfFacts): void {
    checkContentLoss(plan, additionalParams);
  }
}
