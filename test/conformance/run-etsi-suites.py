"""Runs ETSI's conformance suites (NFV-TST010, Robot Framework) against a vnflow that is up with the simulator.

Usage: run-etsi-suites.py CHECKOUT OUTPUT [SUITE…]
  CHECKOUT  a directory with SOL002, SOL003 and SOL005; it is copied, and nothing is downloaded
  OUTPUT    a directory for the logs of Robot Framework
  SUITE     names such as SOL003/HealVNFTask; default: all in RUNS

Environment: VNFM_URL, VNFM_TOKEN and OS_AUTH_URL, as `npx vnflow env` prints them. See docs/conformance.md.

The suites expect resources that are there. This program makes them through the API before each suite, and gives their
ids as variables. A test that needs a resource in another state than the other tests of its file runs on its own. The
request bodies of the suites are replaced, as their README asks, because they name resources.
"""

import functools
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
import zipfile

from robot.api import ExecutionResult, ResultVisitor

ROOT = pathlib.Path(__file__).parents[2]
URL = os.environ["VNFM_URL"]
LCM = "/vnflcm/v1"
PACKAGES = "/vnfpkgm/v1/vnf_packages"
SCALE = {"type": "SCALE_OUT", "aspectId": "web_scale", "numberOfSteps": 1, "additionalParams": {}}
PATIENCE_SECONDS = 300
ARTIFACT = "UserData/userdata_standard.py"


def call(method, path, body=None, content_type="application/json"):
    """The headers and the body of an answer; ends the program when it is a problem."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    headers = {"X-Auth-Token": os.environ["VNFM_TOKEN"], "Content-Type": content_type}
    request = urllib.request.Request(URL + path, data=data, method=method, headers=headers)
    for attempt in range(10):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
                return answer.headers, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code != 503 or attempt == 9:
                sys.exit(f"a precondition could not be made: {method} {path}: {error.code} {error.read()}")
            time.sleep(int(error.headers["Retry-After"]))


def wait_for(look, wanted):
    end = time.monotonic() + PATIENCE_SECONDS
    while (seen := look()) != wanted:
        if time.monotonic() > end:
            sys.exit(f"a precondition was not met: {seen} instead of {wanted}")
        time.sleep(0.5)


# Packages


@functools.cache
def archive(sample):
    """A package of samples/, as `vnflow pack` makes it."""
    file = pathlib.Path(OUTPUT) / f"{sample}.zip"
    command = ["node", ROOT / "bin/vnflow.mjs", "pack", ROOT / "samples" / sample, "-o", file]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file.read_bytes()


def one_file():
    """A package whose VNFD is one file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as zip:
        zip.writestr("vnf.yaml", VNFD.replace("VNFD_ID", str(uuid.uuid4())))
    return content.getvalue()


VNFD = """tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings: { node_type: company.provider.VNF, properties: { flavour_id: simple } }
  node_templates:
    VNF:
      type: company.provider.VNF
      properties:
        { descriptor_id: VNFD_ID, descriptor_version: '1.0', provider: Company, product_name: One file,
          software_version: '1.0', flavour_id: simple, vnfm_info: [Tacker] }
"""


def package():
    """A package that nothing was uploaded to."""
    return call("POST", PACKAGES, {})[1]["id"]


def onboarded(content):
    id = package()
    call("PUT", f"{PACKAGES}/{id}/package_content", content, "application/zip")
    return id


def named(sample):
    """The onboarded package of a sample: it can be onboarded once."""
    content = archive(sample)
    for one in call("GET", f"{PACKAGES}?all_fields&all_records=yes")[1]:
        if one["userDefinedData"].get("sample") == sample:
            return one["id"]
    id = onboarded(content)
    call("PATCH", f"{PACKAGES}/{id}", {"userDefinedData": {"sample": sample}})
    return id


def disabled():
    id = onboarded(one_file())
    call("PATCH", f"{PACKAGES}/{id}", {"operationalState": "DISABLED"})
    return id


@functools.cache
def vnfd_id():
    return call("GET", f"{PACKAGES}/{named('plain')}")[1]["vnfdId"]


# Instances and operations


def instantiate_request(network=None):
    """samples/requests/instantiate-plain.json in the shape of version 1"""
    request = json.loads((ROOT / "samples/requests/instantiate-plain.json").read_text())
    (connection,) = request["vimConnectionInfo"].values()
    connection["interfaceInfo"]["endpoint"] = os.environ["OS_AUTH_URL"]
    request["vimConnectionInfo"] = [{**connection, "id": str(uuid.uuid4()), "vimType": "openstack"}]
    for link in request["extVirtualLinks"]:
        link["resourceId"] = network or link["resourceId"]
        for cp in link["extCps"]:
            cp["cpConfig"] = list(cp["cpConfig"].values())
    return request


