import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { VnflowError } from '../../domain/problems.ts';
import { checkOwnUser, findIsolation, type Isolation } from './isolation.ts';
import { runPackageCode } from './run-package-code.ts';

const machine = await findIsolation().catch(() => undefined);
const isRoot = process.getuid?.() === 0;

/** Every way of isolation that this machine allows: what is missing elsewhere must not leave anything behind here. */
const WAYS: readonly (readonly [string, Isolation])[] = machine
  ? [
      ['all that the machine allows', machine],
      ['without namespaces', { ...machine, namespaces: false, unshare: { before: [], after: [] } }],
      ['as the user of vnflow, without namespaces', { ...withoutRoot(machine) }],
    ]
  : [];

function withoutRoot(isolation: Isolation): Isolation {
  return { ...isolation, ownUser: false, namespaces: false, unshare: { before: [], after: [] } };
}

const VERSION_2 = `
from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils

class Mine(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
`;

interface Asked {
  readonly isolation?: Isolation;
  readonly seconds?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly flavours?: unknown;
  readonly task?: Readonly<Record<string, unknown>>;
}

/** Runs a body of `instantiate`. */
const run = (body: string, asked: Asked = {}) => {
  const script = `${VERSION_2}${body.replace(/^/gm, '        ')}\n`;
  const files = Object.entries({ 'UserData/mine.py': script, ...asked.files });
  return runPackageCode(
    {
      what: 'userData',
      file: './UserData/mine.py',
      class: 'Mine',
      method: 'instantiate',
      version2: { request: { flavourId: 'simple' }, instance: { vnfdId: 'v' }, grantRequest: {}, grant: {} },
      ...asked.task,
    },
    {
      package: {
        files: new Map(files.map(([name, text]) => [name, Buffer.from(text)])),
        flavours: asked.flavours ?? {},
      },
      timeLimitSeconds: asked.seconds ?? 20,
      ...(asked.isolation ? { isolation: asked.isolation } : {}),
    },
  );
};

const failureOf = async (running: Promise<unknown>): Promise<VnflowError> => {
  const error = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof VnflowError) return error;
  throw new Error(`not refused: ${String(error)}`);
};

/** Working copies of this process: other tests run beside this one. */
const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`vnflow-package-code-${process.pid}-`));
/** Processes whose command line has a text. */
const processesWith = (text: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });

describe.skipIf(machine === undefined)('code of a package', () => {
  afterEach(() => expect(copies()).toEqual([]));

  it('gets the request and answers with the content of the stack', async () => {
    const { answer, said } = await run('print("hello")\nreturn {"parameters": {"of": req["flavourId"]}}');
    expect(answer).toEqual({ contract: 2, result: { parameters: { of: 'simple' } } });
    expect(said).toBe('hello');
  });

  it('reads VNFD and templates as vnflow has read them, without PyYAML', async () => {
    const flavours = {
      simple: { vnfd: { topology_template: { node_templates: {} } }, baseHot: { template: { a: 1 } } },
    };
    const { answer } = await run(
      'return common_script_utils.get_vnfd(inst["vnfdId"], tmp_csar_dir).get_base_hot("simple")',
      { flavours },
    );
    expect(answer).toMatchObject({ result: { template: { a: 1 } } });
  });

  it('sees no environment variable of vnflow', async () => {
    process.env['VNFLOW_MASTER_KEY_OF_TEST'] = 'canary';
    try {
      const { answer } = await run('import os\nreturn {"names": sorted(os.environ)}');
      expect(answer).toEqual({
        contract: 2,
        result: {
          names: ['HOME', 'LANG', 'LC_CTYPE', 'PATH', 'TMPDIR', 'VNFLOW_PACKAGE_CODE_RUN'].filter(isSet(answer)),
        },
      });
      expect(JSON.stringify(answer)).not.toContain('canary');
    } finally {
      delete process.env['VNFLOW_MASTER_KEY_OF_TEST'];
    }
  });

  it.skipIf(!isRoot)('runs as a user of its own, who can read no file of root', async () => {
    const { answer } = await run(
      'import os\ntry:\n    open("/etc/shadow").read()\n    read = True\nexcept OSError:\n    read = False\nreturn {"user": os.getuid(), "read": read}',
    );
    expect(answer).toMatchObject({ result: { read: false } });
    expect((answer as { result: { user: number } }).result.user).toBeGreaterThan(60000);
  });

  it.skipIf(!machine?.namespaces)('reaches no network', async () => {
    const { answer } = await run('import socket\nreturn {"interfaces": [name for _, name in socket.if_nameindex()]}');
    expect(answer).toMatchObject({ result: { interfaces: ['lo'] } });
    const failure = await failureOf(
      run('import urllib.request\nurllib.request.urlopen("http://192.0.2.1/", timeout=5)'),
    );
    expect(failure.seen).toMatch(/unreachable/i);
  });

  it.each(WAYS)('that loops is ended at the time limit, with what it said: %s', async (_, isolation) => {
    const failure = await failureOf(
      run('import sys\nprint("so far", flush=True)\nwhile True: pass', { isolation, seconds: 2 }),
    );
    expect(failure).toMatchObject({ code: 'PACKAGE_CODE_FAILED', seen: expect.stringContaining('so far') });
    expect(failure.message).toMatch(/mine\.py of the VNF package failed: it (ran longer than 2 s|was ended by SIG)/);
  });

  it.each(WAYS)('leaves no process behind that it detached: %s', async (_, isolation) => {
    const name = `escaped-${Math.random()}`;
    await run(
      `import subprocess\nfor _ in range(3):\n    subprocess.Popen(["sh", "-c", "exec -a ${name} sleep 60 || (sleep 60; : ${name})"], start_new_session=True)\nreturn {}`,
      { isolation },
    );
    expect(processesWith(name)).toEqual([]);
  });

  it.skipIf(!isRoot)('that forks without end is stopped at the limit of processes', async () => {
    const failure = await failureOf(run('import os\nwhile True: os.fork()', { seconds: 5 }));
    expect(failure.code).toBe('PACKAGE_CODE_FAILED');
    expect(execFileSync('ps', ['-eo', 'uid='], { encoding: 'utf8' })).not.toMatch(/^\s*6[1-5]\d{3}$/m);
  });

  it('that floods its output is ended, and the end of it is kept', async () => {
    const failure = await failureOf(run('while True: print("x" * 1000 + "END")'));
    expect(failure.message).toContain('printed more than');
    expect(failure.seen?.length).toBeLessThanOrEqual(2000);
  });

  it('that takes too much memory fails with its own words', async () => {
    const failure = await failureOf(run('return {"much": "x" * (1024 ** 3)}'));
    expect(failure.seen).toContain('MemoryError');
  });

  it.each([
    ['raises', 'raise RuntimeError("no such network")', /exit code 1/, 'RuntimeError: no such network'],
    ['ends the interpreter', 'import os\nos._exit(0)', /without a result/, undefined],
    ['crashes the interpreter', 'import ctypes\nctypes.string_at(0)', /exit code|SIGSEGV/, undefined],
    ['gives what is no JSON', 'return {"a": object()}', /exit code 1/, 'not JSON serializable'],
  ])('that %s fails the run', async (_, body, message, seen) => {
    const failure = await failureOf(run(body));
    expect(failure).toMatchObject({ code: 'PACKAGE_CODE_FAILED', message: expect.stringMatching(message) });
    if (seen !== undefined) expect(failure.seen).toContain(seen);
  });

  it('has a copy of the package that it may change, and that is gone afterwards', async () => {
    const body =
      'open("Scripts/a.txt", "a").write("!")\nreturn {"text": open("Scripts/a.txt").read(), "at": tmp_csar_dir}';
    const files = { 'Scripts/a.txt': 'text' };
    const first = await run(body, { files });
    const second = await run(body, { files });
    expect([first, second]).toMatchObject([
      { answer: { result: { text: 'text!' } } },
      { answer: { result: { text: 'text!' } } },
    ]);
  });

  it('is stopped with the attempt of the step', async () => {
    const stop = new AbortController();
    const running = runPackageCode(
      { what: 'userData', file: 'UserData/mine.py', class: 'Mine', method: 'instantiate', version2: {} },
      {
        package: { files: new Map([['UserData/mine.py', Buffer.from('import time\ntime.sleep(60)')]]), flavours: {} },
        timeLimitSeconds: 60,
        signal: stop.signal,
      },
    );
    setTimeout(() => stop.abort(new Error('overtaken')), 300);
    await expect(running).rejects.toThrow('overtaken');
  });
});

