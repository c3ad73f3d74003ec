import axios from 'axios';
import { z } from 'zod';
import type { ApplicationCredential, KeystoneUser } from './connection.ts';
import { CliFailure } from './failure.ts';
import { httpsAgent } from './https-agent.ts';

const TIMEOUT_MS = 15_000;
const Refusal = z.object({ error: z.object({ message: z.string() }) });

/**
 * Gets a token by user name and password, scoped to the project, or by an application credential, which has its project.
 * @param caCert CA certificates in PEM, besides those of Node
 * @throws CliFailure with Keystone's message
 */
export async function keystoneToken(user: KeystoneUser | ApplicationCredential, caCert?: string): Promise<string> {
  const base = user.authUrl.replace(/\/+$/, '').replace(/\/v3$/, '');
  const url = `${base}/v3/auth/tokens`;
  const answer = await axios
    .post(
      url,
      { auth: 'credential' in user ? applicationAuth(user) : passwordAuth(user) },
      { timeout: TIMEOUT_MS, validateStatus: () => true, maxRedirects: 0, ...httpsAgent(caCert) },
    )
    .catch((error: unknown) => {
      throw new CliFailure(
        `Keystone at ${base} does not answer (${reasonOf(error)}). Check OS_AUTH_URL, and OS_CACERT for TLS.`,
      );
    });
  const token: unknown = answer.headers['x-subject-token'];
  if (answer.status === 201 && typeof token === 'string') return token;
  const refusal = Refusal.safeParse(answer.data);
  const words = refusal.success ? refusal.data.error.message : `status ${answer.status}`;
  throw new CliFailure(`Keystone at ${base} refused the login of ${nameOf(user)}: ${words}`);
}

function nameOf(user: KeystoneUser | ApplicationCredential): string {
  if (!('credential' in user)) return user.username;
  return `the application credential ${'id' in user.credential ? user.credential.id : user.credential.name}`;
}

/** Keystone takes project and roles from the credential. */
function applicationAuth({ credential, secret }: ApplicationCredential) {
  const named =
    'id' in credential
      ? { id: credential.id }
      : { name: credential.name, user: { name: credential.username, domain: { name: credential.userDomain } } };
  return { identity: { methods: ['application_credential'], application_credential: { ...named, secret } } };
}

function passwordAuth({ username, password, project, userDomain, projectDomain }: KeystoneUser) {
  const user = { name: username, domain: { name: userDomain }, password };
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: project, domain: { name: projectDomain } } },
  };
}

/** The reason of a failed request, without the request itself: the `config` of an axios error contains the password. */
export function reasonOf(error: unknown): string {
  if (axios.isAxiosError(error)) return error.code ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
