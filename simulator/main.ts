import { parseArgs } from 'node:util';
import { type SimulatorOptions, startSimulator } from './simulator.ts';

/** The simulator as a process of its own: `node simulator/main.ts --directory DIR --port 0 --speed 10`. */
const { values } = parseArgs({
  options: {
    directory: { type: 'string' },
    port: { type: 'string' },
    'bastion-port': { type: 'string' },
    speed: { type: 'string' },
    'vnfm-url': { type: 'string' },
    seed: { type: 'string' },
    'network-cidr': { type: 'string' },
    'public-cidr': { type: 'string' },
    hosts: { type: 'string' },
    'token-lifetime': { type: 'string' },
  },
});

for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, endAtOnce);
const simulator = await startSimulator(readOptions());
const { authUrl, url, bastion } = simulator;
process.stdout.write(`${JSON.stringify({ ready: true, authUrl, url, bastion, pid: process.pid })}\n`);

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    simulator.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`simulator: could not stop cleanly: ${error}\n`);
        process.exit(1);
      },
    );
  });
}

/** A simulator whose state nobody knows must not go on; the world on the disk is as of the last accepted change. */
function endAtOnce(error: unknown): never {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const told = { level: 60, time: Date.now(), pid: process.pid, err: { type: name, message, stack } };
  process.stderr.write(`${JSON.stringify({ ...told, msg: 'a defect ends the simulator' })}\n`);
  process.exit(70);
}

function readOptions(): SimulatorOptions {
  return {
    ...number('port', 'port', 0),
    ...number('bastionPort', 'bastion-port', 0),
    ...number('speed', 'speed', 0.001),
    ...number('seed', 'seed', 0),
    ...number('hosts', 'hosts', 1),
    ...number('tokenLifetime', 'token-lifetime', 1),
    ...(values.directory === undefined ? {} : { directory: values.directory }),
    ...(values['vnfm-url'] === undefined ? {} : { vnfmUrl: values['vnfm-url'] }),
    ...(values['network-cidr'] === undefined ? {} : { networkCidr: values['network-cidr'] }),
    ...(values['public-cidr'] === undefined ? {} : { publicCidr: values['public-cidr'] }),
  };
}

function number(name: keyof SimulatorOptions, option: keyof typeof values, least: number): SimulatorOptions {
  const text = values[option];
  if (text === undefined) return {};
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${option} ${text}: a number of at least ${least} is needed`);
  return { [name]: value };
}
