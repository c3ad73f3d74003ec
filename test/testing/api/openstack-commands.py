"""Runs commands of the openstack client in one process: starting it anew for each would take seconds.

Standard input: JSON, a list of lists of arguments. Standard output: JSON, a list of {"status", "out", "err"}.
"""
import contextlib
import io
import json
import logging
import sys

from openstackclient import shell


def run(arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = shell.OpenStackShell().run(arguments)
        except SystemExit as ended:
            status = ended.code
    logging.getLogger("").handlers.clear()
    return {"status": status or 0, "out": out.getvalue(), "err": err.getvalue()}


answers = [run(arguments) for arguments in json.load(sys.stdin)]
json.dump(answers, sys.stdout)
