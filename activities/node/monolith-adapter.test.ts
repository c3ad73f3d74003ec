import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adaptMonolith } from './install-script.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const HASH = 'a'.repeat(64);
const KEY = 'f'.repeat(64);
/** What a script of Tacker prints at its end, with the escape sequence of `clear` before it. */
const GOOD = `printf '\\033[H\\033[2Jtoken:${TOKEN}\\nssl_ca_cert_hash:${HASH}\\ncertificate_key:${KEY}\\n'`;
/** What it leaves behind: the stubs of kubectl answer then. */
const MAKES_CLUSTER = 'touch "$KUBERNETES/admin.conf" "$KUBERNETES/kubelet.conf"';

/** The tools of a node, as far as the adapter asks them. Each call is noted. */
const STUBS: Readonly<Record<string, string>> = {
  id: 'echo 0',
  'cloud-init': 'exit 0',
  sleep: 'exit 0',
  chown: 'exit 0',
  getent: 'echo "x:x:0:0::$ROOT/home:/bin/sh"',
  kubeadm: 'case "$*" in reset*) rm -f "$KUBERNETES"/*.conf ;; esac',
  kubectl:
    'case "$*" in *"get nodes"*) cat "$ROOT/nodes" ;; *"member list"*) echo "1, started, $NODE_NAME, p, c, false" ;; *) echo ok ;; esac',
  curl: 'cat "$ROOT/http-code"',
  haproxy: 'exit 0',
  systemctl: 'exit 0',
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'vnflow-adapter-'));
  for (const folder of ['bin', 'kubernetes', 'haproxy', 'home']) mkdirSync(path.join(root, folder));
  for (const [name, body] of Object.entries(STUBS)) {
    writeFileSync(path.join(root, 'bin', name), `#!/bin/sh\necho "${name} $*" >> "$ROOT/calls"\n${body}\n`, {
      mode: 0o755,
    });
  }
  write('hosts', '127.0.0.1 localhost\n');
  write('nodes', 'node/master57\n');
  write('http-code', '404');
  write('calls', '');
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(path.join(root, name), text);
const read = (name: string) => (existsSync(path.join(root, name)) ? readFileSync(path.join(root, name), 'utf8') : '');
const calls = () => read('calls').trim().split('\n');

/** Runs a phase in real bash, with the places of a node moved below a folder. */
function run(phase: string, script: string, environment: Readonly<Record<string, string>> = {}) {
  const adapter = adaptMonolith(Buffer.from(script))
    .replaceAll('/var/lib/vnflow/monolith', `${root}/work`)
    .replaceAll('/run/vnflow-monolith', `${root}/printed`)
    .replaceAll('/etc/kubernetes', `${root}/kubernetes`)
    .replaceAll('/etc/haproxy', `${root}/haproxy`)
    .replaceAll('/etc/hosts', `${root}/hosts`)
    .replaceAll('/etc/cni/net.d', `${root}/cni`)
    .replaceAll('/etc/apt/keyrings', `${root}/keyrings`)
    .replaceAll(/\/var\/(lib\/cni|run\/cilium|lib\/etcd)/g, `${root}/var/$1`)
    .replace('HOME=/root PATH=', `HOME=${root}/home PATH=${root}/bin:`)
    .replaceAll('/root/.kube', `${root}/home/.kube`)
    .replaceAll('/tmp/installed', `${root}/installed`);
  write('adapter', adapter);
  write('output', '');
  write('secret-output', '');
  const { status, stdout, stderr } = spawnSync('bash', [path.join(root, 'adapter'), phase], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ROOT: root,
      KUBERNETES: `${root}/kubernetes`,
      NODE_NAME: 'master57',
      NODE_IP: '10.10.0.57',
      CLUSTER_ENDPOINT: '10.10.0.57:6443',
      CONTROL_PLANES: 'master57=10.10.0.57',
      VNFLOW_OUTPUT: `${root}/output`,
      VNFLOW_SECRET_OUTPUT: `${root}/secret-output`,
      ...environment,
    },
  });
  return { status, log: stdout + stderr, output: read('output'), secret: read('secret-output') };
}

