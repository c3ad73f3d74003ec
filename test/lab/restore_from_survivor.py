#!/usr/bin/env python3
"""Two of three control-plane nodes are lost, and the third has all data: the restore loses nothing. A heal without allow_restore is refused."""
from machines import Machines
from restoring import restore
from vnflow import expect, main, running


def scenario():
    with running('survivor', 'complex') as instance:
        instance.instantiate()
        machines = Machines(instance)
        machines.write_canary('masterNode-0', 'lab-canary')
        machines.stop_server('masterNode-1')
        machines.stop_server('masterNode-2')
        lost = ['masterNode-1', 'masterNode-2']
        op = instance.begin('heal', instance.heal_body(lost))
        found = instance.settle(op)
        refused = (found['operationState'], found.get('error', {}).get('code'))
        expect(refused == ('ROLLED_BACK', 'QUORUM_LOST'), f'without allow_restore the heal is refused, and nothing was touched {refused}')
        restore(instance, lost, 'masterNode-0', allow_restore=True)
        machines.check(3, 2)
        expect(machines.has_canary('masterNode-0', 'lab-canary'), 'what was written last is there')
        instance.terminate()


main(scenario)
