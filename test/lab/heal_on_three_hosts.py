#!/usr/bin/env python3
"""A control-plane node is healed while its cloud has three compute hosts for three of them (strict anti-affinity)."""
from machines import Machines
from vnflow import main, running


def scenario():
    with running('three-hosts', 'complex') as instance:
        instance.instantiate()
        machines = Machines(instance)
        machines.write_canary('masterNode-0', 'lab-canary')
        machines.crash('masterNode-1')
        instance.complete('heal', instance.heal_body(['masterNode-1']))
        machines.check(3, 2)
        if not machines.has_canary('masterNode-0', 'lab-canary'):
            raise SystemExit('the canary is lost')
        instance.terminate()


main(scenario)