describe('what the script prints on the first control-plane node', () => {
  it('is read behind escape sequences, given to vnflow, and in no log', () => {
    const { status, log, output, secret } = run('init', `set -x; ${MAKES_CLUSTER}\n${GOOD}`);
    expect(log).toContain('the control plane runs on master57');
    expect(status).toBe(0);
    expect(output).toBe(`CA_CERT_HASH=sha256:${HASH}\n`);
    expect(secret).toBe(`JOIN_TOKEN=${TOKEN}\nCERTIFICATE_KEY=${KEY}\n`);
    expect(log).toContain('token:***');
    for (const value of [TOKEN, KEY]) expect(log).not.toContain(value);
    expect(read('printed/output')).toBe('');
  });

  it('may have the key on a line of its own, as the script for version 1 of the API prints it', () => {
    const lines = `token:${TOKEN}\\nssl_ca_cert_hash:${HASH}\\ncertificate_key:[upload-certs] Storing\\n[upload-certs] Using certificate key:\\n${KEY}`;
    const { secret } = run('init', `${MAKES_CLUSTER}; printf '${lines}\\n'`);
    expect(secret).toContain(`CERTIFICATE_KEY=${KEY}\n`);
  });

  it.each([
    ['a token with another form', GOOD.replace(TOKEN, 'abcdef.0123456789abcdef;reboot'), 'token'],
    ['a token that is a command', GOOD.replace(TOKEN, '$(touch /tmp/x)`id`'), 'token'],
    ['no hash', GOOD.replace('ssl_ca_cert_hash', 'hash'), 'ssl_ca_cert_hash'],
    ['a key that is too long', GOOD.replace(KEY, `${KEY}ff`), 'certificate_key'],
    ['variables of its own', 'echo JOIN_TOKEN=x; echo CERTIFICATE_KEY=y', 'token ssl_ca_cert_hash certificate_key'],
    ['bytes', "head -c 100000 /dev/urandom; printf 'token:\\0\\377\\n'", 'token ssl_ca_cert_hash certificate_key'],
  ])('is refused when it is %s', (_, prints, missing) => {
    const { status, log, secret, output } = run('init', `${MAKES_CLUSTER}\n${prints}`);
    expect(status).toBe(1);
    expect(log).toContain(`it did not print ${missing} in the right form`);
    expect(secret + output).toBe('');
  });

  it('is not taken from the trace of a command, and the last line counts', () => {
    const old = `printf 'token:${'b'.repeat(6)}.${'b'.repeat(16)}\\n'`;
    const { secret } = run(
      'init',
      `set -x; ${MAKES_CLUSTER}\n${old}\n${GOOD}\n: 'token:${'c'.repeat(6)}.${'c'.repeat(16)}'`,
    );
    expect(secret).toContain(`JOIN_TOKEN=${TOKEN}\n`);
  });

  it('may stand among bytes that are no text', () => {
    const { secret } = run('init', `${MAKES_CLUSTER}; printf '\\0\\377\\n'; head -c 5000 /dev/urandom; echo\n${GOOD}`);
    expect(secret).toBe(`JOIN_TOKEN=${TOKEN}\nCERTIFICATE_KEY=${KEY}\n`);
  });

  it('may be long', () => {
    expect(run('init', `${MAKES_CLUSTER}; yes 'a line of output' | head -n 200000\n${GOOD}`).status).toBe(0);
  });
});

