import { dockerImages } from '../../world/images/docker-images.ts';
import { digestOf, packImage } from '../../world/images/image.ts';
import { normalImage, partsOf } from '../../world/images/image-name.ts';
import { basicAuthorization } from '../../world/images/registry-login.ts';
import { reachRegistry } from '../../world/internet/registries.ts';
import { failure, ok, parseArguments } from '../shell/command.ts';
import { forgetLogin, keepLogin, loginFor } from './logins.ts';
import { daemonError, type Verb } from './verb.ts';

/** Pushes an image to a registry on a machine. Public registries want a login that no machine has. */
export const push: Verb = (args, context) => {
  const { node } = context;
  const parsed = parseArguments(args, new Set(['--platform']));
  const full = normalImage(parsed.operands[0] ?? '');
  const { host, repository, reference } = partsOf(full);
  const head = `The push refers to repository [${host}/${repository}]\n`;
  const image = dockerImages(node)[full];
  if (!image) return failure(1, `An image does not exist locally with the tag: ${host}/${repository}`, head);
  if (!/[.:]/.test(host) || host === 'docker.io') {
    return failure(1, 'denied: requested access to the resource is denied', head);
  }
  const login = loginFor(context, host);
  const reached = reachRegistry(node, host, 'docker', login);
  if (reached.kind === 'failed') return failure(1, `Get "https://${host}/v2/": ${reached.reason}`, head);
  if (reached.server.answer({ method: 'GET', path: '/v2/' }).status === 401) {
    return failure(
      1,
      login === undefined ? 'no basic auth credentials' : 'unauthorized: authentication required',
      head,
    );
  }
  const { manifest, blobs } = packImage(image);
  const { server } = reached;
  let stdout = head;
  for (const { digest, bytes } of blobs) {
    const isThere = server.answer({ method: 'HEAD', path: `/v2/${repository}/blobs/${digest}` }).status === 200;
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    if (!isThere && server.answer({ method: 'POST', path, body: bytes }).status !== 201) {
      return failure(1, 'received unexpected HTTP status: 500 Internal Server Error', stdout);
    }
    stdout += `${digest.slice(7, 19)}: ${isThere ? 'Layer already exists' : 'Pushed'}\n`;
  }
  const { status } = server.answer({ method: 'PUT', path: `/v2/${repository}/manifests/${reference}`, body: manifest });
  if (status !== 201) return failure(1, `received unexpected HTTP status: ${status}`, stdout);
  return ok(`${stdout}${reference}: digest: ${digestOf(manifest)} size: ${manifest.length}\n`);
};

/** A registry without a login lets everyone in, as the real one does. */
export const login: Verb = async (args, context) => {
  const parsed = parseArguments(args, new Set(['-u', '--username', '-p', '--password']));
  const [host = 'docker.io'] = parsed.operands;
  const user = parsed.value('-u', '--username') ?? '';
  const byOption = parsed.value('-p', '--password');
  const password = byOption ?? (parsed.has('--password-stdin') ? (await context.stdin()).trimEnd() : '');
  if (user === '' || password === '')
    return failure(1, 'Error: Cannot perform an interactive login from a non TTY device');
  const warning =
    byOption === undefined ? '' : 'WARNING! Using --password via the CLI is insecure. Use --password-stdin.\n';
  const authorization = basicAuthorization(user, password);
  const reached = reachRegistry(context.node, host, 'docker', authorization);
  if (reached.kind === 'failed') {
    return failure(1, `${warning}${daemonError(`Get "https://${host}/v2/": ${reached.reason}`)}`);
  }
  if (reached.server.answer({ method: 'GET', path: '/v2/' }).status === 401) {
    const refused = `login attempt to https://${host}/v2/ failed with status: 401 Unauthorized`;
    return failure(1, `${warning}${daemonError(refused)}`);
  }
  keepLogin(context, host, authorization.replace(/^Basic /, ''));
  return { stdout: 'Login Succeeded\n', stderr: warning, exitCode: 0 };
};

export const logout: Verb = ([host = 'docker.io'], context) => {
  forgetLogin(context, host);
  return ok(`Removing login credentials for ${host}\n`);
};
