import type { Duplex } from 'node:stream';
import { Client, type ConnectConfig } from 'ssh2';
import { CliFailure } from '../vnfm/failure.ts';

const TIMEOUT_MS = 20_000;

export interface DemoNode {
  readonly bastion: { readonly host: string; readonly port: number; readonly user: string };
  readonly host: string;
  readonly username: string;
  readonly password: string;
}

/**
 * Runs a command as `ssh -J BASTION USER@HOST COMMAND` does. It checks no host key, so it is only for the embedded
 * cloud on loopback.
 * @throws CliFailure when a login or the command fails
 */
export async function runOnNode(node: DemoNode, command: string): Promise<string> {
  const { bastion, host, username, password } = node;
  const jump = await connected({ host: bastion.host, port: bastion.port, username: bastion.user });
  try {
    const sock = await tunnel(jump, host);
    const client = await connected({ sock, username, password });
    try {
      return await outputOf(client, command);
    } finally {
      client.end();
    }
  } finally {
    jump.end();
  }
}

function connected(config: ConnectConfig): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    client.on('ready', () => resolve(client));
    client.on('error', (error) => reject(new CliFailure(`SSH: ${error.message}`)));
    client.connect({ ...config, readyTimeout: TIMEOUT_MS });
  });
}

function tunnel(jump: Client, host: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    jump.forwardOut('127.0.0.1', 0, host, 22, (error, stream) => {
      if (error) reject(new CliFailure(`The bastion does not reach ${host}: ${error.message}`));
      else resolve(stream);
    });
  });
}

function outputOf(client: Client, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(new CliFailure(`SSH: ${error.message}`));
      let output = '';
      let errors = '';
      channel.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      channel.stderr.on('data', (chunk: Buffer) => {
        errors += chunk.toString();
      });
      channel.on('close', (code: number | null) => {
        if (code === 0) resolve(output.trimEnd());
        else reject(new CliFailure(`\`${command}\` ended with ${code}: ${errors.trim() || output.trim()}`));
      });
    });
  });
}