describe('a script that fails', () => {
  it('has failed when there is no API server, although it ends with 0, and the first error is named', () => {
    const { status, log } = run('init', 'echo "E: Unable to locate package kubelet"; echo "fatal: later"; exit 0');
    expect(status).toBe(1);
    expect(log).toMatch(/error: the install script ended with 0, and there is no API server .*: E: Unable to locate/);
  });

  it('is repeated by itself when the network failed', () => {
    const { status, log } = run('init', 'echo "E: Temporary failure resolving archive.ubuntu.com" >&2; exit 255');
    expect(status).toBe(75);
    expect(log).toContain('not now: the install script ended with 255');
  });

  it('runs again only after the node was reset', () => {
    run('init', `touch "$KUBERNETES/admin.conf"; exit 1`);
    expect(calls().some((call) => call.startsWith('kubeadm reset'))).toBe(false);
    const { status } = run('init', `${MAKES_CLUSTER}\n${GOOD}`);
    expect(status).toBe(0);
    expect(calls()).toContain('kubeadm reset --force');
    write('calls', '');
    expect(run('init', 'exit 1').log).toContain('the cluster is already there');
    expect(calls().join('\n')).not.toContain('kubeadm reset');
  });

  it('does not run again where other nodes have joined the cluster meanwhile', () => {
    run('init', `touch "$KUBERNETES/admin.conf"; exit 1`);
    write('nodes', 'node/master57\nnode/worker3\n');
    const { status, log } = run('init', GOOD);
    expect(status).toBe(1);
    expect(log).toContain('other nodes have joined the cluster of this node: it is not reset');
    expect(calls().join('\n')).not.toContain('kubeadm reset');
  });

  it('does not take a control-plane node away that has joined and votes', () => {
    const joining = { JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${HASH}`, CERTIFICATE_KEY: KEY };
    run('join-control-plane', 'exit 1', joining);
    write('kubernetes/admin.conf', '');
    expect(run('join-control-plane', 'exit 1', joining).log).toContain('master57 has joined already');
    expect(calls().join('\n')).not.toContain('kubeadm reset');
  });
});

describe('before the script runs', () => {
  const LINE = 'echo "deb https://apt.kubernetes.io/ kubernetes-xenial main" > list';

  it('says that apt.kubernetes.io is gone', () => {
    const { status, log } = run('prepare', LINE);
    expect(status).toBe(69);
    expect(log).toContain('takes Kubernetes from apt.kubernetes.io, which does not exist any more');
  });

  it('tries again later when apt.kubernetes.io does not answer, and goes on where a mirror answers', () => {
    write('http-code', '000');
    expect(run('prepare', LINE).status).toBe(75);
    write('http-code', '200');
    expect(run('prepare', LINE).status).toBe(0);
  });

  it('asks nobody when the script only mentions it', () => {
    expect(run('prepare', `# ${LINE}\necho "no deb from apt.kubernetes.io"`).status).toBe(0);
    expect(calls().join('\n')).not.toContain('curl');
  });

  it('lists the nodes of the cluster in the hosts file, once', () => {
    const nodes = { OTHER_NODES: '10.10.0.4 worker4\n10.10.0.3 worker3' };
    run('prepare', '', { OTHER_NODES: '10.10.0.9 worker9' });
    expect(run('prepare', '', nodes).status).toBe(0);
    expect(
      read('hosts')
        .split('\n')
        .filter((line) => /^\d/.test(line)),
    ).toEqual(['127.0.0.1 localhost', '10.10.0.57 master57', '10.10.0.4 worker4', '10.10.0.3 worker3']);
  });

  it('refuses a name that the script would not give', () => {
    const { status, log } = run('prepare', 'exit', { NODE_NAME: 'worker3-57' });
    expect(status).toBe(1);
    expect(log).toContain('the install script would name this node worker57, and vnflow names it worker3-57');
  });

  it('refuses values that would be more than a word', () => {
    expect(run('init', GOOD, { POD_CIDR: '10.0.0.0/8; reboot' }).log).toContain('POD_CIDR contains a character');
  });
});

it('gives the script the options and the registries of Tacker, and a node that joins never comes first', () => {
  const planes = { CONTROL_PLANES: 'master57=10.10.0.57,master58=10.10.0.58', CLUSTER_ENDPOINT: '10.10.0.9:16443' };
  const joining = { ...planes, JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${HASH}`, CERTIFICATE_KEY: KEY };
  const noted = `echo "$ha_flag $*" > "$ROOT/options"; ${MAKES_CLUSTER}`;
  const registries = '"10.10.0.5:5000","b.example.com"';
  run('init', `bash -c 'echo "$HTTP_PRIVATE_REGISTRIES"' > "$ROOT/registries"; exit 1`, {
    ...planes,
    HTTP_PRIVATE_REGISTRIES: registries,
  });
  expect(read('registries')).toBe(`${registries}\n`);
  run('init', `${noted}\n${GOOD}`, planes);
  expect(read('options')).toBe('True -m 10.10.0.57,10.10.0.58 -i 10.10.0.9 -p 10.0.0.0/8 -a 10.96.0.0/12\n');
  rmSync(path.join(root, 'kubernetes'), { recursive: true });
  mkdirSync(path.join(root, 'kubernetes'));
  run('join-control-plane', noted, joining);
  expect(read('options')).toBe(
    `True -m 10.10.0.58,10.10.0.57 -i 10.10.0.9 -p 10.0.0.0/8 -a 10.96.0.0/12 -t ${TOKEN} -s ${HASH} -k ${KEY}\n`,
  );
  rmSync(path.join(root, 'kubernetes'), { recursive: true });
  mkdirSync(path.join(root, 'kubernetes'));
  run('join-worker', noted, {
    ...joining,
    NODE_NAME: 'worker3',
    NODE_IP: '10.10.0.3',
    CLUSTER_ENDPOINT: '10.10.0.57:6443',
  });
  expect(read('options')).toBe(`False -w 10.10.0.3 -i 10.10.0.57 -t ${TOKEN} -s ${HASH}\n`);
});

describe('the load balancer', () => {
  const OTHERS = 'backend kubernetes-apiserver\n    mode tcp\n';
  const STATS = 'listen stats\n    bind *:1080\n    stats uri /admin?stats\n';
  const lines = (hosts: readonly number[]) =>
    hosts.map((host) => `    server  master${host}  10.10.0.${host}:6443 check\n`).join('');

  it('gets just the control-plane nodes of now, and keeps everything else', () => {
    write('haproxy/haproxy.cfg', OTHERS + lines([57, 58, 59]) + STATS);
    write('kubernetes/kubelet.conf', '');
    const planes = { CONTROL_PLANES: 'master57=10.10.0.57,master60=10.10.0.60' };
    expect(run('load-balancer', '', planes).status).toBe(0);
    expect(read('haproxy/haproxy.cfg')).toBe(OTHERS + lines([57, 60]) + STATS);
    expect(calls()).toContain('systemctl reload-or-restart haproxy');
    write('calls', '');
    expect(run('load-balancer', '', planes).status).toBe(0);
    expect(calls()).not.toContain('systemctl reload-or-restart haproxy');
  });

  it('is left to the script on a node that has not joined', () => {
    expect(run('load-balancer', '').log).toContain('sets up HAProxy and keepalived when this node joins');
  });
});

it('is a script that bash reads without a complaint', () => {
  write('check', adaptMonolith(Buffer.from('echo')));
  expect(execFileSync('bash', ['-n', path.join(root, 'check')], { encoding: 'utf8' })).toBe('');
});
