#!/usr/bin/env python3
"""The life of a private registry: registry_life.py [v2] [v1] [tls]; without an argument all.

Instantiate from a package without a Heat template, push images from another machine, power cut, heal of the VNFC, heal of the entire VNF, terminate: every tag and
digest is there after each. v2 also loses a registry that cannot be read any more; `tls` has TLS, a login, and `vnflow registry ca`. The flavour `persistent` needs Cinder, which the lab does not have."""
import shutil, sys
import cloud
from machines import machine_of, node
from registries import Client, Registry, make_image, package
from vnflow import KEEP, Vnflow, expect, main, say, until

USER = {'name': 'alice', 'password': 'lab secret "1"'}
LOGIN = f"{USER['name']}:{USER['password']}"


def client_of(registry, ca):
    return Client(f'https://{registry.address()}:5000', ca, LOGIN) if ca else Client(f'http://{registry.address()}:5000')


def authority(registry):
    """@returns the file that `vnflow registry ca` prints"""
    code, output = registry.vnflow.cli('registry', 'ca', registry.id)
    expect(code == 0 and output.startswith('-----BEGIN CERTIFICATE-----'), 'vnflow registry ca prints a certificate')
    file = registry.vnflow.data / 'registry-ca.crt'
    file.write_text(output)
    return file


def check_access(registry, client, ca):
    """The registry refuses a client without the CA, and one without the login; its server holds no password and no key of the CA"""
    expect('CERTIFICATE_VERIFY_FAILED' in client.refusal(LAB_LOGIN=LOGIN), 'a client without the CA does not trust the registry')
    expect('401' in client.refusal(LAB_CA=str(ca)), 'a client without the login is refused')
    expect('401' in client.refusal(LAB_CA=str(ca), LAB_LOGIN='alice:wrong'), 'a client with a wrong password is refused')
    name = machine_of(registry.server())[0]
    found = node('exec', name, 'grep', '-rslF', USER['password'], '/etc', '/root', '/home', '/var/lib/vnflow', '/private_registry', check=False)
    expect(found.strip() == '', f'no file of the server has the password {found.split()}')


def check_images(registry, ca, images, after):
    expect(until(lambda: client_of(registry, ca).show() == images, 120, f'{len(images)} tags after {after}'), f'after {after} the {len(images)} tags have their digests')


def lose(registry):
    """A server that nobody can read: the heal is refused, and goes on when the request accepts the loss"""
    node('kill', machine_of(registry.server())[0])
    found = registry.settle(registry.begin('heal', registry.heal_body()))
    expect((found['operationState'], found.get('error', {}).get('code')) == ('ROLLED_BACK', 'CONTENT_LOSS'), 'a heal of a dead registry is refused')
    registry.complete('heal', registry.heal_body(accept_content_loss=True))
    expect(client_of(registry, None).show() == {}, 'the heal that accepts the loss leaves an empty registry')


def live(registry, tls):
    registry.complete('instantiate', registry.request)
    first, address = registry.server(), registry.address()
    ca = authority(registry) if tls else None
    client = client_of(registry, ca)
    expect(until(lambda: client.show() == {}, 30, 'the registry answers'), f'{client.base} answers another machine')
    images = {**client.push('tools/box', '1', '2', 'latest'), **client.push('apps/shop', '1')}
    expect(client.show() == images, f'{len(images)} tags were pushed from another machine')
    if tls:
        check_access(registry, client, ca)
    name = machine_of(first)[0]
    node('kill', name)
    node('start', name)
    check_images(registry, ca, images, 'a power cut')
    registry.complete('heal', registry.heal_body())
    expect(registry.server() != first and registry.address() == address, f'the heal made another server with the address {address}')
    check_images(registry, ca, images, 'a heal of the VNFC')
    second = registry.server()
    registry.complete('heal', {})
    expect(registry.server() not in (first, second), 'the heal of the entire VNF made another server')
    check_images(registry, ca, images, 'a heal of the entire VNF')
    if tls:
        expect(authority(registry).read_text() == ca.read_text(), 'the CA is the one that the clients have')
        check_access(registry, client_of(registry, ca), ca)
    elif registry.version == 'v2':
        lose(registry)
    third = registry.server()
    registry.terminate()
    expect(KEEP or not (cloud.stack_of(registry.stack) or {first, second, third} & set(cloud.servers())), 'terminate leaves no stack and no server')
    ports = [p['id'] for p in cloud.neutron('/ports')['ports'] if p['name'].startswith(registry.stack)]
    expect(KEEP or not ports, 'terminate leaves no port')


def scenario(*lives):
    make_image()
    vnflow = Vnflow('registry')
    say('vnflow', vnflow.url, vnflow.data)
    made, good = [], False
    try:
        vnfd = vnflow.onboard(package())
        for one in lives or ('v2', 'v1', 'tls'):
            say('the life', one)
            tls = one == 'tls'
            made.append(Registry(vnflow, vnfd, 'v2' if tls else one, **({'tls': True, 'users': [USER], 'host_names': ['registry.lab.example']} if tls else {})))
            live(made[-1], tls)
        good = True
    finally:
        say('the scenario is over' if good else f'the scenario was cut off: {sys.exc_info()[1]!r}')
        vnflow.stop()
        if not KEEP:
            for registry in made:
                cloud.delete_stack(registry.stack)
        if good and not KEEP:
            shutil.rmtree(vnflow.data, ignore_errors=True)


main(scenario, *sys.argv[1:])
