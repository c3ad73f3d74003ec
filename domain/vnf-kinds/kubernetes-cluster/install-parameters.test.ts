import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkInstallParameters, declaredParameters } from './install-parameters.ts';
import { checkInstallScripts } from './install-scripts.ts';
import { phaseEnvironment } from './phase-environment.ts';

const PATH = 'Scripts/install_k8s_cluster.sh';
const TEXT = readFileSync(new URL(`../../../samples/kubernetes-cluster/${PATH}`, import.meta.url), 'utf8');
const SUM = 'a'.repeat(64);
const check =
  (values: Record<string, string>, text = TEXT) =>
  () =>
    checkInstallParameters(values, { at: 'install_parameters', script: { path: PATH, text } });

it('declares only variables that the sample script reads', () => {
  const names = [...declaredParameters(TEXT).keys()];
  expect(names).toEqual(
    expect.arrayContaining(['KUBERNETES_VERSION', 'CONTAINERD_SHA256', 'KUBERNETES_APT_FINGERPRINT']),
  );
  for (const name of names) expect(TEXT).toContain(`\n${name}=\${${name}:-`);
});

it.each([
  ['KUBERNETES_VERSION', 'v1.36.4'],
  ['CONTAINERD_VERSION', '2.3.4-rc.1'],
  ['CONTAINERD_SHA256', `${SUM},${SUM}`],
  ['KUBERNETES_APT_FINGERPRINT', 'DE15B14486CD377B9E876E1A234654DA9A296436'],
  ['KUBERNETES_APT_URL', 'https://mirror.example.com:8443/core:/stable:'],
  ['IMAGE_REPOSITORY', 'mirror.example.com:5000/kubernetes'],
  ['REGISTRY_IMAGE', `docker.io/library/registry:2.8.3@sha256:${SUM}`],
  ['CNI_WAIT', '15m'],
])('takes %s=%s', (name, value) => {
  expect(check({ [name]: value })).not.toThrow();
});

it.each([
  ['KUBERNETES_VERSION', '1.36'],
  ['KUBERNETES_VERSION', '1.36.4; reboot'],
  ['KUBERNETES_VERSION', '1.36.4\nX=1'],
  ['CONTAINERD_SHA256', SUM.slice(1)],
  ['CONTAINERD_SHA256', SUM.toUpperCase()],
  ['KUBERNETES_APT_FINGERPRINT', 'DE15 B144 86CD 377B 9E87 6E1A 2346 54DA 9A29 6436'],
  ['DOWNLOAD_URL', 'https://user:password@mirror.example.com'],
  ['DOWNLOAD_URL', 'https://mirror.example.com/$(id)'],
  ['DOWNLOAD_URL', 'file:///etc/passwd'],
  ['IMAGE_REPOSITORY', 'https://mirror.example.com'],
  ['REGISTRY_PORT', '0'],
  ['CNI_WAIT', '10'],
])('refuses %s=%j and says what may stand there', (name, value) => {
  expect(check({ [name]: value })).toThrow(new RegExp(`^install_parameters\\.${name}: must be `));
});

it('refuses what the script does not declare, and names what it does', () => {
  expect(check({ POD_CIDR: '10.0.0.0/8' })).toThrow(/POD_CIDR: the install script .* declares KUBERNETES_VERSION, /);
  expect(check({ KUBERNETES_VERSION: '1.36.4' }, 'echo')).toThrow('declares no install parameters');
  expect(check({ MODE: 'c' }, '#@ parameter MODE a|b')).toThrow('MODE: must be one of a, b');
});

describe('a package', () => {
  const files = (own?: string, text = TEXT) =>
    new Map([[PATH, text], ...(own === undefined ? [] : [['Scripts/install_parameters.yaml', own] as const])]);
  const onboard = (own?: string, text?: string) => () => checkInstallScripts(files(own, text), [PATH]);

  it('may bring values of its own', () => {
    expect(onboard('KUBERNETES_VERSION: 1.35.9\nREGISTRY_PORT: "5001"\n')).not.toThrow();
    expect(onboard('')).not.toThrow();
  });

  it.each([
    ['KUBERNETES_VERSION: latest', 'Scripts/install_parameters.yaml.KUBERNETES_VERSION: must be a version'],
    ['COLOUR: red', 'Scripts/install_parameters.yaml.COLOUR: the install script'],
    ['REGISTRY_PORT: "65536"', 'Scripts/install_parameters.yaml.REGISTRY_PORT: must be a TCP port'],
    ['REGISTRY_PORT: 5000', 'Scripts/install_parameters.yaml.REGISTRY_PORT: must be text'],
    ['a: [', 'Scripts/install_parameters.yaml is not YAML'],
  ])('is refused with %j', (own, sentence) => {
    expect(onboard(own)).toThrow(expect.objectContaining({ code: 'CSAR_INVALID' }));
    expect(onboard(own)).toThrow(sentence);
  });

  it.each(['#@ parameter NODE_NAME version', '#@ parameter X colour', '#@ parameter x version'])(
    'is refused with the declaration %s',
    (line) => {
      expect(onboard(undefined, `${TEXT}\n${line}\n`)).toThrow(`${PATH} has the line "${line}"`);
    },
  );
});

it('gives values to the script, and none of them replaces a variable of vnflow', () => {
  const login = { vdu_id: 'v', ssh_cp_name: 'c', nic_cp_name: 'c', username: 'ubuntu', password: 'ubuntu' };
  const environment = phaseEnvironment({
    phase: 'prepare',
    node: { name: 'master57', address: '10.10.0.57', loginUser: 'ubuntu' },
    parameters: {
      script_path: PATH,
      master_node: { ...login, pod_cidr: '10.200.0.0/16', cluster_cidr: '10.96.0.0/12', cluster_cp_name: 'c' },
      worker_node: login,
    },
    installParameters: { KUBERNETES_VERSION: '1.35.9', POD_CIDR: '1.2.3.0/24' },
    cluster: { endpoint: '10.10.0.57:6443', certSans: [], controlPlanes: [] },
  });
  expect(environment).toMatchObject({ KUBERNETES_VERSION: '1.35.9', POD_CIDR: '10.200.0.0/16' });
});
