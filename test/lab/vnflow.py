"""vnflow of this checkout, started on the lab with a data directory of its own, and its HTTP API. Standard library only."""
import contextlib, json, os, shutil, signal, subprocess, sys, tempfile, time, urllib.error, urllib.request
from pathlib import Path
import cloud, mirror

ROOT = Path(__file__).resolve().parents[2]
NODE = next(iter(sorted(ROOT.glob('.vnflow/node/*/bin'))), None)
BASTION = {'VNFLOW_BASTION': 'ubuntu@127.0.0.1:20022', 'VNFLOW_BASTION_PASSWORD': 'ubuntu'}
KEEP = os.environ.get('LAB_KEEP')
RUNNING = ('STARTING', 'PROCESSING', 'ROLLING_BACK')


class Unexpected(Exception):
    """The system under test did not do what the scenario demands."""


def say(*words):
    print(time.strftime('%H:%M:%S'), *words, flush=True)


def expect(truth, sentence):
    """Prints the sentence when it is true. @throws Unexpected with the sentence when it is false"""
    if not truth:
        raise Unexpected(sentence)
    say('holds:', sentence)


def until(look, seconds, what, pause=1.0):
    """@returns the first answer of look() that is true @throws Unexpected when there is none within `seconds`"""
    end = time.time() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.time() > end:
            raise Unexpected(f'not within {seconds} s: {what}')
        time.sleep(pause)


def environment():
    path = f"{NODE}:{os.environ['PATH']}" if NODE else os.environ['PATH']
    keep = {k: v for k, v in os.environ.items() if not k.startswith(('TEMPORAL', 'VNFLOW', 'VNFM', 'OS_'))}
    return {**keep, **BASTION, **cloud.OPENRC, 'PATH': path}


class Vnflow:
    """`vnflow up` as a process group of its own, at low priority: the lab shares its machine."""

    def __init__(self, name):
        self.data = Path(os.environ.get('LAB_DATA') or tempfile.mkdtemp(prefix=f'lab-{name}-'))
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        self.output = open(self.data / 'up.out', 'ab')
        command = ['node', str(ROOT / 'bin/vnflow.mjs'), 'up', '--no-simulator', '--data', str(self.data), '--port', '0']
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=self.output, stderr=self.output, start_new_session=True)
        self.record = until(self._ready, 400, f'vnflow is up (see {self.data}/up.out)')
        self.url = self.record['apiUrl']

    def _ready(self):
        if self.process.poll() is not None:
            raise Unexpected(f'vnflow ended with {self.process.returncode}: {self.data}/up.out')
        with contextlib.suppress(OSError, ValueError, KeyError):
            record = json.loads((self.data / 'up.json').read_text())
            urllib.request.urlopen(record['apiUrl'] + '/vnflow/v1/health', timeout=5).close()
            return record

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                say('vnflow did not stop within 60 s: killed')

    def call(self, method, path, body=None, raw=None, kind='application/json'):
        """@returns status, headers, body"""
        headers = {'Content-Type': kind, **({'Version': '2.0.0'} if '/vnflcm/v2' in path else {})}
        return cloud.http(method, path if path.startswith('http') else self.url + path, body, {'X-Auth-Token': cloud.token(), **headers}, raw)

    def temporal(self, *arguments):
        """The `temporal` command against this vnflow's server. @returns its output"""
        binary = next(iter(ROOT.glob('.vnflow/temporal/temporal-*')))
        command = [str(binary), *arguments, '--address', self.record['temporal']['address']]
        done = subprocess.run(command, text=True, capture_output=True, env=environment())
        expect(done.returncode == 0, f"temporal {' '.join(arguments)} {done.stderr.strip()}")
        return done.stdout

    def cli(self, *arguments):
        """`vnflow ARGUMENTS --data …`, as an operator runs it. @returns exit code, output"""
        env = {k: v for k, v in environment().items() if not k.startswith('OS_')} | {'VNFM_URL': self.url, 'VNFM_TOKEN': cloud.token()}
        done = subprocess.run(['node', str(ROOT / 'bin/vnflow.mjs'), *arguments, '--data', str(self.data)], cwd=ROOT, env=env, text=True, capture_output=True)
        return done.returncode, done.stdout + done.stderr

    def onboard(self, archive):
        """@returns the vnfdId"""
        package = self.call('POST', '/vnfpkgm/v1/vnf_packages', {})[2]['id']
        path = f'/vnfpkgm/v1/vnf_packages/{package}'
        status, _, answer = self.call('PUT', path + '/package_content', raw=Path(archive).read_bytes(), kind='application/zip')
        expect(status == 202, f'the package is uploaded ({status} {answer or ""})')
        until(lambda: self.call('GET', path)[2]['onboardingState'] == 'ONBOARDED', 60, 'the package is onboarded')
        return self.call('GET', path)[2]['vnfdId']