function isSet(answer: unknown): (name: string) => boolean {
  const { result } = answer as { result: { names: string[] } };
  return (name) => name !== 'LC_CTYPE' || result.names.includes(name);
}

describe.skipIf(machine === undefined)('a hook', () => {
  const script = (body: string) => `
import os, pickle, sys
given = pickle.load(sys.stdin.buffer)
${body}
`;
  const hook = (body: string) =>
    runPackageCode(
      { what: 'hook', file: 'Scripts/hook.py', input: { operation: 'instantiate_end', request: { a: 1 } } },
      {
        package: { files: new Map([['Scripts/hook.py', Buffer.from(script(body))]]), flavours: {} },
        timeLimitSeconds: 20,
      },
    );

  it('gets a pickled dictionary, and answers with one', async () => {
    const { answer } = await hook(
      'sys.stdout.buffer.write(pickle.dumps({"user_script_err_handling_data": {"done": [given["operation"], given["request"]]}}))',
    );
    expect(answer).toEqual({
      exitCode: 0,
      output: { user_script_err_handling_data: { done: ['instantiate_end', { a: 1 }] } },
    });
  });

  it('that fails keeps what it answered, and what it said', async () => {
    const result = await hook(
      'sys.stdout.buffer.write(pickle.dumps({"user_script_err_handling_data": {"at": 2}}))\nsys.stdout.flush()\nsys.stderr.write("no route")\nsys.stderr.flush()\nos._exit(1)',
    );
    expect(result).toEqual({
      answer: { exitCode: 1, output: { user_script_err_handling_data: { at: 2 } } },
      said: 'no route',
    });
  });

  it('that answers with an object of a class has answered nothing: no code of a pickle runs', async () => {
    const { answer } = await hook(
      'class Bomb:\n    def __reduce__(self):\n        return (os.system, ("echo boom",))\nsys.stdout.buffer.write(pickle.dumps(Bomb()))',
    );
    expect(answer).toEqual({ exitCode: 0, output: null });
  });

  it('that prints text has answered nothing, and the text is kept', async () => {
    expect(await hook('print("all is well")')).toEqual({ answer: { exitCode: 0, output: null }, said: 'all is well' });
  });
});

it("refuses to run code as vnflow's own user, who can read its secrets", () => {
  expect(() => checkOwnUser({ ownUser: true })).not.toThrow();
  expect(() => checkOwnUser({ ownUser: false })).toThrow(/does not run as root.*could read its secrets/);
});
