#!/usr/bin/env python3
"""The power of a control-plane node is cut in the middle of its join and comes back: the instantiate completes by itself.

power_cut_in_join.py [MOMENT …]: moments of the join (below); without one, each of them in turn."""
import sys
import time
from machines import Machines, machine_at, node, shows
from vnflow import main, running, say, until

# moment -> what the machine shows when the power is cut
MOMENTS = {
    'begun': 'test -e /var/lib/vnflow/kubernetes/join.begun',
    'kubelet': 'test -e /etc/kubernetes/kubelet.conf',
    'member': 'test -e /etc/kubernetes/manifests/etcd.yaml',
    'data': 'test -d /var/lib/etcd/member',
}


def scenario(moment):
    with running(f'join-{moment}', 'complex') as instance:
        op = instance.begin('instantiate', instance.request)
        step = 'joinControlPlane-masterNode-1'
        joining = until(lambda: (found := instance.step(op, step)) and found['state'] == 'RUNNING' and found, 900, f'{step} runs', 0.3)
        name = machine_at(joining['node']['address'])
        until(lambda: shows(name, MOMENTS[moment]), 120, f'the join has come to: {moment}', 0.05)
        node('kill', name)
        say('power cut at', moment, name)
        time.sleep(15)
        node('start', name)
        say('power back')
        instance.settle_complete(op)
        Machines(instance).check(3, 2)
        instance.terminate()


for wished in sys.argv[1:] or MOMENTS:
    main(scenario, wished)
