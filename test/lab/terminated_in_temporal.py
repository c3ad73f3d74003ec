#!/usr/bin/env python3
"""The workflow of a running operation is terminated in Temporal while a node is prepared; `vnflow ops retry` completes the operation."""
from machines import Machines
from vnflow import expect, main, running, say, until


def scenario():
    with running('terminated', 'simple') as instance:
        if not instance.instantiated():
            terminate_during(instance, 'instantiate', instance.request)
        workers = sum(slot.startswith('workerNode') for slot in instance.servers())
        terminate_during(instance, 'scale', instance.scale_body('SCALE_OUT', 1))
        terminate_during(instance, 'heal', instance.heal_body(['workerNode-0']))
        Machines(instance).check(1, workers + 1)
        instance.terminate()


def terminate_during(instance, task, body):
    op = instance.begin(task, body)
    preparing = lambda: [s for s in instance.steps(op) if s['kind'] == 'prepareNode' and s['state'] == 'RUNNING']
    until(preparing, 900, 'a node is prepared', 0.5)
    attempts = lambda: {s['id']: s['attempt'] for s in instance.steps(op) if s['state'] == 'DONE'}
    done = attempts()
    instance.vnflow.temporal('workflow', 'terminate', '--workflow-id', f'vnf/{instance.id}', '--reason', 'a click in the UI')
    found = until(lambda: (seen := instance.operation(op)) and seen['operationState'] == 'FAILED_TEMP' and seen, 300, 'the operation is FAILED_TEMP', 2)
    say('FAILED_TEMP:', found.get('error'))
    instance.control(op, 'retry')
    instance.settle_complete(op)
    again = [step for step, attempt in attempts().items() if attempt > done.get(step, attempt)]
    expect(not again, f'nothing that was done is done again {again}')


main(scenario)
