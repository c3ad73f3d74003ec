import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Bash, defineCommand } from 'just-bash';
import { describe, expect, it } from 'vitest';

const SCRIPT = readFileSync(
  new URL('../samples/kubernetes-cluster/Scripts/install_k8s_cluster.sh', import.meta.url),
  'utf8',
);
const WORK = '/var/lib/vnflow/kubernetes';
const TOKEN = 'abcdef.0123456789abcdef';
const KEY = 'f'.repeat(64);
const ENVIRONMENT = {
  NODE_NAME: 'master57',
  NODE_IP: '10.10.0.57',
  CLUSTER_ENDPOINT: '10.10.0.57:6443',
  POD_CIDR: '10.200.0.0/16',
  CERT_SANS: '172.24.4.3,api.example',
  LOGIN_USER: 'ubuntu',
  VNFLOW_OUTPUT: '/job/output',
  VNFLOW_SECRET_OUTPUT: '/job/secret-output',
};

it('is the same in the sample for version 1 of the API', () => {
  const copy = new URL('../samples/kubernetes-cluster-v1/Scripts/install_k8s_cluster.sh', import.meta.url);
  expect(readFileSync(copy, 'utf8')).toBe(SCRIPT);
});

const PINNED_KEY = 'DE15B14486CD377B9E876E1A234654DA9A296436';
const keyLines = (...fingerprints: readonly string[]) =>
  fingerprints.map((one) => `pub:-:2048:1::0:::-:::scSC::::::23::0:\nfpr:::::::::${one}:\n`).join('');

interface Reply {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
}
type Stub = (args: readonly string[], node: Node) => Reply | Promise<Reply>;

interface Node {
  readonly shell: Bash;
  readonly calls: string[];
  readonly packages: Set<string>;
  readonly stubs: Record<string, Stub>;
  run(phase: string, environment?: Record<string, string>): ReturnType<Bash['exec']>;
}

/**
 * A node that is real enough for the control flow of the script: later commands see the files that earlier commands
 * have left.
 */
