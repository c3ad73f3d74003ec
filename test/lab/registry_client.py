"""A client of a registry, run where the network of the machines is: registry_client.py push BASE REPOSITORY TAG …; registry_client.py show BASE.

push makes an image of two layers for each tag, of which one is the same in all, and prints the digest of each as JSON. show prints {"REPOSITORY:TAG": digest}, and
fetches each manifest and each blob, whose bytes must be those of their digests. LAB_CA: file of the CA, LAB_LOGIN: user:password. Standard library only."""
import base64, hashlib, json, os, ssl, sys, urllib.request

KIND = 'application/vnd.docker.distribution.manifest.v2+json'
LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip'
base = sys.argv[2]
trust = ssl.create_default_context(cafile=os.environ['LAB_CA']) if os.environ.get('LAB_CA') else None


def call(method, path, data=None, kind='application/octet-stream'):
    headers = {'Content-Type': kind, 'Accept': f'{KIND}, application/json'}
    if os.environ.get('LAB_LOGIN'):
        headers['Authorization'] = 'Basic ' + base64.b64encode(os.environ['LAB_LOGIN'].encode()).decode()
    url = path if path.startswith('http') else base + path
    return urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=20, context=trust)


def digest_of(data):
    return 'sha256:' + hashlib.sha256(data).hexdigest()


def upload(name, data):
    at = call('POST', f'/v2/{name}/blobs/uploads/', b'').headers['Location']
    call('PUT', at + ('&' if '?' in at else '?') + 'digest=' + digest_of(data), data)
    return {'size': len(data), 'digest': digest_of(data)}


def push(name, tag):
    config = upload(name, b'{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[]}}')
    layers = [{'mediaType': LAYER, **upload(name, data)} for data in (b'the layer that all share' * 40000, b'the layer of ' + tag.encode())]
    body = {'schemaVersion': 2, 'mediaType': KIND, 'config': {'mediaType': 'application/vnd.docker.container.image.v1+json', **config}, 'layers': layers}
    manifest = json.dumps(body).encode()
    call('PUT', f'/v2/{name}/manifests/{tag}', manifest, KIND)
    return digest_of(manifest)


def fetch(path, digest=None):
    """@returns the bytes, which are those of the digest"""
    answer = call('GET', path)
    data, wanted = answer.read(), digest or answer.headers['Docker-Content-Digest']
    if digest_of(data) != wanted:
        sys.exit(f'{path} is not {wanted}')
    return data


def show():
    found = {}
    for name in json.load(call('GET', '/v2/_catalog'))['repositories']:
        for tag in json.load(call('GET', f'/v2/{name}/tags/list'))['tags'] or ():
            manifest = fetch(f'/v2/{name}/manifests/{tag}')
            body = json.loads(manifest)
            for blob in (body['config'], *body['layers']):
                fetch(f"/v2/{name}/blobs/{blob['digest']}", blob['digest'])
            found[f'{name}:{tag}'] = digest_of(manifest)
    return found


print(json.dumps({f'{sys.argv[3]}:{tag}': push(sys.argv[3], tag) for tag in sys.argv[4:]} if sys.argv[1] == 'push' else show()))
