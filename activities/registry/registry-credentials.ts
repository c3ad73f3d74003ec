import bcrypt from 'bcryptjs';
import { VnflowError } from '../../domain/problems.ts';
import type { RegistryParameters, RegistryUser } from '../../domain/vnf-kinds/private-registry/parameters.ts';
import {
  RegistryAuthority,
  RegistryCredentials,
} from '../../domain/vnf-kinds/private-registry/registry-credentials.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { readFact } from '../facts/kept-facts.ts';
import type { NodeContext } from '../node/node-session.ts';
import { createAuthority, issueServerCertificate } from './certificates.ts';

/** A registry computes this for each request: about 60 ms. It is what Go's own hashes have. */
const BCRYPT_COST = 10;

/**
 * The certificate, the key and the htpasswd file of the server of the session. All attempts of an operation get the
 * first ones, so that a phase that is repeated finds nothing changed. Another operation gets new ones, of the CA of the
 * instance.
 * @returns undefined without TLS
 */
export async function readRegistryCredentials(
  context: NodeContext,
  { tls, users, host_names = [] }: RegistryParameters,
): Promise<RegistryCredentials | undefined> {
  if (!tls) return undefined;
  const { deps, input, node } = context;
  const owner = input.vnfLcmOpOccId;
  const name = secretName.registryCredentials(owner);
  const addresses = (await readFact(context, 'registryAddresses')) ?? [];
  const names = [...new Set([node.nodeName, node.nicAddress, node.sshAddress, ...addresses, ...host_names])];
  const kept = RegistryCredentials.safeParse(await deps.secrets.get(name)).data;
  if (kept?.names.join() === names.join()) return kept;
  const authority = await makeAuthority(context);
  const made: RegistryCredentials = {
    ...issueServerCertificate(authority, names),
    names,
    htpasswd: users && (await htpasswdFile(users)),
  };
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(name, made, owner));
  return made;
}

/**
 * The CA of the registry of an instance, which the first server of the registry has got.
 * @throws VnflowError RESOURCE_MISSING when there is none
 */
export async function readRegistryAuthority({ deps, input }: NodeContext): Promise<RegistryAuthority> {
  const kept = await deps.secrets.get(secretName.registryAuthority(input.vnfInstanceId));
  if (kept === undefined) {
    throw new VnflowError('RESOURCE_MISSING', { detail: `VNF instance ${input.vnfInstanceId} has no CA.` });
  }
  return RegistryAuthority.parse(kept);
}

/** Nothing but the end of the instance ends its CA: clients trust it. */
async function makeAuthority({ deps, input }: NodeContext): Promise<RegistryAuthority> {
  const { vnfInstanceId: owner } = input;
  const made = createAuthority(`vnflow registry ${owner.slice(0, 8)}`);
  const name = secretName.registryAuthority(owner);
  return RegistryAuthority.parse(await writeAsAttempt(deps, ({ secrets }) => secrets.getOrPut(name, made, owner)));
}

/** The file of Apache's htpasswd. A registry reads hashes of bcrypt only. */
async function htpasswdFile(users: readonly RegistryUser[]): Promise<string> {
  const lines: string[] = [];
  for (const { name, password } of users) lines.push(`${name}:${await bcrypt.hash(password, BCRYPT_COST)}\n`);
  return lines.join('');
}
