import { readFileSync } from 'node:fs';
import { openSession } from '../../ssh/session.ts';
import type { RealEnvironment } from './real-cloud.ts';

/** Runs a command as root on a node, through the bastion. @returns standard output @throws Error when it fails */
export async function runOnNode(env: RealEnvironment, host: string, command: string): Promise<string> {
  const [, username = '', bastionHost = '', port = '22'] = /^([^@]+)@(.+?)(?::(\d+))?$/.exec(env.VNFLOW_BASTION) ?? [];
  const anyKey = { onFirstContact: () => {} };
  const { VNFLOW_BASTION_PASSWORD: password, VNFLOW_BASTION_KEY_FILE: keyFile } = process.env;
  const session = await openSession({
    host,
    username: env.VNFLOW_TEST_USER,
    auth: { password: env.VNFLOW_TEST_PASSWORD },
    hostKey: anyKey,
    connectTimeoutMs: 60_000,
    bastion: {
      host: bastionHost,
      port: Number(port),
      username,
      hostKey: anyKey,
      ...(password === undefined ? {} : { password }),
      ...(keyFile === undefined ? {} : { privateKey: readFileSync(keyFile, 'utf8') }),
    },
  });
  try {
    const { code, stdout, stderr } = await session.exec(command, { timeoutMs: 120_000 });
    if (code !== 0) throw new Error(`${command} on ${host}: ${code} ${stderr}`);
    return stdout;
  } finally {
    session.end();
  }
}
