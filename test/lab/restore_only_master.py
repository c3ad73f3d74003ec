#!/usr/bin/env python3
"""The only control-plane node is lost with its disk and restored from the newest backup. whole/up.sh decides whether /var/lib/etcd is a mount."""
from machines import Machines, shows
from restoring import back_up, restore
from vnflow import expect, main, running, say


def scenario():
    with running('restore', 'simple') as instance:
        instance.instantiate()
        machines = Machines(instance)
        say('/var/lib/etcd is a mount:', shows(machines.names['masterNode-0'], 'mountpoint -q /var/lib/etcd'))
        machines.write_canary('masterNode-0', 'lab-in-the-backup')
        back_up(instance)
        before = machines.cluster_id('masterNode-0')
        machines.write_canary('masterNode-0', 'lab-after-the-backup')
        machines.stop_server('masterNode-0')
        restore(instance, ['masterNode-0'], 'masterNode-0')
        machines.check(1, len(machines.slots('workerNode')))
        expect(machines.has_canary('masterNode-0', 'lab-in-the-backup'), 'what was in the backup is there')
        expect(not machines.has_canary('masterNode-0', 'lab-after-the-backup'), 'what came after the backup is not')
        say('etcd cluster', before, '->', machines.cluster_id('masterNode-0'))
        instance.terminate()


main(scenario)
