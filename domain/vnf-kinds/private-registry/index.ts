import type { DiscoveredStack } from '../../discovered-stack.ts';
import { VnflowError } from '../../problems.ts';
import { slotName } from '../../slot.ts';
import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { InstallScript, PackageFiles, SurveyQuestion, Vnf, VnfFacts, VnfKind } from '../vnf-kind.ts';
import { checkRegistryParameters } from './check-parameters.ts';
import { addressesOfRegistry, discoverRegistry } from './discovery.ts';
import { insideRegistry } from './inside-registry.ts';
import { ContentsSurvey, checkHealParameters, planContents } from './keep-contents.ts';
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

  checkNew({ counts, dataVolumes }: VnfFacts, flavourId: string): void {
    const volumes = dataVolumes?.(serverVdu(counts)) ?? [];
    if (volumes.length > 1) {
      throw new VnflowError('BAD_REQUEST', {
        detail: `flavourId: a private registry has its images on one volume at most, and the flavour ${flavourId} has ${volumes.join(', ')}.`,
      });
    }
    const servers = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (servers === 1) return;
    throw new VnflowError('BAD_REQUEST', {
      detail: `flavourId: a private registry is one server, and the flavour ${flavourId} has ${servers}.`,
    });
  }

  checkRequest(additionalParams: Readonly<Record<string, unknown>>): void {
    checkHealParameters(additionalParams);
  }

  checkScaled({ aspectId }: { readonly aspectId: string }): void {
    throw new VnflowError('BAD_REQUEST', {
      detail: `aspectId: a private registry is one server, so ${aspectId} cannot be scaled.`,
    });
  }

  surveyBeforeHeal(_heal: unknown, { counts, dataVolumes }: VnfFacts): SurveyQuestion | undefined {
    const vduId = serverVdu(counts);
    return hasVolume(vduId, dataVolumes) ? undefined : { about: 'contents', slot: slotName(vduId, 0) };
  }

  discover(stack: DiscoveredStack) {
    return {
      nodes: discoverRegistry(stack, this.#parameters),
      facts: { registryAddresses: addressesOfRegistry(stack) },
    };
  }

  inside({ counts, dataVolumes, additionalParams, survey }: VnfFacts): InsideServers {
    const vduId = serverVdu(counts);
    return insideRegistry(slotName(vduId, 0), (recreated) =>
      planContents({
        recreated,
        hasVolume: hasVolume(vduId, dataVolumes),
        additionalParams,
        survey: survey === undefined ? undefined : ContentsSurvey.parse(survey),
      }),
    );
  }

  reconfigured(): undefined {
    return undefined;
  }

  checkPlan(): void {}
}

/** The VDU of the one server. */
function serverVdu(counts: VnfFacts['counts']): string {
  return Object.keys(counts).find((id) => (counts[id] ?? 0) > 0) ?? '';
}

function hasVolume(vduId: string, dataVolumes: VnfFacts['dataVolumes']): boolean {
  return (dataVolumes?.(vduId) ?? []).length > 0;
}
