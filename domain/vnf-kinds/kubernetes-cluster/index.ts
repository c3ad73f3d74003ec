import type { DiscoveredStack } from '../../discovered-stack.ts';
import type { Plan } from '../../operation/plan.ts';
import { parseMember } from '../../parse-member.ts';
import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { HealedServers, ReconfigurationSources, SurveyQuestion, Vnf, VnfFacts, VnfKind } from '../vnf-kind.ts';
import { checkClusterParameters } from './check-parameters.ts';
import { changedConnections } from './check-registries.ts';
import { backupIdOf, checkBackup } from './chosen-backup.ts';
import { Survey } from './cluster-look.ts';
import { discoverCluster, discoverNodes } from './discovery.ts';
import { DrainTimeout } from './drain-timeout.ts';
import { healFacts } from './heal-facts.ts';
import { insideCluster } from './inside-cluster.ts';
import type { InstallContract } from './install-contract.ts';
import { checkInstallScripts, contractOfKept } from './install-scripts.ts';
import { checkMonolithPlan, checkMonolithShape } from './monolith.ts';
import { CLUSTER_PARAMETERS, ClusterParameters, clusterLogin } from './parameters.ts';
import { REGISTRY_CONNECTIONS } from './registry-connections.ts';
import { checkScaledVdu } from './scaled-workers.ts';
import { checkNewCluster, clusterShape } from './shape.ts';

/** A Kubernetes cluster, made as Tacker's management driver makes it. */
export const kubernetesCluster: VnfKind = {
  name: 'kubernetes-cluster',
  managementDrivers: ['mgmt-drivers-kubernetes', 'kubernetes_mgmt.py', 'kubernetes_mgmt_v2.py'],
  parameters: {
    ...CLUSTER_PARAMETERS,
    schema: ClusterParameters,
    loginOf: (parameters, role) => clusterLogin(ClusterParameters.parse(parameters), role),
  },
  readVnf: (given, files, contents) => {
    const parameters = contents ? checkClusterParameters(given, contents) : ClusterParameters.parse(given);
    return new KubernetesCluster(parameters, contractOfKept(parameters.script_path, files));
  },
  checkPackage: checkInstallScripts,
};

class KubernetesCluster implements Vnf {
  readonly #parameters: ClusterParameters;
  readonly #contract: InstallContract;

  constructor(parameters: ClusterParameters, contract: InstallContract) {
    this.#parameters = parameters;
    this.#contract = contract;
  }

  get kept() {
    return { as: CLUSTER_PARAMETERS.keptAs, parameters: this.#parameters };
  }

  get installScript() {
    return { path: this.#parameters.script_path, contract: this.#contract };
  }

  readonly runsPackageHooks = false;

  get vimName(): string | undefined {
    return this.#parameters.vim_name;
  }

  checkNew(facts: VnfFacts, flavourId: string): void {
    const shape = clusterShape(this.#parameters, facts);
    checkNewCluster(shape, this.#parameters, flavourId);
    if (this.#contract === 'monolith') checkMonolithShape(shape);
  }

  checkRequest(additionalParams: Readonly<Record<string, unknown>>): void {
    parseMember(DrainTimeout, additionalParams['drain_timeout'], ['additionalParams', 'drain_timeout']);
  }

  checkScaled(scaled: { readonly aspectId: string; readonly vduId: string }): void {
    checkScaledVdu(this.#parameters, scaled);
  }

  /**
   * A heal that replaces a control-plane node needs a survey of etcd. The survey asks the nodes that it replaces last.
   */
  surveyBeforeHeal({ slots, recreate }: HealedServers, facts: VnfFacts): SurveyQuestion | undefined {
    if (recreate) return undefined;
    const { controlPlane } = healFacts(slots, clusterShape(this.#parameters, facts));
    return controlPlane.length > 0 ? { about: 'controlPlane', last: controlPlane } : undefined;
  }

  discover(stack: DiscoveredStack) {
    const discovery = { ...stack, parameters: this.#parameters };
    const nodes = discoverNodes(discovery);
    return { nodes, facts: { cluster: discoverCluster(discovery, nodes) } };
  }

  inside(facts: VnfFacts): InsideServers {
    return insideCluster({
      shape: clusterShape(this.#parameters, facts),
      additionalParams: facts.additionalParams,
      survey: Survey.optional().parse(facts.survey),
    });
  }

  reconfigured(patch: Readonly<Record<string, unknown>>, sources: ReconfigurationSources): Vnf | undefined {
    if (!(REGISTRY_CONNECTIONS in patch)) return undefined;
    const connections = [...changedConnections(patch[REGISTRY_CONNECTIONS], sources)];
    return new KubernetesCluster({ ...this.#parameters, [REGISTRY_CONNECTIONS]: connections }, this.#contract);
  }

  checkPlan(plan: Plan, { vnfInstanceId, backups, additionalParams }: VnfFacts): void {
    if (this.#contract === 'monolith') checkMonolithPlan(plan);
    checkBackup(plan, { vnfInstanceId, backups, backupId: backupIdOf(additionalParams) });
  }
}