class Instance:
    """One VNF instance and its operations."""

    def __init__(self, vnflow, archive, flavour, level=None):
        self.vnflow, self.flavour = vnflow, flavour
        kept = vnflow.data / 'lab-instance'
        if not kept.exists():
            kept.write_text(vnflow.call('POST', '/vnflcm/v2/vnf_instances', {'vnfdId': vnflow.onboard(archive())})[2]['id'])
        self.id = kept.read_text()
        self.path, self.stack = f'/vnflcm/v2/vnf_instances/{self.id}', f'vnf-{self.id}'
        self.request = request_of(flavour, level)
        self.parameters = self.request['additionalParams']

    def begin(self, task, body):
        """@returns the operation's id @throws Unexpected unless 202"""
        status, head, answer = self.vnflow.call('POST', f'{self.path}/{task}', body)
        if status != 202:
            raise Unexpected(f'{task}: {status} {answer}')
        say(task, 'is', head['Location'].rsplit('/', 1)[1])
        return head['Location'].rsplit('/', 1)[1]

    def operation(self, op):
        return self.vnflow.call('GET', f'/vnflcm/v2/vnf_lcm_op_occs/{op}')[2]

    def settle(self, op, seconds=1800):
        """Waits until the operation does not run any more. @returns it (COMPLETED, FAILED_TEMP, …)"""
        began = time.time()

        def rests():
            found = self.operation(op)
            if 'operationState' not in found:  # a problem: Keystone or the store is busy
                return say(found)
            return found['operationState'] not in RUNNING and found

        found = until(rests, seconds, f'operation {op} rests; {self.doing(op)}', 2)
        say(found['operation'], found['operationState'], f'after {time.time() - began:.0f} s', json.dumps(found.get('error', '')))
        return found

    def complete(self, task, body, seconds=1800):
        self.settle_complete(self.begin(task, body), seconds)

    def settle_complete(self, op, seconds=1800):
        """@throws Unexpected unless the operation ends COMPLETED by itself, or after the retries that LAB_RETRIES allows. Retries are for machines that are too busy for their cloud"""
        found = self.settle(op, seconds)
        for _ in range(int(os.environ.get('LAB_RETRIES', '0'))):
            if found['operationState'] == 'FAILED_TEMP':
                self.control(op, 'retry')
                found = self.settle(op, seconds)
        expect(found['operationState'] == 'COMPLETED', f"{found['operation']} is COMPLETED (it is {found['operationState']})")

    def instantiate(self):
        """Does nothing when an earlier scenario has left an instance (LAB_KEEP, LAB_DATA)."""
        if not self.instantiated():
            return self.complete('instantiate', self.request)
        for left in self.vnflow.call('GET', '/vnflcm/v2/vnf_lcm_op_occs')[2]:
            if left['operationState'] == 'FAILED_TEMP':
                self.control(left['id'], 'fail')

    def instantiated(self):
        return self.vnflow.call('GET', self.path)[2]['instantiationState'] == 'INSTANTIATED'

    def heal_body(self, vnfcs, **parameters):
        return {'vnfcInstanceId': [self.vnfc(slot) for slot in vnfcs], 'additionalParams': {**self.parameters, **parameters}}

    def scale_body(self, kind, steps):
        return {'type': kind, 'aspectId': 'workerNode_scale', 'numberOfSteps': steps, 'additionalParams': self.parameters}

    def control(self, op, what):
        """Runs `vnflow ops WHAT OP`, for example retry"""
        for _ in range(5):
            code, output = self.vnflow.cli('ops', what, op)
            if code == 0 or 'does not answer' not in output:
                break
        expect(code == 0, f'{what} is accepted ({output.strip()})')

    def steps(self, op):
        return self.vnflow.call('GET', f'/vnflow/v1/vnf_lcm_op_occs/{op}/timeline')[2]['steps']

    def step(self, op, step_id):
        return next((one for one in self.steps(op) if one['id'] == step_id), None)

    def pause(self, op, step_id):
        until(lambda: self.vnflow.call('POST', f'/vnflow/v1/vnf_lcm_op_occs/{op}/steps/{step_id}/pause')[0] == 200, 600, f'{step_id} is paused', 0.5)

    def resume(self, op, step_id):
        until(lambda: self.vnflow.call('POST', f'/vnflow/v1/vnf_lcm_op_occs/{op}/steps/{step_id}/resume')[0] == 200, 60, f'{step_id} is resumed', 0.5)

    def doing(self, op):
        try:
            return ', '.join(f"{s['id']} {s['state']} {s.get('logTail', '')[-120:]}" for s in self.steps(op) if s['state'] in ('RUNNING', 'FAILED'))
        except Exception as problem:  # only for a message
            return str(problem)

    def info(self):
        return self.vnflow.call('GET', self.path)[2]['instantiatedVnfInfo']

    def servers(self):
        """@returns slot, for example masterNode-1 -> {vnfc, server}"""
        info = self.info()
        resources = {r['id']: r for r in info['vnfcResourceInfo']}
        found = {}
        for vnfc in info['vnfcInfo']:
            resource = resources[vnfc['vnfcResourceInfoId']]
            index = resource.get('metadata', {}).get('vdu_idx', 0)
            found[f"{vnfc['vduId']}-{index}"] = {'vnfc': vnfc['id'], 'server': resource['computeResource']['resourceId']}
        return found

    def vnfc(self, slot):
        return self.servers()[slot]['vnfc']

    def terminate(self):
        if KEEP:
            return say(f'kept: LAB_DATA={self.vnflow.data}')
        self.complete('terminate', {'terminationType': 'FORCEFUL'}, 300)