function freshNode(overrides: Record<string, Stub> = {}): Node {
  const calls: string[] = [];
  const packages = new Set<string>();
  const write = (file: string, text: string) => node.shell.fs.writeFile(file, text);
  const exists = (file: string) => node.shell.fs.exists(file);
  const stubs: Record<string, Stub> = {
    dpkg: () => ({ stdout: 'amd64\n' }),
    'dpkg-query': (args) => {
      const name = args.at(-1) ?? '';
      return packages.has(name)
        ? { stdout: `install ok installed ${/^kube/.test(name) ? '1.36.4-1.1' : '1.0'}` }
        : { exitCode: 1 };
    },
    'apt-get': (args) => {
      if (args[0] === 'install')
        for (const name of args.filter((arg) => /^[a-z]/.test(arg)).slice(1)) packages.add(name.split('=')[0] ?? '');
      return {};
    },
    curl: async (args) => {
      await write(args[args.indexOf('-o') + 1] ?? '', 'download');
      return { stdout: '200' };
    },
    sha256sum: async (args) =>
      args[0] === '-c' ? { exitCode: (await exists(`${WORK}/cut-off`)) ? 1 : 0 } : { stdout: `${'a'.repeat(64)}  -\n` },
    tar: async (args) => {
      const name = args.includes('cilium') ? 'cilium' : 'containerd';
      packages.add(`${name}-binary`);
      return {};
    },
    gpg: (args) => ({ stdout: args.includes('--show-keys') ? keyLines(PINNED_KEY) : '' }),
    containerd: (args) =>
      args[0] === 'config'
        ? { stdout: 'sandbox_image = "registry.k8s.io/pause:3.8"\nSystemdCgroup = false\n' }
        : packages.has('containerd-binary')
          ? { stdout: 'containerd github.com/containerd/containerd v2.3.4 64b8a811\n' }
          : { exitCode: 127 },
    runc: async () => ((await exists('/usr/local/sbin/runc')) ? { stdout: 'runc version 1.4.3\n' } : { exitCode: 127 }),
    cilium: (args) =>
      args[0] === 'version' && packages.has('cilium-binary') ? { stdout: 'cilium-cli: v0.19.7 compiled\n' } : {},
    kubeadm: async (args) => {
      const line = args.join(' ');
      if (line === 'token generate' || line.startsWith('token create')) return { stdout: `${TOKEN}\n` };
      if (line === 'certs certificate-key') return { stdout: `${KEY}\n` };
      if (line.startsWith('config images list')) return { stdout: 'registry.k8s.io/pause:3.9\n' };
      if (line.startsWith('init --config')) {
        const token = args.includes('--skip-token-print') ? '' : TOKEN; // as the real one, which prints both
        const key = args.includes('--skip-certificate-key-print') ? '' : KEY;
        await write('/etc/kubernetes/admin.conf', `server: https://${ENVIRONMENT.CLUSTER_ENDPOINT}\n`);
        await write('/etc/kubernetes/pki/ca.crt', 'CA');
        return { stdout: `[bootstrap-token] ${token}\n[upload-certs] ${key}\n` };
      }
      if (line.startsWith('join --config')) {
        await write('/etc/kubernetes/kubelet.conf', 'kubelet');
        await write('/etc/kubernetes/pki/ca.crt', 'CA');
      }
      return {};
    },
    kubectl: () => ({ stdout: 'ok' }),
    openssl: () => ({ stdout: 'key' }),
    getent: (args) => ({ stdout: `x:x:1:1::${args[1] === 'root' ? '/root' : `/home/${args[1]}`}:/bin/bash\n` }),
    hostname: () => ({ stdout: 'ubuntu\n' }),
    sysctl: (args) => ({ stdout: args[0] === '-n' ? '1\n' : '' }),
    ip: () => ({ stdout: '2: ens3    inet 10.10.0.57/24 brd 10.10.0.255 scope global ens3\n' }),
    systemctl: () => ({}),
    crictl: (args) => ({ exitCode: args[0] === 'inspecti' && !packages.has('images') ? 1 : 0 }),
    ...Object.fromEntries(
      [
        'cloud-init',
        'hostnamectl',
        'swapoff',
        'modprobe',
        'apt-mark',
        'chown',
        'haproxy',
        'keepalived',
        'docker',
        'sleep',
        'umask',
      ].map((name) => [name, () => ({})]),
    ),
    ...overrides,
  };
  const node: Node = {
    shell: new Bash({
      files: {
        '/script.sh': SCRIPT,
        '/etc/hosts': '127.0.0.1 localhost\n',
        '/job/output': '',
        '/job/secret-output': '',
      },
      customCommands: Object.keys(stubs).map((name) =>
        defineCommand(name, async (args) => {
          calls.push([name, ...args].join(' '));
          const { stdout = '', stderr = '', exitCode = 0 } = await (stubs[name] as Stub)(args, node);
          return { stdout, stderr, exitCode };
        }),
      ),
    }),
    calls,
    packages,
    stubs,
    run: (phase, environment = {}) => {
      const lines = Object.entries({ ...ENVIRONMENT, ...environment }).map(
        ([name, value]) => `export ${name}='${value}'\n`,
      );
      return node.shell.exec(`${lines.join('')}bash /script.sh ${phase}`);
    },
  };
  return node;
}

const read = (node: Node, file: string) => node.shell.fs.readFile(file);
const changing = (calls: readonly string[]) =>
  calls.filter((call) =>
    /^(apt-get|curl|tar|kubeadm (init|join|reset|config images pull)|cilium (install|uninstall)|systemctl (re|start))/.test(
      call,
    ),
  );

