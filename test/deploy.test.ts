import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { checkSimulatorPresent } from '../cli/up/simulator-presence.ts';
import { VARIABLES } from '../worker/configuration.ts';
import { temporalBinary } from '../worker/temporal-binary.ts';
import { TRACE_VARIABLES } from '../worker/trace-settings.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(project, file), 'utf8');

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum([
    'Namespace',
    'ServiceAccount',
    'ConfigMap',
    'Deployment',
    'Service',
    'PodDisruptionBudget',
    'NetworkPolicy',
  ]),
  data: z.record(z.string(), z.string()).optional(),
});
type Manifest = z.infer<typeof Manifest>;

const Workload = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.looseObject({
        containers: z.array(z.looseObject({ env: z.array(z.object({ name: z.string(), value: z.string() })) })),
      }),
    }),
  }),
});

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      ports: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const KINDS = { Namespace, ServiceAccount, ConfigMap, Deployment, Service, PodDisruptionBudget, NetworkPolicy };

/** What the schema of its kind says about a manifest. */
function problemsOf(manifest: Manifest): string[] {
  try {
    new KINDS[manifest.kind](manifest as never).validate();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * The members that the schema of a manifest does not have. The schemas let them pass, and so would a cluster that does
 * not check: a value that no type allows is put into each member, and must be found.
 */
function unknownMembers(manifest: Manifest): string[] {
  const places = placesIn(manifest).filter((place) => place !== '/kind'); // it names the schema
  return places.filter((place) => {
    const spoiled = structuredClone(manifest);
    spoil(spoiled, place);
    return !problemsOf(spoiled).join().includes(`data${place}`);
  });
}

/** Paths of all members: `/spec/replicas`. */
function placesIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [place, ...placesIn(member, place)];
  });
}

/** Puts a value that no type allows at a place. */
function spoil(value: unknown, place: string): void {
  const names = place
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let holder = value as Record<string, unknown>;
  for (const name of names) holder = holder[name] as Record<string, unknown>;
  holder[last] = () => {};
}

/** Secrets are read from files, too. */
const KNOWN = new Set([...VARIABLES.flatMap((name) => [name, `${name}_FILE`]), ...TRACE_VARIABLES]);

describe('deploy/kubernetes', () => {
  const files = readdirSync(path.join(project, 'deploy/kubernetes')).filter((name) => name !== 'kustomization.yaml');
  const manifests = files.flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => ({
      file,
      manifest: Manifest.parse(document.toJS()),
    })),
  );
  const containers = manifests.flatMap(({ manifest }) => Workload.safeParse(manifest).data?.spec.template.spec ?? []);

  it('has manifests that the schemas of Kubernetes accept, without members that they do not have', () => {
    expect(manifests.length).toBeGreaterThan(8);
    const faults = manifests.flatMap(({ file, manifest }) =>
      [...problemsOf(manifest), ...unknownMembers(manifest)].map((fault) => `${file} ${manifest.kind}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('finds what is wrong with a manifest', () => {
    const wrong = { ...Manifest.parse(parse(SMALL)), spec: { replicas: 'two', selectr: {}, template: {} } };
    expect(problemsOf(wrong).join()).toMatch(/replicas must be integer/);
    expect(unknownMembers(wrong)).toEqual(['/spec/selectr']);
  });

  it('names each file in the kustomization', () => {
    const { resources } = z
      .object({ resources: z.array(z.string()) })
      .parse(parse(read('deploy/kubernetes/kustomization.yaml')));
    expect(resources.toSorted()).toEqual(files.toSorted());
  });

  it('sets variables that vnflow reads, and no others', () => {
    const settings = manifests.flatMap(({ manifest }) =>
      manifest.kind === 'ConfigMap' ? Object.keys(manifest.data ?? {}) : [],
    );
    const variables = containers.flatMap((pod) => pod.containers.flatMap(({ env }) => env.map(({ name }) => name)));
    expect([...settings, ...variables].filter((name) => !KNOWN.has(name))).toEqual([]);
    expect(settings.length).toBeGreaterThan(3);
  });

  it('runs without root, with a read-only file system and limits', () => {
    expect(containers).toHaveLength(2);
    for (const pod of containers) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of pod.containers)
        expect(container).toMatchObject({
          resources: { limits: { cpu: expect.any(String), memory: expect.any(String) } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        });
    }
  });
});

describe('docker-compose.yml', () => {
  const compose = Compose.parse(parse(read('docker-compose.yml'), { merge: true }));
  const services = Object.entries(compose.services);

  it('publishes nothing on other addresses than 127.0.0.1 before TLS is on', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(published).toHaveLength(2);
    const withTls = parse(read('deploy/docker-compose.tls.yml').replace('!override', ''));
    expect(withTls.services.api).toMatchObject({
      environment: { VNFLOW_TLS_CERT_FILE: '/tls/tls.crt', VNFLOW_TLS_KEY_FILE: '/tls/tls.key' },
    });
  });

  it('sets variables that vnflow reads, and no others', () => {
    const { api, worker } = compose.services;
    const names = [api, worker].flatMap((service) => Object.keys(service?.environment ?? {}));
    expect(names.filter((name) => !KNOWN.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(20);
  });

  it('limits each container, and runs those of vnflow without root and read-only', () => {
    for (const [name, service] of services)
      expect(service, name).toMatchObject({
        mem_limit: expect.any(String),
        pids_limit: expect.any(Number),
        security_opt: ['no-new-privileges:true'],
      });
    for (const name of ['api', 'worker'])
      expect(compose.services[name], name).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'] });
  });

  it('has the versions of Temporal that vnflow is tested with', () => {
    const tested = execFileSync(temporalBinary(), ['--version'], { encoding: 'utf8' });
    const [, server, ui] = /\(Server ([\d.]+), UI ([\d.]+)\)/.exec(tested) ?? [];
    const images = services.map(([, { image }]) => image).filter((image) => image.startsWith('temporalio/'));
    expect([...new Set(images)].toSorted()).toEqual([
      `temporalio/admin-tools:${server}`,
      `temporalio/server:${server}`,
      `temporalio/ui:${ui}`,
    ]);
  });
});

describe('the production image', () => {
  it('does not have the simulator, whose commands say so', () => {
    expect(read('.dockerignore').split('\n')).toContain('simulator/*');
    expect(() => checkSimulatorPresent('/vnflow/simulator/main.ts')).toThrow('vnflow up --no-simulator');
    expect(() => checkSimulatorPresent()).not.toThrow();
  });

  it('runs as a user that is not root, by number', () => {
    expect(read('Dockerfile').split('\n')).toContain('USER 1000:1000');
  });

  it('leaves out nothing that the sources of production import', () => {
    const left = read('.dockerignore')
      .split('\n')
      .filter((line) => /^\w+$/.test(line));
    const rooms = ['cli', 'worker', 'api', 'engine', 'activities', 'planning', 'packages', 'store', 'openstack', 'ssh'];
    const imports = rooms.flatMap((room) =>
      readdirSync(path.join(project, room), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .flatMap((file) =>
          [...read(path.join(room, file)).matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) =>
            path.join(room, path.dirname(file), target),
          ),
        ),
    );
    expect(imports.length).toBeGreaterThan(1000);
    expect(imports.filter((target) => left.some((room) => target.startsWith(`${room}/`)))).toEqual([]);
    expect(left.filter((room) => !existsSync(path.join(project, room)))).toEqual([]);
  });
});

const SMALL = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: small }
`;
