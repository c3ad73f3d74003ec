import { setTimeout as delay } from 'node:timers/promises';
import type { Timeline } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { registryCaOf } from '../vnfm/operations.ts';
import { vnfcsOf } from '../vnfm/vnf-lifecycle.ts';
import type { DemoContext } from './demo-context.ts';
import { runOperation, showCreation, showPlan, showTermination } from './lifecycle.ts';
import { type Look, lookAtNode, runOnClusterNode, showNode } from './look.ts';
import { print, step } from './narration.ts';
import { CLUSTER_SAMPLE, nodeLogin, REGISTRY_SAMPLE, registryLogin, registryRequest, sampleRequest } from './sample.ts';

/** The port of the sample's request, which names none. */
const PORT = 5000;
const IMAGE = 'tools/web';
const USER = { name: 'demo', password: 'demo-password' };
/** On the server of the registry, because docker needs no certificate to trust the machine that it runs on. */
const LOGIN = `echo ${USER.password} | sudo docker login -u ${USER.name} --password-stdin localhost:${PORT}`;
const PUSH = `sudo sh -c 'docker pull -q busybox:1; for tag in 1 2; do docker tag busybox:1 localhost:${PORT}/${IMAGE}:$tag; docker push localhost:${PORT}/${IMAGE}:$tag; done'`;
const TAGS = `echo user=${USER.name}:${USER.password} | curl -sk --config - https://localhost:${PORT}/v2/${IMAGE}/tags/list`;
const KUBECTL = 'sudo kubectl --kubeconfig /etc/kubernetes/admin.conf';
/** A kubelet that could not pull tries again after up to 40 s. */
const RUNNING_WITHIN_SECONDS = 120;

interface Registry {
  readonly vnfInstanceId: string;
  /** Its server. */
  readonly at: Look;
  /** `host:port`, as in the names of its images. */
  readonly server: string;
  /** Its CA, PEM. */
  readonly certificate: string;
}

interface Cluster {
  readonly vnfInstanceId: string;
  /** Its control-plane node. */
  readonly at: Look;
}

/**
 * Shows a private registry and a cluster that pulls from it, also after the registry was healed.
 * @throws CliFailure or Refused that names the failed step
 */
export async function showPrivateRegistry(context: DemoContext): Promise<void> {
  const registry = await showRegistry(context);
  step('Push', 'an image with two tags, into the registry, which asks for a login');
  await lookAtNode(context, { ...registry.at, command: LOGIN });
  await lookAtNode(context, { ...registry.at, command: PUSH });
  const cluster = await showCluster(context, registry);
  await showPods(context, { cluster, image: `${registry.server}/${IMAGE}:1` });
  await showHeal(context, registry);
  await showPods(context, { cluster, image: `${registry.server}/${IMAGE}:2` });
  await showTermination(context, cluster.vnfInstanceId);
  await showTermination(context, registry.vnfInstanceId);
}

async function showRegistry(context: DemoContext): Promise<Registry> {
  const { vnfm, simulator } = context;
  const vnfInstanceId = await showCreation(context, REGISTRY_SAMPLE);
  const request = await registryRequest(simulator.authUrl);
  Object.assign(request.additionalParams.private_registry_installation_param, { tls: true, users: [USER] });
  step('Plan', 'the package has no Heat template: it is generated from the VNFD');
  await showPlan(vnfm, vnfInstanceId, { operation: 'INSTANTIATE', request });
  step('Instantiate', 'samples/requests/instantiate-private-registry.json, with TLS and a user');
  const timeline = await runOperation(vnfm, vnfInstanceId, { task: 'instantiate', body: request });
  const { certificate, fingerprint256, validUntil } = await registryCaOf(vnfm, vnfInstanceId);
  print(`npx vnflow registry ca ${vnfInstanceId}: SHA-256 ${fingerprint256.slice(0, 23)}…, valid until ${validUntil}`);
  const host = serverOf(timeline);
  return { vnfInstanceId, at: { host, login: registryLogin(request) }, server: `${host}:${PORT}`, certificate };
}

function serverOf(timeline: Timeline): string {
  return showNode(timeline, 'startRegistry').address;
}

async function showCluster(context: DemoContext, { server, certificate }: Registry): Promise<Cluster> {
  const { vnfm, simulator } = context;
  const vnfInstanceId = await showCreation(context, CLUSTER_SAMPLE);
  const request = await sampleRequest('instantiate-simple', { authUrl: simulator.authUrl, vnfInstanceId });
  const { k8s_cluster_installation_param: cluster } = request.additionalParams;
  cluster['private_registry_connection_info'] = [
    { connection_type: '1', server, username: USER.name, password: USER.password, certificate },
  ];
  step('Instantiate a cluster', `private_registry_connection_info has ${server}, its CA and the login, for every node`);
  const timeline = await runOperation(vnfm, vnfInstanceId, { task: 'instantiate', body: request });
  const host = showNode(timeline, 'initControlPlane').address;
  return { vnfInstanceId, at: { host, login: nodeLogin(request) } };
}

/** Runs a deployment of the image, and waits until its pods run. */
async function showPods(
  context: DemoContext,
  { cluster, image }: { readonly cluster: Cluster; readonly image: string },
): Promise<void> {
  const name = `web-${image.replace(/^.*:/, '')}`;
  step('Deploy', `two pods of ${image}`);
  const apply = `echo '${JSON.stringify(deployment(name, image))}' | ${KUBECTL} apply -f -`;
  print(await runOnClusterNode(context, { ...cluster.at, command: apply }));
  const command = `${KUBECTL} get pods -l app=${name} -o wide`;
  const until = Date.now() + (RUNNING_WITHIN_SECONDS * 1000) / context.simulator.speed + 10_000;
  let pods = '';
  while (Date.now() < until) {
    pods = await runOnClusterNode(context, { ...cluster.at, command });
    if (pods.match(/ Running /g)?.length === 2) break;
    await delay(300);
  }
  await lookAtNode(context, { ...cluster.at, command });
  if (pods.match(/ Running /g)?.length !== 2) throw new CliFailure(`The pods of ${image} do not run.`);
}

function deployment(name: string, image: string): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

async function showHeal(context: DemoContext, { vnfInstanceId, at }: Registry): Promise<void> {
  const { vnfm } = context;
  const [vnfc] = await vnfcsOf(vnfm, vnfInstanceId);
  if (!vnfc) throw new CliFailure('The VNF instance of the registry shows no server.');
  const request = { vnfcInstanceId: [`${vnfc.vduId}-${vnfc.id}`] };
  step('Plan the heal of the registry', 'its server is replaced; images, address and CA stay');
  await showPlan(vnfm, vnfInstanceId, { operation: 'HEAL', request });
  step('Heal the registry', 'POST …/heal with the VNFC');
  const healed = await runOperation(vnfm, vnfInstanceId, { task: 'heal', body: request });
  await lookAtNode(context, { ...at, host: serverOf(healed), command: TAGS });
}
