import { VnflowError } from '../domain/problems.ts';
import { type HostRules, hostOf } from '../network/host-rules.ts';

/**
 * Checks the URI of a package or an artifact, without resolving its host name.
 * @param hosts rules with the hosts of `VNFLOW_PACKAGE_HOSTS`
 * @throws VnflowError BAD_REQUEST that names no member of a request; it does not repeat the URI, which may contain a
 * secret
 */
export async function checkedRemoteUrl(uri: string, hosts: HostRules): Promise<URL> {
  const url = URL.parse(uri);
  if (url === null) throw createRefusedProblem('it is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw createRefusedProblem('only http and https are fetched');
  if (url.username !== '' || url.password !== '') {
    throw createRefusedProblem('it has a user name or password');
  }
  const reason = await hosts.refusal(url);
  if (reason !== undefined) throw createRefusedProblem(`${hostOf(url)} is ${reason}`);
  return url;
}

function createRefusedProblem(reason: string): VnflowError {
  return new VnflowError('BAD_REQUEST', {
    detail: `Nothing is fetched from this address: ${reason}.`,
  });
}
