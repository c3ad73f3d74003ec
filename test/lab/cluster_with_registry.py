#!/usr/bin/env python3
"""A cluster that pulls from a registry VNF with TLS and a login: instantiate, scale, a heal of the registry, a wrong password, another name, withdrawal.

containerd of each node really fetches an image, through the files that vnflow writes. The kubelets are stand-ins, so the login of config.json is given to it by hand."""
import base64, json, shutil, sys
import cloud
from machines import Machines
from registries import Client, Registry, make_image, package
from vnflow import KEEP, Instance, Vnflow, archive, expect, main, say

USER = {'name': 'alice', 'password': 'lab-secret-1'}
LOGIN = f"{USER['name']}:{USER['password']}"
HOST, OTHER = 'registry.lab.example:5000', 'other.lab.example:5000'
CONFIG = '/var/lib/kubelet/config.json'


class Connected:
    """A cluster and the registry VNF that it pulls from."""

    def __init__(self, vnflow):
        names = [HOST.split(':')[0], OTHER.split(':')[0]]
        self.registry = Registry(vnflow, vnflow.onboard(package()), 'v2', tls=True, users=[USER], host_names=names)
        self.cluster = Instance(vnflow, lambda: archive('connected'), 'simple')

    def entry(self, server=HOST, password=USER['password']):
        return {'connection_type': '1', 'server': server, 'username': USER['name'], 'password': password, 'certificate': self.ca,
                'hosts_string': f"{self.address} {server.split(':')[0]}"}

    def change(self, entries):
        """@returns the operation of a PATCH that replaces the list"""
        status, head, answer = self.cluster.vnflow.call('PATCH', self.cluster.path, {'vnfConfigurableProperties': {'private_registry_connection_info': entries}})
        expect(status == 202, f'the PATCH is accepted ({status} {answer or ""})')
        return head['Location'].rsplit('/', 1)[1]

    def check(self, server, gone=()):
        """Every node fetches the image from the server, and has nothing of those that are gone. server None: it has no registry at all"""
        machines = Machines(self.cluster)
        for slot in machines.names:
            shown = machines.run(slot, 'cat', '/etc/hosts', CONFIG, check=False)
            for one in gone:
                left = machines.run(slot, 'ls', f'/etc/containerd/certs.d/{one}', check=False)
                expect(not left and one.split(':')[0] not in shown, f'{slot} has nothing of {one}')
            if server is None:
                continue
            login = json.loads(machines.run(slot, 'cat', CONFIG))['auths'][server]['auth']
            expect(base64.b64decode(login).decode() == LOGIN, f'{slot}: the kubelet has the login')
            expect(machines.run(slot, 'stat', '-c', '%a %U', CONFIG).strip() == '600 root', f'{slot}: only root can read it')
            machines.run(slot, 'ctr', '-n', 'lab', 'content', 'fetch', '--hosts-dir', '/etc/containerd/certs.d', '--user', LOGIN, f'{server}/tools/box:1')
            say('holds:', f'{slot}: containerd fetches {server}/tools/box:1')
            machines.run(slot, 'ctr', '-n', 'lab', 'images', 'rm', f'{server}/tools/box:1')

    def live(self):
        registry, cluster = self.registry, self.cluster
        registry.complete('instantiate', registry.request)
        self.address = registry.address()
        code, self.ca = registry.vnflow.cli('registry', 'ca', registry.id)
        expect(code == 0, 'vnflow registry ca prints the CA')
        ca = registry.vnflow.data / 'registry-ca.crt'
        ca.write_text(self.ca)
        Client(f'https://{self.address}:5000', ca, LOGIN).push('tools/box', '1')

        cluster.parameters['k8s_cluster_installation_param']['private_registry_connection_info'] = [self.entry()]
        cluster.complete('instantiate', cluster.request)
        self.check(HOST)
        cluster.complete('scale', cluster.scale_body('SCALE_OUT', 1))
        self.check(HOST)
        registry.complete('heal', registry.heal_body())
        expect(registry.address() == self.address, 'the healed registry has its address')
        self.check(HOST)

        wrong = self.change([self.entry(password='not-it')])
        found = cluster.settle(wrong)
        expect((found['operationState'], found['error'].get('code')) == ('FAILED_TEMP', 'REGISTRY_LOGIN'), 'a wrong password is found out')
        cluster.control(wrong, 'rollback')
        expect(cluster.settle(wrong)['operationState'] == 'ROLLED_BACK', 'and rolled back')
        self.check(HOST)
        cluster.settle_complete(self.change([self.entry(OTHER)]))
        self.check(OTHER, gone=[HOST])
        cluster.complete('heal', cluster.heal_body(['workerNode-0']))
        self.check(OTHER, gone=[HOST])
        cluster.settle_complete(self.change(None))
        self.check(None, gone=[HOST, OTHER])
        cluster.complete('scale', cluster.scale_body('SCALE_IN', 1))
        cluster.terminate()
        registry.terminate()


def scenario():
    make_image()
    vnflow = Vnflow('cluster-registry')
    say('vnflow', vnflow.url, vnflow.data)
    connected, good = None, False
    try:
        connected = Connected(vnflow)
        connected.live()
        good = True
    finally:
        say('the scenario is over' if good else f'the scenario was cut off: {sys.exc_info()[1]!r}')
        vnflow.stop()
        if connected and not KEEP:
            for instance in (connected.cluster, connected.registry):
                cloud.delete_stack(instance.stack)
        if good and not KEEP:
            shutil.rmtree(vnflow.data, ignore_errors=True)


main(scenario)
