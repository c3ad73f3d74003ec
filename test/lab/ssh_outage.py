#!/usr/bin/env python3
"""SSH cannot reach the control plane for a while, and the cluster runs on: a heal, with or without allow_restore, never costs it its data.

ssh_outage.py [KIND:SECONDS:WHO:RESTORE …], each after the other on one cluster of three, for example drop:30:one:allow
  KIND     drop (silence), reject (refused), cut (the cables of all three: etcd has no majority meanwhile)
  SECONDS  how long, from just before the request
  WHO      one (masterNode-1) or all three are named
  RESTORE  allow or no
A heal may end COMPLETED or wait in FAILED_TEMP. In FAILED_TEMP, a retry after the outage must complete it."""
import sys
import threading
from machines import Machines, SshOutage, node
from restoring import back_up
from vnflow import expect, main, running, say

ALL = ['masterNode-0', 'masterNode-1', 'masterNode-2']
DEFAULT = ['drop:1:one:no', 'drop:1:all:allow', 'reject:5:all:allow', 'drop:30:one:allow', 'drop:120:all:allow', 'cut:60:all:allow', 'drop:300:all:allow', 'drop:300:one:no']


class CutCables:
    def __init__(self, names):
        self.names = names

    def begin(self):
        for name in self.names:
            node('cut', name)

    def end(self):
        for name in self.names:
            node('heal', name, check=False)


def outage_of(kind, machines):
    if kind == 'cut':
        return CutCables([machines.names[slot] for slot in ALL])
    return SshOutage([machines.addresses[slot] for slot in ALL], kind.upper())


def scenario(*wished):
    with running('outage', 'complex') as instance:
        instance.instantiate()
        back_up(instance)
        for number, spelling in enumerate(wished or DEFAULT):
            machines = Machines(instance)
            canary = f'lab-canary-{number}'
            machines.write_canary('masterNode-0', canary)
            before = machines.cluster_id('masterNode-0')
            say('----', spelling)
            heal_during(instance, machines, spelling)
            machines.check(3, 2)
            expect(machines.has_canary('masterNode-0', canary), f'{spelling}: what was written last is there')
            expect(machines.cluster_id('masterNode-0') == before, f'{spelling}: it is the same etcd cluster')
        instance.terminate()


def heal_during(instance, machines, spelling):
    kind, seconds, who, restore = spelling.split(':')
    outage = outage_of(kind, machines)
    body = instance.heal_body(ALL if who == 'all' else ['masterNode-1'], **({'allow_restore': True} if restore == 'allow' else {}))
    outage.begin()
    timer = threading.Timer(float(seconds), outage.end)
    timer.start()
    try:
        op = instance.begin('heal', body)
        found = instance.settle(op)
        timer.join()
    finally:
        timer.cancel()
        outage.end()
    if found['operationState'] == 'FAILED_TEMP':
        instance.control(op, 'retry')
        instance.settle_complete(op)


main(scenario, *sys.argv[1:])
