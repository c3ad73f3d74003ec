"""Runs one piece of code of a VNF package, for vnflow. docs/package-code.md describes it.

The task is JSON on standard input, the result is JSON on file descriptor 3. What the code prints goes to the pipes that
vnflow reads for people. This program runs with the rights of the package's code, so vnflow trusts nothing that it says.
"""
import importlib
import importlib.util
import inspect
import io
import json
import os
import pickle
import subprocess
import sys
import traceback

RESULT_DESCRIPTOR = 3
MOST_OUTPUT_BYTES = 4 * 1024 * 1024


def run_user_data(task):
    """Calls the class that the request names. Returns what it returned; None when it has no such method."""
    user_data = getattr(load_module(task), task['class'])
    if speaks_version_1(user_data):
        return run_version_1(user_data, task)
    method = getattr(user_data, task['method'], None)
    if method is None:
        raise AttributeError('The class {} has no method {}.'.format(task['class'], task['method']))
    given = task['version2']
    result = method(given['request'], given['instance'], given['grantRequest'], given['grant'], task['packageDir'])
    return {'contract': 2, 'result': result}


def load_module(task):
    path = os.path.normpath(task['file'])
    parts = os.path.splitext(path)[0].split(os.sep)
    if all(part.isidentifier() for part in parts):
        return importlib.import_module('.'.join(parts))
    spec = importlib.util.spec_from_file_location('package_user_data', os.path.join(task['packageDir'], path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def speaks_version_1(user_data):
    """Decides by the base class, or else by the number of parameters of instantiate (4 or 5)."""
    from tacker.sol_refactored.infra_drivers.openstack import userdata_utils
    from tacker.vnfm.lcm_user_data import abstract_user_data
    if issubclass(user_data, abstract_user_data.AbstractUserData):
        return True
    if issubclass(user_data, userdata_utils.AbstractUserData):
        return False
    return len(inspect.signature(user_data.instantiate).parameters) < 5


def run_version_1(user_data, task):
    method = getattr(user_data, task['method'], None)
    if method is None:
        return {'contract': 1, 'result': None}
    from tacker.vnfm.lcm_user_data import version1_objects as objects
    given = task['version1']
    request = objects.from_json(given['request'])
    if task['method'] == 'instantiate':
        images = {
            node: [objects.VnfResource(image)] for node, image in given['images'].items()
        }
        result = method(given['baseHot'], given['vnfd'], request, images)
    else:
        concerned = given['number'] if task['method'] == 'scale' else objects.from_json(given['vnfcs'])
        instance = objects.from_json(given['instance'])
        information = instance.instantiated_vnf_info
        result = method(
            given['baseHot'], given['vnfd'], request, instance, information, given['parameters'], concerned)
    return {'contract': 1, 'result': result}


class PlainUnpickler(pickle.Unpickler):
    """Reads a pickle of dictionaries, lists, texts and numbers. It makes no object of any class."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError('an object of {}.{} is not taken'.format(module, name))


def run_hook(task):
    """Runs a script of an LCM hook as Tacker does: a pickled dictionary on standard input, one on standard output."""
    script = os.path.join(task['packageDir'], os.path.normpath(task['file']))
    given = {**task['input'], 'tmp_csar_dir': task['packageDir']}
    with subprocess.Popen(
            [sys.executable, '-B', script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=task['packageDir'],
            env={**os.environ, 'PYTHONPATH': os.pathsep.join([os.path.dirname(os.path.abspath(__file__))])}) as child:
        try:
            child.stdin.write(pickle.dumps(given))
            child.stdin.close()
        except BrokenPipeError:
            pass  # a script need not read what it gets
        output = child.stdout.read(MOST_OUTPUT_BYTES + 1)
        if len(output) > MOST_OUTPUT_BYTES:
            child.kill()
            raise ValueError('The script printed more than {} bytes.'.format(MOST_OUTPUT_BYTES))
    return {'exitCode': child.returncode, 'output': unpickled(output)}


def unpickled(output):
    """What a script prints besides a pickle is for people. Tacker passes over it, too."""
    if not output:
        return None
    try:
        result = PlainUnpickler(io.BytesIO(output)).load()
        json.dumps(result)
        return result
    except Exception:
        sys.stderr.write(output.decode('utf-8', 'replace'))
        return None


KINDS = {'userData': run_user_data, 'hook': run_hook}


def main():
    task = json.load(sys.stdin)
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), task['packageDir']]
    os.chdir(task['packageDir'])
    with os.fdopen(RESULT_DESCRIPTOR, 'w', encoding='utf-8') as result:
        json.dump(KINDS[task['what']](task), result)


if __name__ == '__main__':
    exit_code = 0
    try:
        main()
    except BaseException:
        traceback.print_exc()
        exit_code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(exit_code)  # threads of the code do not keep the process
