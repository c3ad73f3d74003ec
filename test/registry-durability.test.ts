import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { type KilledWorkers, startKilledWorkers } from './testing/killed-workers.ts';
import { createInstance, guideRequest, onboardSample } from './testing/system.ts';

let system: KilledWorkers;
/** One with its images on the disk of its server, and one with a volume. */
const registries = { simple: '', persistent: '' };
type Flavour = keyof typeof registries;

beforeAll(async () => {
  system = await startKilledWorkers();
  const vnfdId = await onboardSample(system.http, path.join('samples', 'private-registry'));
  for (const flavour of ['simple', 'persistent'] as const)
    registries[flavour] = await createInstance(system.http, vnfdId);
}, 120_000);
afterAll(() => system?.stop());

const pathOf = (flavour: Flavour) => `/vnflcm/v2/vnf_instances/${registries[flavour]}`;
const serverOf = async (flavour: Flavour) => {
  const { data } = await system.http.get(pathOf(flavour));
  return data.instantiatedVnfInfo.vnfcResourceInfo[0].computeResource.resourceId;
};

/** Runs a script as root on the server of a registry. */
async function root(flavour: Flavour, script: string): Promise<string> {
  const { nodes } = system.simulator;
  const address = nodes.node(await serverOf(flavour))?.addresses[0] ?? '';
  const { code, stdout, stderr } = await sshExec(nodes, address, { command: 'sudo bash -s', stdin: script });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const TAGS = ['1', '2'];
const push = (flavour: Flavour) =>
  root(
    flavour,
    TAGS.map(
      (tag) =>
        `docker pull app:${tag} && docker tag app:${tag} localhost:5000/app:${tag} && docker push localhost:5000/app:${tag}`,
    ).join(' && '),
  );
const digests = (flavour: Flavour) =>
  root(
    flavour,
    TAGS.map((tag) => `curl -sS --noproxy '*' http://127.0.0.1:5000/v2/app/manifests/${tag} | sha256sum`).join('\n'),
  );

it.each(['simple', 'persistent'] as const)(
  'instantiates a private registry (%s), whatever border of a step a worker is killed at',
  async (flavour) => {
    const { http, simulator } = system;
    const body = { ...guideRequest('instantiate-private-registry.json', simulator.authUrl), flavourId: flavour };
    await system.survives(() => http.post(`${pathOf(flavour)}/instantiate`, body));
  },
  400_000,
);

it.each([
  ['simple', {}],
  ['persistent', { additionalParams: { all: true } }],
] as const)(
  'heals a private registry (%s) with all its images, whatever border of a step a worker is killed at',
  async (flavour, heal) => {
    const { http, simulator } = system;
    await push(flavour);
    const images = await digests(flavour);
    const before = await serverOf(flavour);
    await system.survives(() => http.post(`${pathOf(flavour)}/heal`, heal));
    expect(await serverOf(flavour)).not.toBe(before);
    expect(simulator.nodes.node(before)).toBeUndefined();
    expect(await digests(flavour)).toBe(images);
  },
  400_000,
);
