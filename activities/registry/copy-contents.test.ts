import { createHash } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imagesOf, type RegistryContents } from '../../domain/vnf-kinds/private-registry/contents.ts';
import { startTestCloud, type TestCloud } from '../../simulator/index.ts';
import { openSession, type SshSession } from '../../ssh/session.ts';
import { problemOf } from '../../test/testing/problem-of.ts';
import type { NodeContext } from '../node/node-session.ts';
import { createAuthority, issueServerCertificate } from './certificates.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import type { CopyPlace } from './copy-place.ts';
import { listContents } from './list-contents.ts';
import { RegistryClient } from './registry-client.ts';

const LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const IMAGES = 20;
const LIMIT = 60_000;

let cloud: TestCloud;
const sessions: SshSession[] = [];
let old: NodeContext;
let contents: RegistryContents;

beforeAll(async () => {
  cloud = await startTestCloud(5000);
  old = await startRegistry('old', '10.10.0.5');
  await pushImages('10.10.0.5');
  contents = await contentsOf(old);
}, LIMIT);
afterAll(async () => {
  for (const session of sessions) session.end();
  await cloud.stop();
});

/** The CA of the registries with TLS. */
const authority = createAuthority('registry');
const USER = { name: 'alice', password: 'secret1' };

/** Writes what a registry with TLS and a login reads. @returns the options of `docker run` that name it */
async function putAccess(address: string): Promise<string> {
  const { certificate, privateKey } = issueServerCertificate(authority, [address]);
  const files = {
    'registry.crt': certificate,
    'registry.key': privateKey,
    htpasswd: `${USER.name}:${await bcrypt.hash(USER.password, 4)}\n`,
  };
  const lines = Object.entries(files).map(([name, text]) => `cat > /access/${name} << 'END'\n${text}END`);
  expect(await root(address, ['mkdir -p /access', ...lines].join('\n'))).toMatchObject({ code: 0 });
  const settings = {
    REGISTRY_HTTP_TLS_CERTIFICATE: '/access/registry.crt',
    REGISTRY_HTTP_TLS_KEY: '/access/registry.key',
    REGISTRY_AUTH: 'htpasswd',
    REGISTRY_AUTH_HTPASSWD_REALM: 'registry',
    REGISTRY_AUTH_HTPASSWD_PATH: '/access/htpasswd',
  };
  return ['-v /access:/access:ro', ...Object.entries(settings).map(([name, value]) => `-e ${name}=${value}`)].join(' ');
}

/** A machine with a registry in docker, and the session of a step with it. */
async function startRegistry(name: string, address: string, { isSecure = false } = {}): Promise<NodeContext> {
  cloud.machine(name, address);
  const access = isSecure ? await putAccess(address) : '';
  const { code, stderr } = await root(
    address,
    `apt-get update && apt-get install -y docker.io && docker run -d --name private_registry --restart always -p 5000:5000 -v /private_registry:/var/lib/registry ${access} registry:2.8.3`,
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { host, port, user } = cloud.nodes.bastion;
  const trusted = { onFirstContact: () => undefined };
  const session = await openSession({
    host: address,
    username: 'ubuntu',
    auth: { password: 'ubuntu' },
    hostKey: trusted,
    bastion: { host, port, username: user, hostKey: trusted },
    connectTimeoutMs: 10_000,
  });
  sessions.push(session);
  return {
    session,
    node: { nodeName: name, nicAddress: address },
    parameters: {
      ssh_cp_name: 'CP1',
      ssh_username: 'ubuntu',
      ssh_password: 'ubuntu',
      ...(isSecure && { tls: true, users: [USER] }),
    },
    input: { vnfInstanceId: 'i1' },
    deps: { secrets: { get: async () => authority } },
    signal: new AbortController().signal,
    say: () => {},
    mustHold: () => {},
  } as unknown as NodeContext;
}

function root(address: string, script: string) {
  return cloud.ssh(address, 'sudo bash -s', { stdin: script });
}

/** Twenty images: tags of a repository share layers, one image has a second tag, and there is a list of manifests. */
async function pushImages(address: string): Promise<void> {
  const lines = Array.from({ length: IMAGES - 2 }, (_, index) => {
    const image = `tools/app${index % 4}:v${index}`;
    return `docker pull ${image} && docker tag ${image} localhost:5000/${image} && docker push localhost:5000/${image}`;
  });
  const more =
    'docker tag tools/app0:v0 localhost:5000/tools/app0:stable && docker push localhost:5000/tools/app0:stable';
  const { code, stderr } = await root(address, [...lines, more].join(' && '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await RegistryClient.use(old, async (registry) => {
    const described = await Promise.all(
      ['v1', 'v5'].map(async (tag) => {
        const path = `/v2/tools/app1/manifests/${tag}`;
        const { content } = await registry.ask({ method: 'GET', path, headers: { Accept: MANIFEST }, expect: [200] });
        const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
        return { mediaType: MANIFEST, size: content.length, digest, platform: { architecture: tag, os: 'linux' } };
      }),
    );
    const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: LIST, manifests: described }));
    const path = '/v2/tools/app1/manifests/all';
    await registry.ask({ method: 'PUT', path, headers: { 'Content-Type': LIST }, body, expect: [201] });
  });
}

