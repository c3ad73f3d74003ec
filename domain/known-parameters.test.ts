import { expect, it } from 'vitest';
import { withKnownParameters } from './known-parameters.ts';
import { ProxyParameters } from './node-proxy.ts';
import { isSecretName } from './secret-names.ts';
import { CLUSTER_PARAMETERS, ClusterParameters } from './vnf-kinds/kubernetes-cluster/parameters.ts';
import { REGISTRY_CONNECTIONS, RegistryConnection } from './vnf-kinds/kubernetes-cluster/registry-connections.ts';
import { REGISTRY_PARAMETERS, RegistryParameters } from './vnf-kinds/private-registry/parameters.ts';

it('shows what vnflow knows, and hides every other value, at any depth', () => {
  const shown = withKnownParameters({
    flavourId: 'simple',
    additionalParams: {
      all: true,
      colour: 'canary',
      backup_id: { colour: 'canary' },
      nfv: { VDU: { VDU1: { computeFlavourId: 'm1.tiny', boot: 'canary' } } },
      k8s_cluster_installation_param: {
        script_path: 'Scripts/x.sh',
        note: ['canary'],
        master_node: { vdu_id: 'masterNode', note: 'canary' },
        worker_node: 'canary',
        install_parameters: { KUBERNETES_VERSION: '1.36.4' },
        private_registry_connection_info: [{ server: 'r:5000', note: 'canary' }],
      },
    },
    metadata: { VDU_VNFc_mapping: { VDU1: ['a', 'b'] }, constructor: 'canary', zone: { of: 'canary' } },
    extensions: { number: 7, gone: null },
    vimConnectionInfo: {
      vim1: { vimType: 'v', interfaceInfo: { endpoint: 'https://k' }, accessInfo: { note: 'canary' }, extra: { x: 1 } },
      vim2: null,
    },
    vnfConfigurableProperties: { isAutoscaleEnabled: true, note: 'canary' },
  });
  expect(shown).toEqual({
    flavourId: 'simple',
    additionalParams: {
      all: true,
      colour: '***',
      backup_id: '***',
      nfv: { VDU: { VDU1: { computeFlavourId: 'm1.tiny', boot: '***' } } },
      k8s_cluster_installation_param: {
        script_path: 'Scripts/x.sh',
        note: '***',
        master_node: { vdu_id: 'masterNode', note: '***' },
        worker_node: '***',
        install_parameters: { KUBERNETES_VERSION: '1.36.4' },
        private_registry_connection_info: [{ server: 'r:5000', note: '***' }],
      },
    },
    metadata: { VDU_VNFc_mapping: { VDU1: ['a', 'b'] }, constructor: '***', zone: '***' },
    extensions: { number: '***', gone: null },
    vimConnectionInfo: {
      vim1: {
        vimType: 'v',
        interfaceInfo: { endpoint: 'https://k' },
        accessInfo: { note: '***' },
        extra: { x: '***' },
      },
      vim2: null,
    },
    vnfConfigurableProperties: { isAutoscaleEnabled: true, note: '***' },
  });
  expect(withKnownParameters({ metadata: null, name: 'n' })).toEqual({ metadata: null, name: 'n' });
});

/** A value for every member of a schema that is no secret. */
const filled = (shape: object) =>
  Object.fromEntries(
    Object.keys(shape)
      .filter((name) => !isSecretName(name))
      .map((name) => [name, name]),
  );

it('knows every parameter of a cluster and of a registry', () => {
  const { master_node, worker_node } = ClusterParameters.shape;
  const cluster = {
    ...filled(ClusterParameters.shape),
    master_node: filled(master_node.shape),
    worker_node: filled(worker_node.shape),
    proxy: filled(ProxyParameters.shape),
    [REGISTRY_CONNECTIONS]: [filled(RegistryConnection.shape)],
    install_parameters: {},
  };
  const registry = {
    ...filled(RegistryParameters.shape),
    proxy: filled(ProxyParameters.shape),
    users: [{ name: 'somebody' }],
  };
  const additionalParams = { [CLUSTER_PARAMETERS.key]: cluster, [REGISTRY_PARAMETERS.key]: registry };
  expect(withKnownParameters({ additionalParams })).toEqual({ additionalParams });
});
