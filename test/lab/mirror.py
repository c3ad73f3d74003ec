"""The install parameters for the lab's offline mirror: versions that it has, the key of its packages, checksums of its files. Standard library only."""
import os, subprocess
from functools import cache
from pathlib import Path
import cloud

STATE = Path(os.environ.get('VNF_RIG_STATE', '/var/lib/vnf-rig'))
VERSIONS = {'KUBERNETES_VERSION': '1.26.8', 'CONTAINERD_VERSION': '1.7.11', 'RUNC_VERSION': '1.1.10', 'CILIUM_CLI_VERSION': '0.15.23', 'CILIUM_VERSION': '1.14.5'}
SUMS = {'CONTAINERD_SHA256': 'containerd/containerd/releases/download/v1.7.11/containerd-1.7.11-linux-amd64.tar.gz.sha256sum',
        'RUNC_SHA256': 'opencontainers/runc/releases/download/v1.1.10/runc.sha256sum',
        'CILIUM_CLI_SHA256': 'cilium/cilium-cli/releases/download/v0.15.23/cilium-linux-amd64.tar.gz.sha256sum'}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def fingerprint():
    lines = output('gpg', '--homedir', str(STATE / 'mirror/gnupg'), '--list-keys', '--with-colons').splitlines()
    return next(line.split(':')[9] for line in lines if line.startswith('fpr:'))


def sha256(path):
    """Asks the mirror, which only the nodes' network reaches."""
    return output(str(cloud.LAB / 'nodes/node.sh'), 'net', 'curl', '-fsS', f'http://10.10.0.1/{path}').split()[0]


@cache
def install_parameters():
    return {**VERSIONS, 'KUBERNETES_APT_FINGERPRINT': fingerprint(), **{name: sha256(path) for name, path in SUMS.items()}}