async function contentsOf(node: NodeContext): Promise<RegistryContents> {
  const { contents: found, unreadable } = await RegistryClient.use(node, listContents);
  expect(unreadable).toEqual([]);
  return found;
}

interface MemoryPlace extends CopyPlace {
  readonly pieces: Map<string, Buffer>;
}

/** @param breaksAfter the place refuses more writes than these, as when a worker is killed */
function memoryPlace(pieces = new Map<string, Buffer>(), breaksAfter = Number.POSITIVE_INFINITY): MemoryPlace {
  let writes = 0;
  return {
    label: 'the memory of the test',
    pieces,
    read: async (name) => pieces.get(name),
    write: async (name, content) => {
      writes += 1;
      if (writes > breaksAfter) throw new Error('cut off');
      pieces.set(name, content);
    },
    removeAll: async () => pieces.clear(),
  };
}

it(
  'every tag and digest of twenty images, with shared layers and a list, is in the other registry afterwards',
  async () => {
    expect(imagesOf(contents)).toHaveLength(IMAGES);
    const place = memoryPlace();
    expect((await copyOut(old, place, () => {})).contents).toEqual(contents);
    const healed = await startRegistry('healed', '10.10.0.6');
    await copyIn(healed, place, contents);
    expect(await contentsOf(healed)).toEqual(contents);
    const { stdout } = await root('10.10.0.6', 'docker pull localhost:5000/tools/app0:stable');
    expect(stdout).toContain('localhost:5000/tools/app0:stable');
  },
  LIMIT,
);

it(
  'a registry with TLS and users gets all of it, and gives all of it',
  async () => {
    const place = memoryPlace();
    await copyOut(old, place, () => {});
    const secure = await startRegistry('secure', '10.10.0.9', { isSecure: true });
    await copyIn(secure, place, contents);
    expect(await contentsOf(secure)).toEqual(contents);
    const again = memoryPlace();
    expect((await copyOut(secure, again, () => {})).contents).toEqual(contents);
    expect([...again.pieces.keys()].toSorted()).toEqual([...place.pieces.keys()].toSorted());
    const { stdout } = await root('10.10.0.9', "curl -sk -o /dev/null -w '%{http_code}' https://10.10.0.9:5000/v2/");
    expect(stdout).toBe('401');
  },
  LIMIT,
);

it('a copy that was cut off goes on: what is whole is not read again', async () => {
  const cut = memoryPlace(new Map(), 21);
  await expect(copyOut(old, cut, () => {})).rejects.toThrow('cut off');
  const whole = [...cut.pieces.keys()].filter((name) => !name.includes('/'));
  expect(whole.length).toBeGreaterThan(5);
  const written: string[] = [];
  const place = memoryPlace(cut.pieces);
  const watched = {
    ...place,
    write: (name: string, content: Buffer) => {
      written.push(name);
      return place.write(name, content);
    },
  };
  expect((await copyOut(old, watched, () => {})).contents).toEqual(contents);
  expect(written.filter((name) => whole.includes(name))).toEqual([]);
});

it(
  'a full disk of the new server is named, and the copy goes on when there is space again',
  async () => {
    const place = memoryPlace();
    await copyOut(old, place, () => {});
    const full = await startRegistry('full', '10.10.0.7');
    cloud.nodes.faults.add({ kind: 'disk-full', node: 'full' });
    expect(await problemOf(copyIn(full, place, contents))).toMatchObject({ code: 'NODE_DISK_FULL' });
    cloud.nodes.faults.clear();
    await copyIn(full, place, contents);
    expect(await contentsOf(full)).toEqual(contents);
  },
  LIMIT,
);

it('a copy that was changed is not put back', async () => {
  const place = memoryPlace();
  await copyOut(old, place, () => {});
  const [digest = ''] = contents.repositories[0]?.blobs ?? [];
  place.pieces.set(`${digest}/0`, Buffer.from('other'));
  const other = await startRegistry('other', '10.10.0.8');
  expect((await problemOf(copyIn(other, place, contents))).code).toMatch(/COPY_DAMAGED|REGISTRY_NOT_READY/);
});

it('an image whose layer was changed on the disk is named, and left out', async () => {
  const broken = contents.repositories.find(({ name }) => name === 'tools/app3');
  const shared = broken?.blobs.filter((digest) => broken.manifests.every(({ names }) => names.includes(digest)));
  const hex = (shared?.[0] ?? '').slice('sha256:'.length);
  const file = `/private_registry/docker/registry/v2/blobs/sha256/${hex.slice(0, 2)}/${hex}/data`;
  await root('10.10.0.5', `printf x >> ${file}`);
  const { contents: copied, unreadable } = await copyOut(old, memoryPlace(), () => {});
  expect(unreadable).toEqual(broken?.tags.map(({ name }) => `tools/app3:${name}`));
  expect(imagesOf(copied)).toHaveLength(IMAGES - (broken?.tags.length ?? 0));
});
