#!/usr/bin/env python3
"""The life of a private registry: registry_life.py [v2] [v1]; without an argument both.

Instantiate from a package without a Heat template, push an image from another machine, reboot, heal of the VNFC, terminate. Docker and the program of the
registry are Debian's; the registry's image is made of the latter and lies in the package, because the lab has no docker.io."""
import json, os, shutil, subprocess, sys, tempfile
from pathlib import Path
import cloud
from machines import STATE, machine_of, node
from vnflow import KEEP, ROOT, Instance, Unexpected, Vnflow, environment, expect, main, request_of, say, until

IMAGE = 'Files/images/registry.tar'
SW_IMAGE = 'ubuntu-22.04-server-cloudimg-amd64'
PARAMETERS = 'private_registry_installation_param'
CONFIG = "version: 0.1\nstorage: {filesystem: {rootdirectory: /var/lib/registry}, delete: {enabled: true}}\nhttp: {addr: ':5000'}\n"

# Runs where the network of the machines is: pushes an image of one layer, and prints its digest. Only the registry's API is used.
PUSH = r'''
import hashlib, json, sys, urllib.request
base, name, tag = sys.argv[1:]
def call(method, path, data=None, kind='application/octet-stream'):
    url = path if path.startswith('http') else base + path
    return urllib.request.urlopen(urllib.request.Request(url, data, {'Content-Type': kind}, method=method), timeout=20)
def blob(data):
    digest = 'sha256:' + hashlib.sha256(data).hexdigest()
    at = call('POST', f'/v2/{name}/blobs/uploads/', b'').headers['Location']
    call('PUT', at + ('&' if '?' in at else '?') + 'digest=' + digest, data)
    return {'size': len(data), 'digest': digest}
config = blob(b'{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[]}}')
kind = 'application/vnd.docker.distribution.manifest.v2+json'
layer = {'mediaType': 'application/vnd.docker.image.rootfs.diff.tar.gzip', **blob(b'the layer of ' + tag.encode())}
manifest = json.dumps({'schemaVersion': 2, 'mediaType': kind, 'config': {'mediaType': 'application/vnd.docker.container.image.v1+json', **config}, 'layers': [layer]}).encode()
call('PUT', f'/v2/{name}/manifests/{tag}', manifest, kind)
print('sha256:' + hashlib.sha256(manifest).hexdigest())
'''


def docker_archive(file):
    """Makes what `docker save` writes, from Debian's docker-registry and the two libraries that it needs"""
    base = STATE / 'base'
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in ('usr/bin/docker-registry', 'lib/x86_64-linux-gnu/libc.so.6', 'lib64/ld-linux-x86-64.so.2'):
            source = next((one for one in (base / 'full' / path, base / 'bare' / path, Path('/') / path) if one.exists()), None)
            if source is None:
                raise Unexpected(f'the lab has no {path}')
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / path)
        for path, text in (('etc/docker/registry/config.yml', CONFIG), ('tmp/.keep', ''), ('var/lib/registry/.keep', '')):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        command = ['/usr/bin/docker-registry', 'serve', '/etc/docker/registry/config.yml']
        subprocess.run([str(cloud.LAB / 'nodes/mkimage.sh'), str(file), 'registry:2.8.2', str(root), *command], check=True)


