#!/usr/bin/env python3
"""The usual operations: instantiate, scale out and in, heal a worker, terminate. plain_life.py [simple|complex]"""
import sys
from machines import Machines
from vnflow import main, running


def scenario(flavour='simple'):
    masters = {'simple': 1, 'complex': 3}[flavour]
    with running(f'life-{flavour}', flavour) as instance:
        instance.instantiate()
        machines = Machines(instance)
        machines.check(masters, 2)
        instance.complete('scale', instance.scale_body('SCALE_OUT', 1))
        machines.check(masters, 3)
        instance.complete('scale', instance.scale_body('SCALE_IN', 1))
        instance.complete('heal', instance.heal_body(['workerNode-0']))
        machines.check(masters, 2)
        instance.terminate()


main(scenario, *sys.argv[1:])
