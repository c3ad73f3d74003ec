import { describe, expect, it } from 'vitest';
import { type NodeRegistry, type NodeSight, RECORD_FILE, recordDuring, registryChange } from './registry-files.ts';

const HTTP: NodeRegistry = { connection_type: '0', server: '192.168.0.10:5000' };
const HTTPS: NodeRegistry = {
  connection_type: '1',
  server: 'registry.example.com',
  username: 'user01',
  password: 'pass01',
  authority: 'PEM\n',
  hosts_string: '192.168.0.20 registry.example.com',
};
const DEFAULT_CONFIG = '[plugins."io.containerd.grpc.v1.cri".registry]\n  config_path = ""\n';
const FRESH: NodeSight = { docker: false, texts: { hosts: '127.0.0.1 localhost\n', containerd: DEFAULT_CONFIG } };

/** Files by path after a change, as a node would have them. */
function carriedOut(registries: readonly NodeRegistry[], sight: NodeSight) {
  const change = registryChange(registries, sight);
  const files = new Map(change.put.map(({ path, text, mode }) => [path, { text, mode }]));
  const text = (path: string) => files.get(path)?.text;
  const next: NodeSight = {
    docker: sight.docker,
    texts: {
      ...sight.texts,
      ...Object.fromEntries(
        (
          [
            ['hosts', '/etc/hosts'],
            ['daemon', '/etc/docker/daemon.json'],
            ['dockerLogins', '/root/.docker/config.json'],
            ['kubeletLogins', '/var/lib/kubelet/config.json'],
            ['containerd', '/etc/containerd/config.toml'],
          ] as const
        ).flatMap(([name, path]) => (files.has(path) ? [[name, text(path)]] : [])),
      ),
    },
    record: text(RECORD_FILE) ?? '',
  };
  return { change, files, text, next };
}

