import { table } from '../table.ts';
import type { UpRecord } from './up-record.ts';

/** Lists the addresses of all parts. @returns lines */
export function addressLines({
  apiUrl,
  temporal,
  simulator,
  keystoneUrl,
  bastion = simulator?.bastion,
}: UpRecord): string[] {
  const rows: (string | undefined)[][] = [
    ['API', apiUrl, 'SOL003 at /vnflcm/v2, packages at /vnfpkgm/v1, VIMs at /v1.0'],
    ['Temporal UI', temporal?.uiUrl, 'every operation is a workflow here'],
    ['Waiting', temporal?.uiUrl && waitingUrl(temporal.uiUrl), 'operations in FAILED_TEMP, in the Temporal UI'],
    ['Temporal', temporal?.address, 'gRPC, namespace default'],
    [
      'OpenStack',
      simulator?.authUrl ?? keystoneUrl,
      simulator ? 'simulated; nfv_user / devstack, project nfv' : 'Keystone',
    ],
    ['Bastion', bastion && bastionAddress(bastion), 'SSH to the nodes, only through here'],
  ];
  return table(
    ['WHAT', 'WHERE', ''],
    rows.filter((row): row is string[] => row[1] !== undefined),
  );
}

/** user@host:port */
export function bastionAddress({ user, host, port }: { user: string; host: string; port: number }): string {
  return `${user}@${host}:${port}`;
}

/** The list of operations that wait for a decision, in the Temporal UI. */
function waitingUrl(uiUrl: string): string {
  const query = encodeURIComponent('OperationState="FAILED_TEMP"');
  return `${uiUrl}/namespaces/default/workflows?query=${query}`;
}
