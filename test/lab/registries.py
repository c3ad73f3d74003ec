"""Registry VNFs in the lab: the package, an instance, and a client on another machine. Standard library only.

Docker and the program of the registry are Debian's; the registry's image is made of the latter and lies in the package, because the lab has no docker.io."""
import json, os, shutil, subprocess, tempfile
from pathlib import Path
import cloud
from machines import NODE_SH, STATE, machine_of
from vnflow import ROOT, Instance, Unexpected, environment, expect, request_of

IMAGE = 'Files/images/registry.tar'
SW_IMAGE = 'ubuntu-22.04-server-cloudimg-amd64'
PARAMETERS = 'private_registry_installation_param'
CONFIG = "version: 0.1\nstorage: {filesystem: {rootdirectory: /var/lib/registry}, delete: {enabled: true}}\nhttp: {addr: ':5000'}\n"


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


def make_image():
    """The image that the VNFD names; the lab's servers do not read it"""
    env = {**os.environ, **cloud.OPENRC}
    if subprocess.run(['openstack', 'image', 'show', SW_IMAGE], env=env, capture_output=True).returncode:
        subprocess.run(['openstack', 'image', 'create', '--disk-format', 'qcow2', '--container-format', 'bare', '--file', '/etc/hostname', SW_IMAGE], env=env, check=True, stdout=subprocess.DEVNULL)


class Registry(Instance):
    """An instance of the sample that is operated through this version of the API, and seen through version 2. parameters: more of the installation."""

    def __init__(self, vnflow, vnfd, version, **parameters):
        self.vnflow, self.version = vnflow, version
        collection = f'/vnflcm/{version}/vnf_instances'
        status, _, made = vnflow.call('POST', collection, {'vnfdId': vnfd})
        expect(status == 201, f'an instance is created through {version} ({status})')
        self.id = made['id']
        self.path, self.stack = f'{collection}/{self.id}', f'vnf-{self.id}'
        self.request = request_of('private-registry', None) if version == 'v2' else self.guide_request()
        self.request['additionalParams'][PARAMETERS].update(image_path=IMAGE, **parameters)

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

    def address(self):
        return machine_of(self.server())[1]

    def heal_body(self, **parameters):
        more = {'additionalParams': parameters} if parameters else {}
        if self.version == 'v1':
            return {'vnfcInstanceId': [self.vnflow.call('GET', self.path)[2]['instantiatedVnfInfo']['vnfcResourceInfo'][0]['id']], **more}
        return {'vnfcInstanceId': [self.info()['vnfcInfo'][0]['id']], **more}


class Client:
    """A client of the registry on another machine of its network."""

    def __init__(self, base, ca=None, login=None):
        self.base = base
        self.env = {**({'LAB_CA': str(ca)} if ca else {}), **({'LAB_LOGIN': login} if login else {})}

    def run(self, what, *words, env=None):
        command = [NODE_SH, 'net', 'python3', str(Path(__file__).with_name('registry_client.py')), what, self.base, *words]
        return subprocess.run(command, text=True, capture_output=True, env={**os.environ, **(self.env if env is None else env)})

    def push(self, repository, *tags):
        """@returns {'REPOSITORY:TAG': digest}"""
        done = self.run('push', repository, *tags)
        if done.returncode:
            raise Unexpected(f'push to {self.base}: {done.stderr[-400:]}')
        return json.loads(done.stdout)

    def show(self):
        """@returns {'REPOSITORY:TAG': digest} of all that is there, or None while it does not answer"""
        done = self.run('show')
        return None if done.returncode else json.loads(done.stdout)

    def refusal(self, **env):
        """@returns the error of a client with another environment"""
        return self.run('show', env=env).stderr
