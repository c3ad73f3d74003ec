import type { Command } from 'commander';
import { statusExitCode, statusLines } from '../operations/status-lines.ts';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { ClusterStatus } from '../vnfm/contract.ts';
import { findInstance } from '../vnfm/find-instance.ts';
import { dataOption, INSTANCE_WORDS } from './options.ts';

interface Options {
  readonly data: string;
  readonly ask: boolean;
  readonly json?: boolean;
}

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .argument('<instance>', INSTANCE_WORDS)
    .description(
      'show the nodes of a VNF instance: names, VNFCs, servers, whether they are Ready, etcd, backup; exit code 1: not all is well',
    )
    .option('--no-ask', 'do not ask the cluster: show what vnflow knows')
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .action(showStatus);
}

async function showStatus(typed: string, { data, ask, json }: Options): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, data));
  const id = await findInstance(vnfm, typed);
  const path = `/vnflow/v1/vnf_instances/${id}/cluster`;
  const answer = await vnfm.request({ method: 'GET', path, params: { look: String(ask) } });
  const status = answer.read(ClusterStatus);
  process.stdout.write(
    json ? `${JSON.stringify(status, null, 2)}\n` : `${statusLines(status, Date.now()).join('\n')}\n`,
  );
  process.exitCode = statusExitCode(status);
}