describe('a node with containerd', () => {
  it('reads hosts.toml, which says HTTP or HTTPS and the authority; logins are for root only', () => {
    const { text, files, change } = carriedOut([HTTP, HTTPS], FRESH);
    expect(text('/etc/containerd/certs.d/192.168.0.10:5000/hosts.toml')).toBe(
      'server = "http://192.168.0.10:5000"\n\n[host."http://192.168.0.10:5000"]\n  capabilities = ["pull", "resolve"]\n',
    );
    expect(text('/etc/containerd/certs.d/registry.example.com/hosts.toml')).toContain(
      'ca = "/etc/containerd/certs.d/registry.example.com/ca.crt"',
    );
    expect(text('/etc/containerd/certs.d/registry.example.com/ca.crt')).toBe('PEM\n');
    expect(text('/etc/hosts')).toMatch(/^127.0.0.1 localhost\n#.*\n192\.168\.0\.20 registry\.example\.com\n#.*\n$/);
    expect(JSON.parse(text('/var/lib/kubelet/config.json') ?? '')).toEqual({
      auths: { 'registry.example.com': { auth: Buffer.from('user01:pass01').toString('base64') } },
    });
    const open = [...files].filter(([, { mode }]) => mode !== '0600').map(([, file]) => file.text);
    expect(open.join()).not.toMatch(/pass01|dXNlcjAx/);
    expect(text('/etc/containerd/config.toml')).toContain('config_path = "/etc/containerd/certs.d"');
    expect(change.restart.toSorted()).toEqual(['containerd', 'kubelet']);
    expect([...files.keys()].filter((path) => path.includes('docker'))).toEqual([]);
  });

  it('changes nothing shared and restarts nothing when it has this already', () => {
    const { next } = carriedOut([HTTP, HTTPS], FRESH);
    const { change, next: after } = carriedOut([HTTP, HTTPS], next);
    expect([change.restart, change.remove]).toEqual([[], []]);
    expect(after).toEqual(next);
  });

  it('loses what is withdrawn, and keeps what others wrote', () => {
    const others = { auths: { 'other.example.com': { auth: 'eA==' } }, credsStore: 'x' };
    const sight = { ...FRESH, texts: { ...FRESH.texts, kubeletLogins: JSON.stringify(others) } };
    const { next } = carriedOut([HTTP, HTTPS], sight);
    const { change, text, next: after } = carriedOut([], next);
    expect(change.remove.toSorted()).toEqual([
      '/etc/containerd/certs.d/192.168.0.10:5000/hosts.toml',
      '/etc/containerd/certs.d/registry.example.com/ca.crt',
      '/etc/containerd/certs.d/registry.example.com/hosts.toml',
    ]);
    expect(text('/etc/hosts')).toBe(FRESH.texts.hosts);
    expect(JSON.parse(after.texts.kubeletLogins ?? '')).toEqual(others);
    expect(change.restart).toEqual(['kubelet']);
  });

  it('a new password restarts the kubelet only', () => {
    const { next } = carriedOut([HTTP, HTTPS], FRESH);
    const { change, text } = carriedOut([HTTP, { ...HTTPS, password: 'other' }], next);
    expect(change.restart).toEqual(['kubelet']);
    expect(text('/var/lib/kubelet/config.json')).toContain(Buffer.from('user01:other').toString('base64'));
  });

  it.each([
    [
      'sets the path in an empty configuration',
      'version = 2\n',
      /^version = 2\n\n\[plugins\..*\.registry\]\n.*certs\.d"\n$/,
    ],
    ['keeps another path', 'config_path = "/etc/certs"\n', undefined],
    ['keeps registries of the older style', '[plugins."io.containerd.grpc.v1.cri".registry.mirrors."x"]\n', undefined],
  ])('%s', (_, containerd, expected) => {
    const { text } = carriedOut([HTTP], { ...FRESH, texts: { ...FRESH.texts, containerd } });
    if (expected === undefined) expect(text('/etc/containerd/config.toml')).toBeUndefined();
    else expect(text('/etc/containerd/config.toml')).toMatch(expected);
  });
});

describe('a node with docker', () => {
  const sight: NodeSight = {
    docker: true,
    texts: {
      ...FRESH.texts,
      daemon: '{"exec-opts": ["native.cgroupdriver=systemd"], "insecure-registries": ["mine:1"]}',
    },
  };

  it('allows HTTP for its registries, trusts the authority, has the login; others keep their settings', () => {
    const { text, change, next } = carriedOut([HTTP, HTTPS], sight);
    expect(JSON.parse(text('/etc/docker/daemon.json') ?? '')).toEqual({
      'exec-opts': ['native.cgroupdriver=systemd'],
      'insecure-registries': ['mine:1', '192.168.0.10:5000'],
    });
    expect(text('/etc/docker/certs.d/registry.example.com/ca.crt')).toBe('PEM\n');
    expect(text('/root/.docker/config.json')).toContain('registry.example.com');
    expect(change.restart).toContain('docker');
    const after = carriedOut([], next);
    expect(JSON.parse(after.text('/etc/docker/daemon.json') ?? '')['insecure-registries']).toEqual(['mine:1']);
    expect(after.change.remove).toContain('/etc/docker/certs.d/registry.example.com/ca.crt');
  });

  it('refuses a daemon.json that is none, naming it', () => {
    const broken = { ...sight, texts: { ...sight.texts, daemon: '{' } };
    expect(() => registryChange([HTTP], broken)).toThrow('/etc/docker/daemon.json is no JSON object');
  });
});

it('a change that is cut off leaves a record of all that may be there', () => {
  const { next } = carriedOut([HTTPS], FRESH);
  const record = JSON.parse(recordDuring(registryChange([HTTP], next), next));
  expect(record.files).toHaveLength(3);
  expect(record.logins).toEqual(['registry.example.com']);
  const { change } = carriedOut([HTTP], { ...next, record: JSON.stringify(record) });
  expect(change.remove).toHaveLength(2);
});