def request_of(flavour, level):
    body = json.loads((ROOT / f'samples/requests/instantiate-{flavour}.json').read_text())
    env = cloud.OPENRC
    for vim in body['vimConnectionInfo'].values():
        vim['interfaceInfo']['endpoint'] = env['OS_AUTH_URL']
        vim['accessInfo'].update(username=env['OS_USERNAME'], password=env['OS_PASSWORD'], project=env['OS_PROJECT_NAME'])
    for link in body['extVirtualLinks']:
        link['resourceId'] = cloud.network('net0')
    for_the_mirror(body)
    return {**body, **({'instantiationLevelId': level} if level else {})}


def for_the_mirror(body):
    """Adds the install parameters of the offline mirror to a request for a cluster. The package stays as it is."""
    parameters = body['additionalParams'].get('k8s_cluster_installation_param')
    if parameters:
        parameters['install_parameters'] = mirror.install_parameters()


def archive(name, edits=(), sample='kubernetes-cluster'):
    """Packs a sample package. edits: (file, old, new), each must be found. @returns the zip"""
    folder = Path(tempfile.mkdtemp(prefix=f'lab-package-{name}-'))
    shutil.copytree(ROOT / 'samples' / sample, folder / 'pkg')
    for file, old, new in edits:
        text = (folder / 'pkg' / file).read_text()
        if old not in text:
            raise Unexpected(f'{file} has no {old!r}')
        (folder / 'pkg' / file).write_text(text.replace(old, new))
    zipped = folder / 'package.zip'
    subprocess.run(['node', str(ROOT / 'bin/vnflow.mjs'), 'pack', str(folder / 'pkg'), '-o', str(zipped)], cwd=ROOT, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return zipped


@contextlib.contextmanager
def running(name, flavour, level=None, edits=()):
    """Starts vnflow with an instance that is not instantiated yet. At the end it deletes the stack and stops vnflow. The data directory stays after a failure."""
    vnflow = Vnflow(name)
    say('vnflow', vnflow.url, vnflow.data)
    instance = Instance(vnflow, lambda: archive(name, edits), flavour, level)
    good = False
    try:
        yield instance
        good = True
    finally:
        say('the scenario is over' if good else f'the scenario was cut off: {sys.exc_info()[1]!r}')
        vnflow.stop()
        if not KEEP:
            cloud.delete_stack(instance.stack)
        if good and not KEEP:
            shutil.rmtree(vnflow.data, ignore_errors=True)


def main(scenario, *arguments):
    """Runs a scenario; the last line is PASSED or FAILED with the reason."""
    signal.signal(signal.SIGTERM, lambda *_: exit('ended by SIGTERM'))  # what was started is stopped
    began = time.time()
    try:
        scenario(*arguments)
    except Unexpected as problem:
        say(f'FAILED after {time.time() - began:.0f} s: {problem}')
        raise SystemExit(1) from None
    say(f'PASSED after {time.time() - began:.0f} s')
