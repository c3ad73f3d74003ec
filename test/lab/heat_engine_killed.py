#!/usr/bin/env python3
"""heat-engine is killed (-9) in the middle of a scale out and of a heal, and started again; `retry` completes both.

heat_engine_killed.py [scale] [heal]: which of the two; each waits 20 minutes until vnflow calls the stack stuck"""
import sys
import cloud
from machines import Machines
from vnflow import expect, main, running, say, until

RETRIES = 2


def scenario(*wished):
    with running('heat', 'simple') as instance:
        instance.instantiate()
        workers = 2
        for task in wished or ('scale', 'heal'):
            body = instance.scale_body('SCALE_OUT', 1) if task == 'scale' else instance.heal_body(['workerNode-0'])
            workers += task == 'scale'
            with_a_dead_engine(instance, task, body)
            Machines(instance).check(1, workers)
        instance.terminate()


def with_a_dead_engine(instance, task, body):
    op = instance.begin(task, body)
    until(lambda: cloud.stack_of(instance.stack)['stack_status'] == 'UPDATE_IN_PROGRESS', 120, 'the stack is UPDATE_IN_PROGRESS', 0.2)
    cloud.kill_heat_engine()
    say('heat-engine is killed')
    cloud.start_what_died()
    say('heat-engine is back; the stack is', cloud.stack_of(instance.stack)['stack_status'])
    found = instance.settle(op)
    for _ in range(RETRIES):
        if found['operationState'] == 'FAILED_TEMP':
            instance.control(op, 'retry')
            found = instance.settle(op)
    expect(found['operationState'] == 'COMPLETED', f"{task} is COMPLETED (it is {found['operationState']})")


main(scenario, *sys.argv[1:])
