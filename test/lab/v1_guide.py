#!/usr/bin/env python3
"""The life of guides 001 and 002 with the API's version 1 and our v1 sample: v1_guide.py [simple|complex|podaffinity] [entire] [proxy]

Instantiate, scale out, scale in of the oldest worker, heal of a worker, of a control-plane node that has crashed (not of the only one), with `entire` of
the whole VNF, terminate. With `proxy` the nodes download through a proxy with a login. Scaling groups of real Heat, server groups and hosts of real Nova, real nodes."""
import contextlib, json, shutil, sys
import cloud
from machines import KUBECTL, NODE_SH, Machines
from proxy import LOGIN, proxy
from vnflow import KEEP, ROOT, Instance, Vnflow, archive, expect, for_the_mirror, main, say

V1 = '/vnflcm/v1/vnf_instances'


class V1Instance(Instance):
    """An instance that is made and operated through /vnflcm/v1, and seen through both versions."""

    def __init__(self, vnflow, flavour, by=None):
        self.vnflow, self.flavour = vnflow, flavour
        status, _, made = vnflow.call('POST', V1, {'vnfdId': vnflow.onboard(archive('v1', sample='kubernetes-cluster-v1'))})
        expect(status == 201, f'an instance is created ({status})')
        self.id = made['id']
        self.path, self.stack = f'{V1}/{self.id}', f'vnf-{self.id}'
        self.request = v1_request(flavour, register_vim(vnflow), by)

    def info(self):
        return self.vnflow.call('GET', f'/vnflcm/v2/vnf_instances/{self.id}')[2]['instantiatedVnfInfo']

    def of_vdu(self, vdu):
        """@returns server id -> id of the VNFC for heal, in the order of version 1: the oldest first"""
        shown = self.vnflow.call('GET', self.path)[2]['instantiatedVnfInfo']['vnfcResourceInfo']
        return {one['computeResource']['resourceId']: one['id'] for one in shown if one['vduId'] == vdu}

    def slot_of(self, server):
        return next(slot for slot, ids in self.servers().items() if ids['server'] == server)


def register_vim(vnflow):
    env = cloud.OPENRC
    vim = {'type': 'openstack', 'name': 'lab', 'auth_url': env['OS_AUTH_URL'],
           'auth_cred': {'username': env['OS_USERNAME'], 'password': env['OS_PASSWORD'], 'user_domain_name': 'Default'},
           'vim_project': {'name': env['OS_PROJECT_NAME'], 'project_domain_name': 'Default'}}
    status, _, made = vnflow.call('POST', '/v1.0/vims', {'vim': vim})
    expect(status in (200, 201), f'the VIM is registered ({status} {made if status > 201 else ""})')
    return made['vim']['id']


def v1_request(flavour, vim, by):
    """The guide's request. Its proxy is an example: by is the one that there is, or None"""
    body = json.loads((ROOT / f'samples/requests/v1/instantiate-{flavour}.json').read_text())
    parameters = body['additionalParams']['k8s_cluster_installation_param']
    parameters.pop('proxy', None)
    if by:
        parameters['proxy'] = {'http_proxy': by, 'https_proxy': by, 'no_proxy': '192.168.246.0/24,10.0.0.1', 'k8s_node_cidr': '10.10.0.0/24'}
    for one in body['vimConnectionInfo']:
        one['vimId'] = vim
    for link in body['extVirtualLinks']:
        link['resourceId'] = cloud.network('net0')
    for_the_mirror(body)
    return body


def check_groups(instance, masters, workers):
    """The scaling groups of Heat have as many members as the instance has nodes, and want as many"""
    stack = cloud.stack_of(instance.stack)
    path = f"/stacks/{stack['stack_name']}/{stack['id']}"
    template = cloud.ask('orchestration', f'{path}/template')['resources']
    rows = cloud.ask('orchestration', f'{path}/resources?nested_depth=2')['resources']
    for group, count in (('master_instance', masters), ('worker_instance', workers)):
        if group in template:
            members = [row for row in rows if row.get('parent_resource') == group]
            found = (template[group]['properties']['desired_capacity'], len(members))
            expect(found == (count, count), f'{group} wants and has {count} members {found}')


def check_labels(instance, machines):
    """Each worker has the label CIS-node with the host that Nova shows, and no control-plane node has it"""
    hosts = {name: server['OS-EXT-SRV-ATTR:host'] for name, server in cloud.servers().items()}
    wanted = {machines.addresses[slot]: hosts[ids['server']] for slot, ids in instance.servers().items() if slot.startswith('workerNode')}
    nodes = json.loads(machines.run('masterNode-0', *KUBECTL, 'get', 'nodes', '-o', 'json'))['items']
    found = {}
    for node in nodes:
        address = next(a['address'] for a in node['status']['addresses'] if a['type'] == 'InternalIP')
        if 'CIS-node' in node['metadata']['labels']:
            found[address] = node['metadata']['labels']['CIS-node']
    expect(found == wanted, f'workers are labelled with their hosts {found}')
    expect(len(set(found.values())) == len(found), 'no two workers share a host')


