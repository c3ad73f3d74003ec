#!/usr/bin/env python3
"""The power of the second control-plane node is cut in the middle of its join and comes back: the instantiate completes by itself.

power_cut_in_join.py [MOMENT …]: moments of the join (below); without one, each of them in turn."""
import json
import sys
import time
from machines import ETCDCTL, Machines, machine_at, node, shows
from vnflow import expect, main, running, say, until

# moment -> what the machine shows when the power is cut
MOMENTS = {
    'begun': 'test -e /var/lib/vnflow/kubernetes/join.begun',
    'kubelet': 'test -e /etc/kubernetes/kubelet.conf',
    'added': 'test -e /run/member-added',
    'member': 'test -e /etc/kubernetes/manifests/etcd.yaml',
    'data': 'test -d /var/lib/etcd/member',
}
# kubeadm of the machine adds the member, and writes the manifest of etcd right after that. It is held between the two; the next boot undoes that.
HOLD = """real=/var/tmp/etcdctl.real; held=/var/tmp/etcdctl.held; cp /usr/lib/vnf-rig/bin/etcdctl $real && cat > $held <<'HELD'
#!/bin/bash
/var/tmp/etcdctl.real "$@"; code=$?
case "$*" in *"member add"*) if [ "$code" = 0 ]; then touch /run/member-added; sleep 3600; fi ;; esac
exit $code
HELD
chmod 755 $real $held && mount --bind $held /usr/lib/vnf-rig/bin/etcdctl"""


def scenario(moment):
    with running(f'join-{moment}', 'complex') as instance:
        op = instance.begin('instantiate', instance.request)
        before = step_runs(instance, op, 'prepareNode-masterNode-1')
        name = machine_at(before['node']['address'])
        if moment == 'added':
            node('exec', name, 'sh', '-c', HOLD)
        step_runs(instance, op, 'joinControlPlane-masterNode-1')
        until(lambda: shows(name, MOMENTS[moment]), 240, f'the join has come to: {moment}', 0.05)
        node('kill', name)
        say('power cut at', moment, name)
        time.sleep(15)
        if moment == 'added':
            first = machine_at(instance.step(op, 'prepareNode-masterNode-0')['node']['address'])
            cluster = stalled_cluster(first)
        node('start', name)
        say('power back')
        instance.settle_complete(op)
        machines = Machines(instance)
        machines.check(3, 2)
        for slot in machines.slots('masterNode'):
            machines.run(slot, 'sh', '-c', '! grep -q force-new-cluster /etc/kubernetes/manifests/etcd.yaml && ! pgrep -a -x etcd | grep force-new-cluster')
        say('holds: no etcd has the flag')
        if moment == 'added':
            expect(machines.cluster_id('masterNode-0') == cluster, 'the first etcd went on with its data, in the same cluster')
        instance.terminate()


def step_runs(instance, op, step):
    return until(lambda: (found := instance.step(op, step)) and found['state'] == 'RUNNING' and found, 900, f'{step} runs', 0.3)


def stalled_cluster(first):
    """etcd of the first node has two voters, one of which has never started, and no majority. @returns the id of its cluster"""
    members = node('exec', first, *ETCDCTL, 'member', 'list').splitlines()
    status = json.loads(node('exec', first, *ETCDCTL, 'endpoint', 'status', '-w', 'json'))[0]['Status']
    say(' | '.join(members))
    expect(len(members) == 2 and any(', unstarted, ' in m for m in members) and 'leader' not in status, 'etcd has two members, one has never started, and there is no leader')
    return status['header']['cluster_id']


for wished in sys.argv[1:] or MOMENTS:
    main(scenario, wished)