def package():
    """@returns the sample, packed with the registry's image"""
    folder = Path(tempfile.mkdtemp(prefix='lab-package-registry-'))
    shutil.copytree(ROOT / 'samples/private-registry', folder / 'pkg')
    (folder / 'pkg' / IMAGE).parent.mkdir(parents=True)
    docker_archive(folder / 'pkg' / IMAGE)
    zipped = folder / 'package.zip'
    subprocess.run(['node', str(ROOT / 'bin/vnflow.mjs'), 'pack', str(folder / 'pkg'), '-o', str(zipped)], cwd=ROOT, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return zipped


class Registry(Instance):
    """An instance of the sample that is operated through this version of the API, and seen through version 2."""

    def __init__(self, vnflow, vnfd, version):
        self.vnflow, self.version = vnflow, version
        collection = f'/vnflcm/{version}/vnf_instances'
        status, _, made = vnflow.call('POST', collection, {'vnfdId': vnfd})
        expect(status == 201, f'an instance is created through {version} ({status})')
        self.id = made['id']
        self.path, self.stack = f'{collection}/{self.id}', f'vnf-{self.id}'
        self.request = request_of('private-registry', None) if version == 'v2' else self.guide_request()
        self.request['additionalParams'][PARAMETERS]['image_path'] = IMAGE

    def guide_request(self):
        """The body of guide 003. Its proxy is an example, and the lab has none"""
        body = json.loads((ROOT / 'samples/requests/v1/instantiate-private-registry.json').read_text())
        body['additionalParams'][PARAMETERS].pop('proxy')
        env = cloud.OPENRC
        vim = {'type': 'openstack', 'name': 'lab', 'auth_url': env['OS_AUTH_URL'],
               'auth_cred': {'username': env['OS_USERNAME'], 'password': env['OS_PASSWORD'], 'user_domain_name': 'Default'},
               'vim_project': {'name': env['OS_PROJECT_NAME'], 'project_domain_name': 'Default'}}
        body['vimConnectionInfo'][0]['vimId'] = self.vnflow.call('POST', '/v1.0/vims', {'vim': vim})[2]['vim']['id']
        body['extVirtualLinks'][0]['resourceId'] = cloud.network('net0')
        return body

    def info(self):
        return self.vnflow.call('GET', f'/vnflcm/v2/vnf_instances/{self.id}')[2]['instantiatedVnfInfo']

    def server(self):
        return self.info()['vnfcResourceInfo'][0]['computeResource']['resourceId']

    def heal(self):
        """Version 2 wants to be told that the images may be lost; version 1 is the guide's"""
        if self.version == 'v1':
            vnfc = self.vnflow.call('GET', self.path)[2]['instantiatedVnfInfo']['vnfcResourceInfo'][0]['id']
            return self.complete('heal', {'vnfcInstanceId': [vnfc]})
        body = {'vnfcInstanceId': [self.info()['vnfcInfo'][0]['id']]}
        status, _, refused = self.vnflow.call('POST', f'{self.path}/heal', body)
        if status == 202:  # a version that keeps the images asks for nothing
            return self.settle_complete(self.operation_under_way())
        expect(refused.get('code') == 'CONTENT_LOSS', f"a heal that loses images is refused ({status} {refused.get('code')})")
        self.complete('heal', {**body, 'additionalParams': {'accept_content_loss': True}})

    def operation_under_way(self):
        every = self.vnflow.call('GET', '/vnflcm/v2/vnf_lcm_op_occs')[2]
        return next(one['id'] for one in every if one['vnfInstanceId'] == self.id and one['operation'] == 'HEAL')


def read(address, path):
    """@returns what the registry answers to another machine in its network, or None"""
    answer = node('net', 'curl', '-sS', '--fail', '--max-time', '5', f'http://{address}:5000{path}', check=False)
    return json.loads(answer) if answer.strip() else None


def live(registry):
    registry.complete('instantiate', registry.request)
    server = registry.server()
    name, address = machine_of(server)
    address = address.split(',')[0]
    expect(until(lambda: read(address, '/v2/') == {}, 30, 'GET /v2/ answers'), f'GET http://{address}:5000/v2/ answers')
    digest = node('net', 'python3', '-c', PUSH, f'http://{address}:5000', 'tools/box', '1').strip()
    expect(read(address, '/v2/_catalog') == {'repositories': ['tools/box']} and read(address, '/v2/tools/box/tags/list')['tags'] == ['1'], f'an image was pushed from another machine ({digest})')
    node('kill', name)
    node('start', name)
    expect(until(lambda: read(address, '/v2/tools/box/tags/list'), 120, 'the registry answers after a power cut'), 'after a power cut the registry runs again, with its image')
    registry.heal()
    healed = registry.server()
    _, at = machine_of(healed)
    expect(healed != server and at.split(',')[0] == address, f'the heal made another server with the address {address}')
    expect(until(lambda: read(address, '/v2/') == {}, 30, 'GET /v2/ answers'), 'GET /v2/ answers after the heal')
    say('after the heal the catalogue is', read(address, '/v2/_catalog'))
    registry.terminate()
    expect(KEEP or not (cloud.stack_of(registry.stack) or {server, healed} & set(cloud.servers())), 'terminate leaves no stack and no server')
    ports = [p['id'] for p in cloud.neutron('/ports')['ports'] if p['name'].startswith(registry.stack)]
    expect(KEEP or not ports, 'terminate leaves no port')


def scenario(*versions):
    make_image()
    vnflow = Vnflow('registry')
    say('vnflow', vnflow.url, vnflow.data)
    made, good = [], False
    try:
        vnfd = vnflow.onboard(package())
        for version in versions or ('v2', 'v1'):
            say('through', version)
            made.append(Registry(vnflow, vnfd, version))
            live(made[-1])
        good = True
    finally:
        say('the scenario is over' if good else f'the scenario was cut off: {sys.exc_info()[1]!r}')
        vnflow.stop()
        if not KEEP:
            for registry in made:
                cloud.delete_stack(registry.stack)
        if good and not KEEP:
            shutil.rmtree(vnflow.data, ignore_errors=True)


def make_image():
    """The image that the VNFD names; the lab's servers do not read it"""
    env = {**os.environ, **cloud.OPENRC}
    if subprocess.run(['openstack', 'image', 'show', SW_IMAGE], env=env, capture_output=True).returncode:
        subprocess.run(['openstack', 'image', 'create', '--disk-format', 'qcow2', '--container-format', 'bare', '--file', '/etc/hostname', SW_IMAGE], env=env, check=True, stdout=subprocess.DEVNULL)


main(scenario, *sys.argv[1:])