def create_request():
    return {"vnfdId": vnfd_id(), "vnfInstanceName": "conformance", "vnfInstanceDescription": "conformance"}


def instance():
    return call("POST", f"{LCM}/vnf_instances", create_request())[1]["id"]


def started(id, task, body, state):
    """Starts an operation and waits for a state of it."""
    op = call("POST", f"{LCM}/vnf_instances/{id}/{task}", body)[0]["Location"].rsplit("/", 1)[1]
    wait_for(lambda: call("GET", f"{LCM}/vnf_lcm_op_occs/{op}")[1]["operationState"], state)
    return op


def instantiated():
    id = instance()
    return id, started(id, "instantiate", instantiate_request(), "COMPLETED")


@functools.cache
def lasting():
    """An instance that no test changes, and its operation."""
    return instantiated()


def failed():
    """An operation in FAILED_TEMP: its network does not exist."""
    return started(instance(), "instantiate", instantiate_request(network=str(uuid.uuid4())), "FAILED_TEMP")


def busy():
    """An instance, and its operation that is under way for ten minutes."""
    id, _ = instantiated()
    body = {"terminationType": "GRACEFUL", "gracefulTerminationTimeout": 600}
    return id, started(id, "terminate", body, "PROCESSING")


@functools.cache
def more_than_a_page():
    for _ in range(101):
        instance()


# What a suite gets


def lcm_variables():
    return {
        "vnfInstanceId": lasting()[0],
        "instantiatedVnfInstanceId": lasting()[0],
        "notInstantiatedVnfInstanceId": instance(),
        "notExistingVnfInstanceId": str(uuid.uuid4()),
        "vnfLcmOpOccId": lasting()[1],
        "notExistingVnfLcmOpOccId": str(uuid.uuid4()),
        "vnfLcmOpOccIdNotStartingProcessingRollingback": lasting()[1],
        "vnfLcmOpOccIdNotFailedTemp": lasting()[1],
        "CancelMode": json.dumps({"cancelMode": "GRACEFUL"}),
        "fields": "operationParams,resourceChanges",
    }


def lcm_bodies():
    return {
        "createVnfRequest": create_request(),
        "instantiateVnfRequest": instantiate_request(),
        "scaleVnfRequest": SCALE,
        "healVnfRequest": {"cause": "conformance", "additionalParams": {}},
        "terminateVnfRequest": {"terminationType": "FORCEFUL"},
        "patchBodyRequest": {"vnfInstanceDescription": "changed"},
    }


def package_variables():
    lasting()
    return {
        "vnfPackageId": named("plain"),
        "instantiatedVnfPackageId": named("plain"),
        "disabledVnfPackageId": disabled(),
        "onboardingStateVnfPkgId": package(),
        "newVnfPackageId": package(),
        "creatingVnfPackageId": named("plain"),
        "vnfPkgViaUriId": package(),
        "creatingVnfPkgViaUriId": named("plain"),
        "vnfPkgPlainVNFD": onboarded(one_file()),
        "vnfPkgZipVNFD": named("plain"),
        "vnfPackageOctetStreamId": named("plain"),
        "artifactPath": ARTIFACT,
        "full_size": (ROOT / "samples/plain" / ARTIFACT).stat().st_size,
        "range": "bytes=0-9",
        "length": 10,
        "fields": "softwareImages,additionalArtifacts",
        "POS_FILTER": f"filter=(eq,vnfdId,{vnfd_id()})",
    }


def package_bodies():
    return {
        "NsdInfoModificationDisable": {"operationalState": "DISABLED"},
        "NsdInfoModificationEnable": {"operationalState": "ENABLED"},
        "UploadVnfPkgFromUriRequest": {"addressInformation": "http://192.0.2.1/vnf.zip"},
    }


def live(standard):
    return {"vnfInstanceId": instantiated()[0]}


def fresh(standard):
    return {"vnfInstanceId": instance()}


def failing(standard):
    return {"vnfLcmOpOccId": failed()}


def absent(standard):
    """In SOL002 such tests have no variables of their own, and in SOL003 their file first looks for the usual ones."""
    ids = {"vnfInstanceId": str(uuid.uuid4()), "vnfLcmOpOccId": str(uuid.uuid4())}
    return ids if standard == "SOL002" else {}


def many(standard):
    more_than_a_page()
    return {}


def usual(standard):
    return {}


OTHERS = (None, usual)
CONTROLS = [("*not found", absent), OTHERS]
TASKS = [("*conflict*", fresh), ("*not found", absent), OTHERS]

