"""The lab's machines: power, network cables, commands as root in them, and the state of the cluster on them. Standard library only."""
import json, os, subprocess, threading
from pathlib import Path
import cloud
from vnflow import Unexpected, say, until

NODE_SH = str(cloud.LAB / 'nodes/node.sh')
WHOLE = Path('/tmp/node-rig/whole.json')
STATE = Path(os.environ.get('VNF_RIG_STATE', '/var/lib/vnf-rig'))
ETCDCTL = ['env', 'ETCDCTL_API=3', '/usr/lib/vnf-rig/bin/etcdctl', '--endpoints', 'https://127.0.0.1:2379', '--cacert', '/etc/kubernetes/pki/etcd/ca.crt',
           '--cert', '/etc/kubernetes/pki/etcd/healthcheck-client.crt', '--key', '/etc/kubernetes/pki/etcd/healthcheck-client.key', '--command-timeout=4s']
KUBECTL = ['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', '--request-timeout=8s']


def node(*words, check=True, **more):
    done = subprocess.run([NODE_SH, *words], text=True, capture_output=True, env={**os.environ, 'VNF_RIG_STATE': str(STATE)}, **more)
    if check and done.returncode:
        raise Unexpected(f"node.sh {' '.join(words)}: {done.returncode} {done.stderr.strip()} {done.stdout.strip()}")
    return done.stdout


def machines_up():
    """@returns server id -> {name, ip, state}, as whole/watch.py has them"""
    return json.loads(WHOLE.read_text())


def machine_of(server):
    """@returns name and address of the machine of a Nova server, when the machine exists"""
    return until(lambda: (found := machines_up().get(server)) and (found['name'], address_of(found)), 120, f'a machine of server {server}')


def machine_at(address):
    """@returns the name of the machine that has an address now: a replacement has the address of its predecessor"""
    return until(lambda: next((m['name'] for m in machines_up().values() if address_of(m) == address and m['state'] == 'up'), None), 120, f'a machine at {address}')


def address_of(machine):
    return machine['ip'].split(',')[0]


def shows(name, command):
    """@returns whether a shell command succeeds in the machine"""
    return subprocess.run([NODE_SH, 'exec', name, 'sh', '-c', command], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


class Machines:
    """The machines of one instance, by slot (masterNode-0)."""

    def __init__(self, instance):
        self.instance = instance
        self.refresh()

    def refresh(self):
        self.names, self.addresses = {}, {}
        for slot, ids in self.instance.servers().items():
            self.names[slot], self.addresses[slot] = machine_of(ids['server'])

    def slots(self, vdu):
        return sorted(s for s in self.names if s.startswith(vdu))

    def crash(self, slot):
        say('power cut:', slot, self.names[slot])
        node('kill', self.names[slot])

    def stop_server(self, slot):
        """Waits until Nova shows SHUTOFF and the machine is off. Without a majority, a node counts as dead only then"""
        server = self.instance.servers()[slot]['server']
        say('stopped in Nova:', slot, server)
        cloud.ask('compute', f'/servers/{server}/action', 'POST', {'os-stop': None})
        until(lambda: machines_up().get(server, {}).get('state') == 'off', 180, f'{slot} is off')

    def start(self, slot):
        say('power back:', slot)
        node('start', self.names[slot])

    def run(self, slot, *command, check=True, text=None):
        return node('exec', self.names[slot], *command, check=check, input=text or '')

    def write_canary(self, slot, name):
        """Writes data that a restore of an older backup would lose"""
        body = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': name, 'namespace': 'default'}, 'data': {'of': self.instance.id}}
        self.run(slot, *KUBECTL, 'apply', '-f', '-', text=json.dumps(body))

    def has_canary(self, slot, name):
        return self.instance.id in self.run(slot, *KUBECTL, '-n', 'default', 'get', 'configmap', name, '-o', 'json', check=False)

    def cluster_id(self, slot):
        """@returns the id of the etcd cluster. A restore makes a new one"""
        answer = json.loads(self.run(slot, *ETCDCTL, 'endpoint', 'status', '-w', 'json'))
        return answer[0]['Status']['header']['cluster_id']

    def check(self, masters, workers):
        """Runs lab/whole/check.sh. @throws Unexpected with the lines that fail"""
        self.refresh()
        env = {**os.environ, 'ADDR': ' '.join(self.addresses.values()), 'VIP': cloud.virtual_ip(self.instance.stack)}
        command = [str(cloud.LAB / 'whole/check.sh'), str(masters), str(workers)]
        lines = ''

        def sound():
            nonlocal lines
            lines = subprocess.run(command, env=env, text=True, capture_output=True).stdout
            return 'PASS' in lines and 'FAIL' not in lines

        try:
            until(sound, 90, 'check.sh', 5)
        except Unexpected:
            raise Unexpected('check.sh: ' + '; '.join(line for line in lines.splitlines() if 'PASS' not in line)) from None
        say(f"check.sh {masters} {workers}: {lines.count('PASS')} PASS, 0 FAIL")

    def give_etcd_image(self, slot):
        """Brings the image of etcd to the machine: the phase `restore` runs etcdctl from it, and the offline mirror does not have it"""
        subprocess.run([str(cloud.LAB / 'package/etcd-image.sh'), self.names[slot]], check=True, stdout=subprocess.DEVNULL)


class SshOutage:
    """Blocks SSH from the bastion to these machines, while their cluster runs on. how: DROP (no answer), REJECT (refused)"""

    def __init__(self, addresses, how='DROP'):
        self.rules = [['OUTPUT', '-d', a, '-p', 'tcp', '--dport', '22', '-j', how, *(['--reject-with', 'tcp-reset'] if how == 'REJECT' else [])] for a in addresses]

    def begin(self):
        for rule in self.rules:
            node('exec', 'bastion', 'iptables', '-I', *rule)

    def end(self):
        for rule in self.rules:
            node('exec', 'bastion', 'iptables', '-D', *rule, check=False)

    def for_seconds(self, seconds):
        """Begins at once, and ends after the given time"""
        self.begin()
        timer = threading.Timer(seconds, self.end)
        timer.start()
        return timer