def check_proxy(machines, by, log):
    """apt and containerd of every node have the proxy, only root can read its password, and Kubernetes does not have it"""
    for slot in machines.names:
        for file, mine in (('/etc/apt/apt.conf.d/95vnflow-proxy', f'Acquire::https::Proxy "{by}"'), ('/etc/vnflow/proxy.env', f'HTTPS_PROXY={by}')):
            shown = machines.run(slot, 'sh', '-c', f'stat -c "%a %U" {file}; cat {file}')
            expect(shown.startswith('600 root') and mine in shown, f'{slot}: {file} names the proxy and is closed to others')
        expect('EnvironmentFile=/etc/vnflow/proxy.env' in machines.run(slot, 'systemctl', 'cat', 'containerd'), f'{slot}: containerd reads that file')
        password = LOGIN.split(':')[1]
        readable = f'grep -rl {password} /etc /root /home /usr/local /var/lib/kubelet /var/lib/vnflow/jobs 2> /dev/null | grep -v -x -e /etc/apt/apt.conf.d/95vnflow-proxy -e /etc/vnflow/proxy.env'
        expect(machines.run(slot, 'sh', '-c', readable, check=False).strip() == '', f'{slot}: no other file has its password')
    everything = machines.run('masterNode-0', *KUBECTL, 'get', 'pods,daemonsets,configmaps', '--all-namespaces', '-o', 'json')
    expect(LOGIN not in everything, 'no object of the cluster has its password')
    lines = log.read_text().splitlines()
    # Debian's packages come from a directory in the lab; those of Kubernetes, and releases, from hosts behind https
    for host in ('pkgs.k8s.io', 'github.com'):
        expect(any(line.startswith(f'200 CONNECT {host}:443') for line in lines), f'{host} was reached through the proxy')


def scenario(flavour='simple', *wishes):
    masters = {'simple': 1, 'complex': 3, 'podaffinity': 3}[flavour]
    with proxy(NODE_SH) if 'proxy' in wishes else contextlib.nullcontext((None, None)) as (by, log):
        vnflow = Vnflow(f'v1-{flavour}')
        say('vnflow', vnflow.url, vnflow.data)
        instance, good = None, False
        try:
            instance = V1Instance(vnflow, flavour, by)
            live(instance, masters, wishes, log)
            good = True
        finally:
            say('the scenario is over' if good else f'the scenario was cut off: {sys.exc_info()[1]!r}')
            vnflow.stop()
            if instance and not KEEP:
                cloud.delete_stack(instance.stack)
            if good and not KEEP:
                shutil.rmtree(vnflow.data, ignore_errors=True)


def live(instance, masters, wishes, log):
    by = instance.request['additionalParams']['k8s_cluster_installation_param'].get('proxy', {}).get('https_proxy')

    def check(workers):
        machines.check(masters, workers)
        if by:
            check_proxy(machines, by, log)
        check_groups(instance, masters, workers)
        if instance.flavour == 'podaffinity':
            check_labels(instance, machines)

    instance.complete('instantiate', instance.request)
    machines = Machines(instance)
    check(2)
    before = list(instance.of_vdu('workerNode'))
    instance.complete('scale', {'type': 'SCALE_OUT', 'aspectId': 'worker_instance', 'numberOfSteps': '1'})
    check(3)
    after = list(instance.of_vdu('workerNode'))
    expect(after[:2] == before and len(after) == 3, 'a scale out adds a worker and leaves the others')

    healed = after[1]
    instance.complete('heal', {'vnfcInstanceId': instance.of_vdu('workerNode')[healed]})
    check(3)
    expect(healed not in instance.of_vdu('workerNode') and after[0] in instance.of_vdu('workerNode'), 'a heal replaces the server of the VNFC, and no other')

    instance.complete('scale', {'type': 'SCALE_IN', 'aspectId': 'worker_instance', 'numberOfSteps': '1'})
    check(2)
    expect(after[0] not in instance.of_vdu('workerNode') and after[2] in instance.of_vdu('workerNode'), 'a scale in takes the oldest worker')

    if masters > 1:
        servers = instance.of_vdu('masterNode')
        lost = list(servers)[-1]
        slot = instance.slot_of(lost)
        machines.crash(slot)
        instance.complete('heal', {'vnfcInstanceId': servers[lost]})
        check(2)
    if 'entire' in wishes:
        every = set(instance.of_vdu('masterNode')) | set(instance.of_vdu('workerNode'))
        instance.complete('heal', {})
        check(2)
        expect(not every & (set(instance.of_vdu('masterNode')) | set(instance.of_vdu('workerNode'))), 'a heal of the entire VNF replaces each server')
    instance.terminate()


main(scenario, *sys.argv[1:])