#: file → the tests that run together (a pattern of names; None: those that remain), and what they get
LCM_SUITES = {
    "ApiVersion": [OTHERS],
    "VNFInstances": [("*paged response", many), OTHERS],
    "IndividualVNFInstance": [
        ("patch*conflict", lambda _: {"vnfInstanceId": busy()[0]}),
        ("patch individual vnfinstance", fresh),
        ("delete individual vnfinstance", fresh),
        OTHERS,
    ],
    "InstantiateVNFTask": [("*instantiate a vnfinstance", fresh), OTHERS],
    "ScaleVNFTask": [("*scale a vnfinstance", live), *TASKS],
    "HealVNFTask": [("*heal a vnfinstance", live), *TASKS],
    "TerminateVNFTask": [("*terminate a vnfinstance", live), *TASKS],
    "VnfLcmOperationOccurences": [OTHERS],
    "IndividualVnfLcmOperationOccurence": [OTHERS],
    "CancelOperationTask": [
        ("*cancel operation task", lambda _: {"vnfLcmOpOccId": busy()[1]}),
        *CONTROLS,
    ],
    "RetryOperationTask": [("*retry operation task", failing), *CONTROLS],
    "RollbackOperationTask": [("*rollback operation task", failing), *CONTROLS],
    "FailOperationTask": [("*fail operation task", failing), *CONTROLS],
    "ScaleVNFToLevelTask": [OTHERS],
    "ChangeVNFFlavourTask": [OTHERS],
    "OperateVNFTask": [OTHERS],
    "ChangeExternalVNFConnectivityTask": [OTHERS],
    "Subscriptions": [OTHERS],
    "IndividualSubscription": [OTHERS],
}

PACKAGE_SUITES = {
    "ApiVersion": [OTHERS],
    "VNFPackages": [OTHERS],
    "IndividualVNFPackage": [OTHERS],
    "VNFDInIndividualVNFPackage": [OTHERS],
    "VNFPackageArtifacts": [OTHERS],
    "VNFPackageContent": [
        ("*range*", lambda _: {"full_size": len(archive("plain"))}),
        OTHERS,
    ],
    "VNFPackageContentViaURI": [OTHERS],
    "Subscriptions": [OTHERS],
    "IndividualSubscription": [OTHERS],
}

RUNS = {
    **{f"SOL003/{name}": ("VNFLifecycleManagement-API", groups) for name, groups in LCM_SUITES.items()},
    **{f"SOL002/{name}": ("VNFLifecycleManagement-API", groups) for name, groups in LCM_SUITES.items()},
    **{f"SOL005/{name}": ("VNFPackageManagement-API", groups) for name, groups in PACKAGE_SUITES.items()},
}


class Verdicts(ResultVisitor):
    """The verdict and the first line of the message of each test, by its name."""

    def __init__(self):
        self.of = {}

    def visit_test(self, test):
        self.of[test.name] = (test.status, (test.message.splitlines() or [""])[0])


def run(checkout, suite):
    standard, name = suite.split("/")
    api, groups = RUNS[suite]
    made = (package_variables, package_bodies) if standard == "SOL005" else (lcm_variables, lcm_bodies)
    verdicts = {}
    for number, (tests, more) in enumerate(groups):
        folder = OUTPUT / f"{standard}-{name}-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(checkout / standard / api, folder / api)
        variables, bodies = (make() for make in made)
        for file, body in bodies.items():
            (folder / api / "jsons" / f"{file}.json").write_text(json.dumps(body))
        (folder / api / "files").mkdir(exist_ok=True)
        (folder / api / "files/vnfPackage.zip").write_bytes(one_file())
        settings = {**connection(), **variables, **more(standard)}
        words = [f"--variable={key}:{value}" for key, value in settings.items()] + ([f"--test={tests}"] if tests else [])
        command = [sys.executable, "-m", "robot", f"--outputdir={folder}", "--runemptysuite", *words, f"{name}.robot"]
        with open(folder / "robot.log", "w") as log:
            subprocess.run(command, cwd=folder / api, stdout=log, stderr=log, check=False)
        seen = Verdicts()
        ExecutionResult(str(folder / "output.xml")).visit(seen)
        verdicts = {**seen.of, **verdicts}
    return verdicts


def connection():
    scheme, address = URL.split("://")
    host, port = address.split(":")
    server = {"SCHEMA": scheme, "HOST": host, "PORT": port}
    sides = {f"{side}_{key}": value for side in ("VNFM", "NFVO") for key, value in server.items()}
    return {**sides, "AUTH_USAGE": 1, "AUTHORIZATION": f"Bearer {os.environ['VNFM_TOKEN']}"}


def main(checkout, *suites):
    for suite in suites or RUNS:
        verdicts = run(pathlib.Path(checkout).resolve(), suite)
        passed = sum(verdict == "PASS" for verdict, _ in verdicts.values())
        print(f"{suite}: {passed} of {len(verdicts)}", flush=True)
        for test, (verdict, message) in verdicts.items():
            if verdict != "PASS":
                print(f"  {test}: {message[:160]}", flush=True)


if __name__ == "__main__":
    OUTPUT = pathlib.Path(sys.argv[2]).resolve()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], *sys.argv[3:])
