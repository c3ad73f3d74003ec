#!/usr/bin/env python3
"""`npm run test:real` in the lab: real_life.py [simple|complex]. LAB_RETRIES as for the others."""
import json, os, subprocess, sys
import etcd_image, mirror
from vnflow import ROOT, Unexpected, archive, environment, main


def scenario(*flavours):
    etcd_image.serve_etcd_image()
    folder = archive('real', etcd_image.EDITS).parent / 'pkg'
    env = {**environment(), 'VNFLOW_TEST_PACKAGE': str(folder), 'VNFLOW_TEST_INSTALL_PARAMETERS': json.dumps(mirror.install_parameters()),
           'VNFLOW_TEST_RETRIES': os.environ.get('LAB_RETRIES', '0')}
    if subprocess.run(['npm', 'run', '--silent', 'test:real', '--', *flavours], cwd=ROOT, env=env).returncode:
        raise Unexpected('test:real: see .vnflow/real-report.md')


main(scenario, *sys.argv[1:])
