import type { KeystoneUser } from '../vnfm/connection.ts';
import { bastionAddress } from './address-table.ts';
import type { UpRecord } from './up-record.ts';

/** Writes the variables for `openstack`, `curl`, `temporal` and `ssh -J` as lines that a POSIX shell evaluates. */
export function exportLines(
  { apiUrl, temporal, simulator, bastion = simulator?.bastion, programs }: UpRecord,
  { user, token }: { user: KeystoneUser | undefined; token: string | undefined },
): string[] {
  const variables: Record<string, string | undefined> = {
    OS_AUTH_URL: user?.authUrl,
    OS_USERNAME: user?.username,
    OS_PASSWORD: user?.password,
    OS_PROJECT_NAME: user?.project,
    OS_USER_DOMAIN_NAME: user?.userDomain,
    OS_PROJECT_DOMAIN_NAME: user?.projectDomain,
    OS_REGION_NAME: user && 'RegionOne',
    OS_IDENTITY_API_VERSION: user && '3',
    VNFM_URL: apiUrl,
    VNFM_TOKEN: token,
    TEMPORAL_ADDRESS: temporal?.address,
    TEMPORAL_UI: temporal?.uiUrl,
    BASTION: bastion && bastionAddress(bastion),
    SIMULATOR_URL: simulator?.url,
    NODE_PROXY: simulator?.proxyUrl,
    // marks the address for a later `vnflow up` in this shell: it is vnflow's own server, not one to use instead
    VNFLOW_OWN_TEMPORAL: temporal?.process && temporal.address,
  };
  const exports = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${quoted(value)}`],
  );
  if (programs !== undefined) {
    // once, however often the lines are evaluated
    const inPath = `case ":$PATH:" in *:${quoted(programs)}:*) ;; *) export PATH=${quoted(programs)}:"$PATH" ;; esac`;
    exports.push(inPath);
  }
  return exports;
}

/** Quotes a value so that the shell interprets nothing in it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
