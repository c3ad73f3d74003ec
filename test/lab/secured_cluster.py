#!/usr/bin/env python3
"""A cluster with encrypted Secrets, an audit log, a /24 for its pods and a token as VIM that is renewed: instantiate, heal a control-plane node, scale out, renew, terminate."""
from machines import Machines
from vnflow import expect, main, running, say, until

KEY = '/etc/kubernetes/pki/encryption.yaml'
VIM = 'lab-secured'


def scenario():
    with running('secured', 'complex') as instance:
        cluster = instance.parameters['k8s_cluster_installation_param']
        cluster['vim_name'] = VIM
        cluster['master_node']['pod_cidr'] = '192.168.3.0/24'
        cluster['install_parameters'].update(ENCRYPT_SECRETS='secretbox', AUDIT_POLICY='metadata')
        instance.instantiate()
        machines = Machines(instance)
        machines.check(3, 2)
        key = check_files(machines)
        instance.complete('heal', instance.heal_body(['masterNode-1']))
        machines.refresh()
        machines.check(3, 2)
        expect(check_files(machines) == key, 'the healed node has the key of the cluster')
        instance.complete('scale', instance.scale_body('SCALE_OUT', 1))
        machines.refresh()
        machines.check(3, 3)
        check_files(machines)
        renew(instance)
        instance.terminate()
        expect(not vims(instance), 'the VIM is gone')


def check_files(machines):
    """Every control-plane node has the key, which only root may read, and the arguments of the API server; no worker has the key. @returns the hash of the key"""
    sums = {machines.run(slot, 'sha256sum', KEY).split()[0] for slot in machines.slots('masterNode')}
    expect(len(sums) == 1, 'all control-plane nodes have one key')
    for slot in machines.slots('masterNode'):
        expect(machines.run(slot, 'stat', '-c', '%a %U', KEY).strip() == '600 root', f'only root reads the key on {slot}')
        manifest = machines.run(slot, 'cat', '/etc/kubernetes/manifests/kube-apiserver.yaml', check=False)
        say(slot, *[line.strip() for line in manifest.splitlines() if 'encryption-provider' in line or 'audit' in line])
    for slot in machines.slots('workerNode'):
        expect(machines.run(slot, 'ls', KEY, check=False) == '', f'{slot} has no key')
    return sums.pop()


def vims(instance):
    return [vim for vim in instance.vnflow.call('GET', '/v1.0/vims')[2]['vims'] if vim['name'] == VIM]


def renew(instance):
    before = vims(instance)[0]
    say('the VIM says', {name: value for name, value in before['auth_cred'].items() if name != 'ssl_ca_cert'})
    schedule = f'vim-tokens/{instance.id}'
    instance.vnflow.temporal('schedule', 'trigger', '--schedule-id', schedule)
    done = lambda: 'COMPLETED' in instance.vnflow.temporal('workflow', 'list', '--query', 'WorkflowType="renewVimToken"', '--output', 'json').upper()
    until(done, 120, 'the token is renewed')


main(scenario)
