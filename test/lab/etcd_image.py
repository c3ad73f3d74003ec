"""The image of etcd for the lab's nodes: kubeadm's stand-in pulls names only, and a restore runs etcdctl from the image. Standard library only."""
import shutil, subprocess, tempfile
from pathlib import Path
import cloud
from machines import STATE

INSTALL = 'Scripts/install_k8s_cluster.sh'
BEFORE_IT_RUNS = '  ctr --namespace k8s.io run --rm --mount "type=bind,src=$WORK/backup'
# the mirror serves every file of this folder below this path
FOLDER = STATE / 'mirror/k8s/v1.26'
URL = 'http://pkgs.k8s.io/core:/stable:/v1.26/deb/lab-etcd.tar'
BRING = (f'  ctr --namespace k8s.io images list -q | grep -qxF "$image" || curl -fsS {URL} | ctr --namespace k8s.io images import - > /dev/null ||\n'
         '    try_later "the lab\'s mirror has no image of etcd"\n')
# an edit of vnflow.archive(): the install script fetches the image where kubeadm would have pulled it
EDITS = ((INSTALL, BEFORE_IT_RUNS, BRING + BEFORE_IT_RUNS),)


def serve_etcd_image():
    """Makes the image of etcdctl and the libraries that it needs, where the mirror serves it"""
    program = next(one for one in (STATE / 'shim/bin/etcdctl.real', STATE / 'shim/bin/etcdctl') if one.exists())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in ('usr/local/bin', 'tmp', 'proc', 'etc'):
            (root / path).mkdir(parents=True)
        shutil.copy(program, root / 'usr/local/bin/etcdctl')
        linked = subprocess.run(['ldd', str(program)], text=True, capture_output=True).stdout.split()
        for library in (word for word in linked if word.startswith('/')):
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
        command = [str(cloud.LAB / 'nodes/mkimage.sh'), str(FOLDER / 'lab-etcd.tar'), 'registry.k8s.io/etcd:3.5.6-0', str(root), '/usr/local/bin/etcdctl']
        subprocess.run(command, check=True)