describe('the install script of the sample package', () => {
  it('prepares a fresh node, and leaves alone one that is prepared', async () => {
    const node = freshNode();
    const first = await node.run('prepare');
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(changing(node.calls).map((call) => call.split(' ').slice(0, 2).join(' '))).toEqual([
      'curl -fsSL',
      'tar -C',
      'curl -fsSL',
      'curl -fsSL',
      'apt-get update',
      'apt-get install',
      'systemctl restart',
      'kubeadm config',
    ]); // prettier-ignore
    expect(await read(node, '/etc/containerd/config.toml')).toContain('pause:3.9"\nSystemdCgroup = true');
    expect(await read(node, '/etc/hosts')).toBe('127.0.0.1 localhost\n10.10.0.57 master57\n');
    const nodes = (...names: string[]) => ({
      OTHER_NODES: names.map((name) => `10.10.0.${name.slice(6)} ${name}`).join('\n'),
    });
    const others = (text: string) =>
      `127.0.0.1 localhost\n10.10.0.57 master57\n# nodes of the cluster, by vnflow\n${text}# end of the nodes of the cluster\n`;
    await node.run('prepare', nodes('worker12', 'worker57'));
    expect(await read(node, '/etc/hosts')).toBe(others('10.10.0.12 worker12\n10.10.0.57 worker57\n'));
    await node.run('prepare', nodes('worker13'));
    expect(await read(node, '/etc/hosts')).toBe(others('10.10.0.13 worker13\n'));
    await node.run('prepare');
    expect(await read(node, '/etc/hosts')).toBe('127.0.0.1 localhost\n10.10.0.57 master57\n');

    node.calls.length = 0;
    node.packages.add('images');
    expect(await node.run('prepare')).toMatchObject({ exitCode: 0 });
    expect(changing(node.calls)).toEqual([]);
  });

  it('refuses a download with a wrong checksum for good', async () => {
    const node = freshNode();
    await node.shell.fs.writeFile(`${WORK}/cut-off`, '');
    const { exitCode, stderr } = await node.run('prepare');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'does not have the sha256 9d68969855fbf676cdb8ed758e420fb048d61f984f61de3e53eddfebe484d168',
    );
    expect(node.calls.filter((call) => call.startsWith('tar'))).toEqual([]);
  });

  it('fails with different exit codes when a package mirror is down and when a version does not exist', async () => {
    const failing = (stderr: string) => freshNode({ 'apt-get': () => ({ exitCode: 100, stderr }) }).run('prepare');
    expect((await failing('E: Failed to fetch https://pkgs.k8s.io 503')).exitCode).toBe(75);
    expect((await failing("E: Version '1.26.99-*' for 'kubeadm' was not found")).exitCode).toBe(1);
  });

  it('makes a control plane once, prints its secrets to the secret file only, and creates new secrets in a second run', async () => {
    const node = freshNode();
    const first = await node.run('init');
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await read(node, '/job/output')).toBe(`CA_CERT_HASH=sha256:${'a'.repeat(64)}\n`);
    expect(await read(node, '/job/secret-output')).toBe(`JOIN_TOKEN=${TOKEN}\nCERTIFICATE_KEY=${KEY}\n`);
    expect(`${first.stdout}${node.calls.join('\n')}`).not.toMatch(new RegExp(`${TOKEN}|${KEY}`));
    expect(await node.shell.fs.exists(`${WORK}/kubeadm-init.yaml`)).toBe(false);
    expect(await read(node, '/home/ubuntu/.kube/config')).toContain('server:');

    const again = await node.run('init');
    expect(again).toMatchObject({ exitCode: 0 });
    expect(node.calls.filter((call) => call.startsWith('kubeadm init --config'))).toHaveLength(1);
    expect(node.calls.filter((call) => call.startsWith('kubeadm token create'))).toHaveLength(1);
    expect((await read(node, '/job/secret-output')).match(/JOIN_TOKEN/g)).toHaveLength(2);
  });

  it('writes the addresses of the request into the kubeadm configuration', async () => {
    let configuration = '';
    const node = freshNode({
      kubeadm: async (args, { shell }) => {
        if (args[0] === 'init') configuration = await shell.fs.readFile(args[2] ?? '');
        return {
          exitCode: args[0] === 'init' ? 1 : 0,
          stdout: args[0] === 'token' ? TOKEN : KEY,
          stderr: 'dial tcp: connection refused',
        };
      },
    });
    expect((await node.run('init')).exitCode).toBe(75);
    expect(configuration).toContain('  certSANs:\n  - "10.10.0.57"\n  - "172.24.4.3"\n  - "api.example"\netcd:\n');
    expect(configuration).toContain('podSubnet: "10.200.0.0/16"');
    expect(configuration).toContain(`token: "${TOKEN}"`);
  });

  it('removes the remains of an interrupted kubeadm init, and begins from the start', async () => {
    const node = freshNode({ kubectl: () => ({ exitCode: 1, stderr: 'connection refused' }) });
    await node.shell.fs.writeFile(`${WORK}/init.begun`, '');
    await node.shell.fs.writeFile('/etc/kubernetes/admin.conf', 'half');
    await node.run('init');
    expect(changing(node.calls).map((call) => call.split(' --')[0])).toEqual([
      'kubeadm reset',
      'systemctl restart containerd',
      'kubeadm init',
    ]);
  });

  it('joins a worker once', async () => {
    const node = freshNode();
    const join = {
      NODE_NAME: 'worker9',
      NODE_IP: '10.10.0.9',
      JOIN_TOKEN: TOKEN,
      CA_CERT_HASH: `sha256:${'a'.repeat(64)}`,
    };
    expect(await node.run('join-worker', join)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await node.run('join-worker', join)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(changing(node.calls)).toEqual([`kubeadm join --config ${WORK}/kubeadm-join.yaml`]);
    const foreign = await node.run('join-worker', { ...join, CA_CERT_HASH: `sha256:${'b'.repeat(64)}` });
    expect(foreign).toMatchObject({ exitCode: 1 });
    expect(foreign.stderr).toContain('belongs to another cluster');
  });

  it.each([
    'Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    'The connection to the server 10.10.0.57:6443 was refused - did you specify the right host or port?',
    "error execution phase preflight: couldn't validate the identity of the API Server: context deadline exceeded",
  ])('tries a join again later when the API server is too busy to answer: %s', async (stderr) => {
    const node = freshNode({ kubeadm: () => ({ exitCode: 1, stderr }) });
    const join = { NODE_NAME: 'worker9', JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${'a'.repeat(64)}` };
    expect(await node.run('join-worker', join)).toMatchObject({ exitCode: 75 });
  });

  it('never resets a joined node while the API server is down', async () => {
    const node = freshNode({
      kubectl: () => ({ exitCode: 1, stderr: 'The connection to the server 10.10.0.57:6443 was refused' }),
    });
    await node.shell.fs.writeFile('/etc/kubernetes/kubelet.conf', 'kubelet');
    await node.shell.fs.writeFile('/etc/kubernetes/pki/ca.crt', 'CA');
    const result = await node.run('join-worker', { JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${'a'.repeat(64)}` });
    expect(result.exitCode).toBe(75);
    expect(changing(node.calls)).toEqual([]);
  });

  it('installs Cilium for the pod network of the request, and only once', async () => {
    const node = freshNode({
      kubectl: (_args, { packages }) => ({ stdout: packages.has('release') ? 'deployed' : '' }),
    });
    await node.shell.fs.writeFile('/etc/kubernetes/admin.conf', 'admin');
    expect(await node.run('cni')).toMatchObject({ exitCode: 0 });
    node.packages.add('release');
    expect(await node.run('cni')).toMatchObject({ exitCode: 0 });
    expect(node.calls.filter((call) => call.startsWith('cilium install'))).toEqual([
      'cilium install --version 1.19.8 --set ipam.operator.clusterPoolIPv4PodCIDRList={10.200.0.0/16} --set ipam.operator.clusterPoolIPv4MaskSize=25',
    ]);
  });

  it.each([
    ['10.0.0.0/8', {}, 24],
    ['10.200.0.0/15', {}, 24],
    ['10.200.0.0/16', {}, 25],
    ['10.200.0.0/21', {}, 25],
    ['10.200.0.0/22', {}, 26],
    ['192.168.3.0/24', {}, 28],
    ['192.168.3.0/24', { CILIUM_MASK_SIZE: '27' }, 27],
  ])('gives each node a block of the pod network %s (%j): a /%i', async (POD_CIDR, chosen, size) => {
    const node = freshNode();
    await node.shell.fs.writeFile('/etc/kubernetes/admin.conf', 'admin');
    expect(await node.run('cni', { POD_CIDR, ...chosen })).toMatchObject({ exitCode: 0 });
    const [install = ''] = node.calls.filter((call) => call.startsWith('cilium install'));
    expect(install).toMatch(new RegExp(`clusterPoolIPv4MaskSize=${size}$`));
  });

  const BALANCED = {
    CLUSTER_ENDPOINT: '10.10.0.100:16443',
    CONTROL_PLANES: 'master57=10.10.0.57,master58=10.10.0.58',
    VIRTUAL_IP: '10.10.0.100',
    VRRP_PASSWORD: 'eight888',
    VRRP_ROUTER_ID: '77',
  };
  /** HAProxy uses the configuration that it read at its last reload. */
  const haproxyStubs = (loaded: { text: string }): Record<string, Stub> => ({
    systemctl: async (args, node) => {
      if (args.join(' ') === 'reload-or-restart haproxy') loaded.text = await read(node, '/etc/haproxy/haproxy.cfg');
      return {};
    },
    socat: () => {
      const servers = [...loaded.text.matchAll(/server (\S+) ([\d.]+):6443/g)];
      return {
        stdout: servers.map(([, name, at], index) => `3 kube-apiserver ${index + 1} ${name} ${at} 2 0\n`).join(''),
      };
    },
  });

  it('reloads HAProxy when it runs with an older configuration, and fails when the reload does not help', async () => {
    const loaded = { text: '' };
    const node = freshNode(haproxyStubs(loaded));
    await node.run('load-balancer', BALANCED);
    const reloads = () => node.calls.filter((call) => call === 'systemctl reload-or-restart haproxy').length;
    expect(reloads()).toBe(1);
    await node.run('load-balancer', BALANCED);
    expect(reloads()).toBe(1);
    loaded.text = 'server master58 10.10.0.58:6443'; // killed between writing the file and the reload
    expect(await node.run('load-balancer', BALANCED)).toMatchObject({ exitCode: 0 });
    expect([reloads(), loaded.text]).toEqual([2, expect.stringContaining('server master57')]);
    const stubborn = freshNode({ socat: () => ({ stdout: '3 kube-apiserver 1 master58 10.10.0.58 2 0\n' }) });
    expect(await stubborn.run('load-balancer', BALANCED)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('haproxy does not stay up with the servers it should have'),
    });
  });

  it('balances over every control-plane node with a health check that sees a dead etcd', async () => {
    const node = freshNode(haproxyStubs({ text: '' }));
    const result = await node.run('load-balancer', BALANCED);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const haproxy = await read(node, '/etc/haproxy/haproxy.cfg');
    expect(haproxy).toContain('bind *:16443\n');
    expect(haproxy).toContain('uri /readyz');
    expect(haproxy).toMatch(
      /server master57 10\.10\.0\.57:6443 check\n {4}server master58 10\.10\.0\.58:6443 check\n$/,
    );
    const keepalived = await read(node, '/etc/keepalived/keepalived.conf');
    expect(keepalived).toContain('unicast_peer {\n        10.10.0.58\n    }');
    expect(keepalived).toContain('10.10.0.100/32 dev ens3');
    expect((await node.shell.fs.stat('/etc/keepalived/keepalived.conf')).mode & 0o777).toBe(0o600);
  });

  it('joins a control-plane node and waits until its etcd member votes', async () => {
    let joined = false;
    const node = freshNode({
      kubeadm: async (args, { shell }) => {
        if (args[0] === 'join') {
          joined = true;
          await shell.fs.writeFile('/etc/kubernetes/admin.conf', 'admin');
          await shell.fs.writeFile('/etc/kubernetes/manifests/kube-apiserver.yaml', 'pod');
        }
        return {};
      },
      kubectl: (args) => {
        if (args.includes('exec'))
          return {
            stdout: `8e9e, started, ${joined ? 'master57' : 'other'}, https://10.10.0.57:2380, https://10.10.0.57:2379, false\n`,
          };
        return { stdout: 'node-role.kubernetes.io/control-plane=' };
      },
    });
    const secrets = { JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${'a'.repeat(64)}`, CERTIFICATE_KEY: KEY };
    expect(await node.run('join-control-plane', secrets)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(changing(node.calls)).toEqual([`kubeadm join --config ${WORK}/kubeadm-join.yaml`]);
  });

  it('keeps a voting member whose join was interrupted before its last step, and does that step', async () => {
    let marked = false;
    const node = freshNode({
      kubectl: (args) => {
        if (args.includes('label')) marked = true;
        if (args.includes('exec'))
          return { stdout: '8e9e, started, master57, https://10.10.0.57:2380, https://10.10.0.57:2379, false\n' };
        return { stdout: marked ? 'node-role.kubernetes.io/control-plane=' : 'ok' };
      },
    });
    for (const file of [
      `${WORK}/join.begun`,
      '/etc/kubernetes/admin.conf',
      '/etc/kubernetes/kubelet.conf',
      '/etc/kubernetes/manifests/etcd.yaml',
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
    ])
      await node.shell.fs.writeFile(file, 'cut off');
    const secrets = { JOIN_TOKEN: TOKEN, CA_CERT_HASH: `sha256:${'a'.repeat(64)}`, CERTIFICATE_KEY: KEY };
    expect(await node.run('join-control-plane', secrets)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(node.calls.filter((call) => /reset|kubeadm join/.test(call))).toEqual([]);
    expect(node.calls.filter((call) => / (label|taint) node /.test(call))).toHaveLength(2);
  });

  const KEYS = 'ca.crt ca.key sa.key sa.pub front-proxy-ca.crt front-proxy-ca.key etcd/ca.crt etcd/ca.key'.split(' ');
  const RESTORE = { BACKUP_FILE: '/job/backup', BACKUP_ID: 'b1', BACKUP_REVISION: '412', RESTORE_ID: 'op1' };
  const option = (args: readonly string[], name: string) => args[args.indexOf(name) + 1] ?? '';

  /** A stand-in for etcdutl. As in etcd, the id of a member depends on its peer URL and the token of the cluster. */
  function restorable(revision = '412', overrides: Record<string, Stub> = {}): Node {
    let member = '';
    const tool: Stub = async (args, { shell }) => {
      if (args[1] === 'status') return { stdout: `{"hash":1,"revision":${revision},"totalKey":9,"totalSize":1}\n` };
      const [url, token] = [option(args, '--initial-advertise-peer-urls'), option(args, '--initial-cluster-token')];
      member = createHash('sha1').update(`${url}${token}`).digest('hex').slice(0, 16).replace(/^0+/, '');
      await shell.fs.writeFile(`${option(args, '--data-dir')}/member/snap/1.snap`, `/0/members/${member}`);
      return {};
    };
    return freshNode({
      etcdutl: tool,
      tar: async (_args, { shell }) => {
        for (const name of [...KEYS.map((key) => `pki/${key}`), 'etcd.db'])
          await shell.fs.writeFile(`${WORK}/backup/${name}`, name);
        return {};
      },
      ctr: (args) => ({ stdout: args.includes('list') ? 'other\nvnflow-restore-77\n' : '' }),
      crictl: (args) => ({
        stdout: args[0] === 'ps' ? 'c1\n' : `${member}, started, master57, https://10.10.0.57:2380, https://x, false\n`,
      }),
      ...overrides,
    });
  }

  it('restores with etcdutl where the machine has it, and ends containers that an earlier attempt left running', async () => {
    const node = restorable();
    await node.shell.fs.writeFile('/job/backup', 'backup');
    expect(await node.run('restore', RESTORE)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(
      node.calls.filter((call) => /^etcdutl|^ctr|^kubeadm (reset|init --config)/.test(call)).map(firstWords),
    ).toEqual([
      'kubeadm reset',
      'ctr containers list',
      'ctr tasks kill',
      'ctr tasks delete',
      'ctr containers delete',
      'etcdutl snapshot status',
      'etcdutl snapshot restore',
      'etcdutl snapshot status',
      'kubeadm init',
    ]);
    expect(node.calls.filter((call) => call.startsWith('ctr')).slice(1)).toEqual(
      expect.arrayContaining([expect.stringContaining('vnflow-restore-77')]),
    );
    expect(await node.shell.fs.exists('/var/lib/etcd/member/snap/1.snap')).toBe(true);
    expect(await node.shell.fs.exists('/job/backup')).toBe(false);
  });
  const firstWords = (call: string) =>
    call
      .replace('--namespace k8s.io ', '')
      .split(' ')
      .slice(0, call.startsWith('kubeadm') ? 2 : 3)
      .join(' ');

  it('starts nothing on a snapshot of another revision, and stops when etcd does not run with the restored data', async () => {
    const older = restorable('400');
    await older.shell.fs.writeFile('/job/backup', 'backup');
    const refused = await older.run('restore', RESTORE);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is at revision 400, the backup b1'),
    });
    expect(older.calls.filter((call) => call.startsWith('kubeadm init'))).toEqual([]);
    const empty = restorable('412', {
      crictl: (args) => ({
        stdout: args[0] === 'ps' ? 'c1\n' : '8e9e, started, master57, https://x, https://x, false\n',
      }),
    });
    await empty.shell.fs.writeFile('/job/backup', 'backup');
    expect(await empty.run('restore', RESTORE)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('etcd does not run with the data of the backup'),
    });
    expect(empty.calls.filter((call) => call.startsWith('kubeadm token create'))).toEqual([]);
  });

  it('refuses values that could change the meaning of a configuration file', async () => {
    const { exitCode, stderr } = await freshNode().run('init', { NODE_NAME: 'a"\nevil: true' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('NODE_NAME contains a character that is not allowed');
    expect((await freshNode().run('nonsense')).stderr).toContain("unknown phase 'nonsense'");
  });
});
