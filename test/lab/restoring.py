"""Functions that the scenarios of a restore share. Standard library only."""
from machines import Machines, machine_at
from vnflow import expect, say, until


def back_up(instance):
    """Triggers the schedule and waits for a new backup."""
    path = f'/vnflow/v1/vnf_instances/{instance.id}/backups'
    ids = lambda: {backup['id'] for backup in instance.vnflow.call('GET', path)[2]}
    before = ids()
    instance.vnflow.temporal('schedule', 'trigger', '--schedule-id', f'snapshots/{instance.id}')
    until(lambda: ids() - before, 120, 'a new backup is there', 2)


def restore(instance, slots, seed, **parameters):
    """Heals by a restore. The phase `restore` runs etcdctl from the image of etcd, which the offline mirror does not have. So the image is copied to the new machine first."""
    machines = Machines(instance)
    op = instance.begin('heal', instance.heal_body(slots, **parameters))
    step = f'restoreControlPlane-{seed}'
    instance.pause(op, step)

    def prepared():
        found = instance.step(op, f'prepareNode-{seed}')
        state = instance.operation(op)['operationState']
        return state != 'PROCESSING' or found is None or found['state'] == 'DONE'

    until(prepared, 1800, f'{seed} is prepared; {instance.doing(op)}', 2)
    found = instance.operation(op)
    expect(found['operationState'] == 'PROCESSING', f"the heal has come to the restore ({found['operationState']} {found.get('error', '')})")
    machines.names[seed] = machine_at(machines.addresses[seed])
    say('the image of etcd is brought to', machines.names[seed])
    machines.give_etcd_image(seed)
    instance.resume(op, step)
    instance.settle_complete(op)
