#!/usr/bin/env python3
"""Somebody terminates the workflow of a running operation in Temporal; `vnflow ops retry` completes the operation."""
from machines import Machines
from vnflow import main, running, say, until

# (operation, the step that runs when it is terminated)
CASES = (('instantiate', 'prepareNode-workerNode-0'), ('scale', 'prepareNode-workerNode-2'), ('heal', 'prepareNode-workerNode-0'))


def scenario():
    with running('terminated', 'simple') as instance:
        bodies = {
            'instantiate': lambda: instance.request,
            'scale': lambda: instance.scale_body('SCALE_OUT', 1),
            'heal': lambda: instance.heal_body(['workerNode-0']),
        }
        for task, step in CASES:
            op = instance.begin(task, bodies[task]())
            until(lambda: (found := instance.step(op, step)) and found['state'] == 'RUNNING', 600, f'{step} runs', 0.5)
            instance.vnflow.temporal('workflow', 'terminate', '--workflow-id', f'vnf/{instance.id}', '--reason', 'a click in the UI')
            found = until(lambda: (seen := instance.operation(op)) and seen['operationState'] == 'FAILED_TEMP' and seen, 180, 'the operation is FAILED_TEMP', 2)
            say('FAILED_TEMP:', found.get('error'))
            instance.control(op, 'retry')
            instance.settle_complete(op)
        Machines(instance).check(1, 3)
        instance.terminate()


main(scenario)
