#!/usr/bin/env python3
"""Twelve of fourteen workers are healed at once, then twelve are scaled in at once."""
from machines import Machines
from vnflow import main, running

FILE = 'Definitions/flavour_simple.yaml'
MORE_WORKERS = [
    (FILE, 'max_number_of_instances: 4', 'max_number_of_instances: 14'),
    (FILE, 'max_scale_level: 2', 'max_scale_level: 12'),
    (FILE, 'workerNode_scale: { scale_level: 2 }', 'workerNode_scale: { scale_level: 12 }'),
    (FILE, 'instantiation_level_2: { number_of_instances: 4 }', 'instantiation_level_2: { number_of_instances: 14 }'),
]


def scenario():
    with running('twelve', 'simple', 'instantiation_level_2', MORE_WORKERS) as instance:
        instance.instantiate()
        machines = Machines(instance)
        machines.check(1, 14)
        instance.complete('heal', instance.heal_body([f'workerNode-{index}' for index in range(12)]))
        machines.check(1, 14)
        instance.complete('scale', instance.scale_body('SCALE_IN', 12))
        machines.check(1, 2)
        instance.terminate()


main(scenario)
