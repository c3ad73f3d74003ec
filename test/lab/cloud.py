"""A client of the lab's OpenStack as its user nfv_user. Standard library only."""
import json, os, re, signal, subprocess, time, urllib.error, urllib.parse, urllib.request
from pathlib import Path

# where the lab's scripts are (see README.md)
LAB = Path(os.environ.get('LAB', Path(__file__).resolve().parents[3] / 'shared/lab'))
RIG = Path(os.environ.get('RIG_STATE', '/tmp/os-rig'))
OPENRC = dict(re.findall(r'(OS_\w+)=(\S+)', (RIG / 'openrc').read_text()))
_login = {'until': 0.0, 'token': '', 'urls': {}}


def http(method, url, body=None, headers=None, raw=None):
    """@returns status, headers, body (parsed when it is JSON)"""
    data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {'Content-Type': 'application/json', 'Accept': 'application/json', **(headers or {})}, method=method)
    for attempts in range(5 if method == 'GET' else 1, 0, -1):  # a busy machine lets a connection wait
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read()
                return answer.status, answer.headers, json.loads(text) if text else None
        except urllib.error.HTTPError as problem:
            return problem.code, problem.headers, json_or_text(problem.read().decode())
        except OSError:
            if attempts == 1:
                raise
            time.sleep(3)


def json_or_text(text):
    try:
        return json.loads(text)
    except ValueError:
        return text[:1500]


def token():
    if time.time() > _login['until']:
        user = {'name': OPENRC['OS_USERNAME'], 'password': OPENRC['OS_PASSWORD'], 'domain': {'name': 'Default'}}
        scope = {'project': {'name': OPENRC['OS_PROJECT_NAME'], 'domain': {'name': 'Default'}}}
        auth = {'auth': {'identity': {'methods': ['password'], 'password': {'user': user}}, 'scope': scope}}
        _, head, body = http('POST', OPENRC['OS_AUTH_URL'] + '/auth/tokens', auth)
        urls = {s['type']: next(e['url'] for e in s['endpoints'] if e['interface'] == 'public').rstrip('/') for s in body['token']['catalog'] if s['endpoints']}
        _login.update(until=time.time() + 1800, token=head['X-Subject-Token'], urls=urls)
    return _login['token']


def ask(service, path, method='GET', body=None):
    """@returns the body of the answer"""
    secret = token()
    return http(method, _login['urls'][service] + path, body, {'X-Auth-Token': secret})[2]


def neutron(path):
    return ask('network', ('' if _login['urls'].get('network', '').endswith('v2.0') else '/v2.0') + path)


def network(name):
    token()
    return neutron(f'/networks?name={name}')['networks'][0]['id']


def servers():
    """@returns id -> server, of all projects"""
    return {s['id']: s for s in ask('compute', '/servers/detail?all_tenants=1')['servers']}


def virtual_ip(stack):
    """@returns the address of the port vip_CP of a stack, or None"""
    token()
    ports = [p for p in neutron('/ports')['ports'] if p['name'].startswith(f'{stack}-vip_CP-')]
    return ports[0]['fixed_ips'][0]['ip_address'] if ports else 'none'


def stack_of(name):
    """@returns the stack by its name, or None"""
    found = ask('orchestration', '/stacks?' + urllib.parse.urlencode({'name': name}))
    return next(iter(found.get('stacks', [])), None)


def delete_stack(name, seconds=180):
    stack = stack_of(name)
    end = time.time() + seconds
    if stack:
        ask('orchestration', f"/stacks/{name}/{stack['id']}", 'DELETE')
    while stack and time.time() < end:
        time.sleep(2)
        stack = stack_of(name)


def kill_heat_engine():
    """Kills (-9) the engine and its workers. lab/openstack/lib.sh started them as a process group of their own"""
    os.killpg(int((RIG / 'run/heat-engine.pid').read_text().split()[0]), signal.SIGKILL)


def start_what_died():
    """Starts the engine as the lab does: up.sh starts what does not run"""
    subprocess.run([str(LAB / 'openstack/up.sh')], check=True, stdout=subprocess.DEVNULL)
