import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import type { ApiDependencies, OnboardableCsar, TokenOwner } from '../../../api/dependencies.ts';
import { startApi } from '../../../api/start-api.ts';
import { VnflowError } from '../../../domain/problems.ts';
import { readVnfd } from '../../../domain/vnfd.ts';
import { createHostRules } from '../../../network/host-rules.ts';
import { readCsar } from '../../../packages/csar.ts';
import { createSecrets } from '../../../store/secrets.ts';
import { openTestStore } from '../test-store.ts';
import { checkAnswer } from './check-answer.ts';
import { fakeEngine } from './fake-engine.ts';
import { samplePackageFiles } from './sample-package.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

interface CallOptions {
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Role of the caller; the tenant is the test API's unless another is given. */
  readonly token?: string | null;
  /** Leave out the header Version, which is sent to vnflcm v2 otherwise. */
  readonly withoutVersion?: boolean;
}

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

/** A running API on a store of its own, with everything outside of it faked. Tokens read `role@tenant`. */
export async function startTestApi(overrides: Partial<ApiDependencies> = {}) {
  const db = await openTestStore();
  const secrets = createSecrets(db, randomBytes(32));
  const engine = fakeEngine(db);
  engine.secrets = secrets;
  const tenant = randomUUID();
  const logged: string[] = [];
  const keystone = { asked: 0, down: false };
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const deps: ApiDependencies = {
    db,
    secrets,
    engine,
    readCsar: readTestCsar,
    checkVim: fakeCheckVim,
    validateToken: async (token) => {
      keystone.asked++;
      if (keystone.down) throw new VnflowError('VIM_UNREACHABLE', { detail: 'Keystone does not answer.' });
      return ownerOf(token);
    },
    authUrl: 'http://127.0.0.1:5000/v3',
    endpoint: 'http://vnfm.example:9890/',
    log,
    limits: { packageBytes: 100_000 },
    vimHosts: createHostRules({ trusted: ['127.0.0.1'] }),
    ...overrides,
  };
  const api = await startApi({ deps, host: '127.0.0.1', port: 0 });
  const call = callerOf(api.url, `member@${tenant}`);
  return {
    api,
    deps,
    db,
    secrets,
    engine,
    tenant,
    log,
    logged,
    keystone,
    call,
    stop: async () => {
      await api.stop();
      await db.destroy();
    },
  };
}

/** A client whose every answer must be as the OpenAPI document says. */
function callerOf(url: string, memberToken: string) {
  return async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const {
      json,
      body = json === undefined ? undefined : JSON.stringify(json),
      headers = {},
      token = memberToken,
    } = options;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(path.startsWith('/vnflcm/v2') && !options.withoutVersion ? { Version: '2.0.0' } : {}),
        ...(token === null ? {} : { 'X-Auth-Token': token }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    checkAnswer({ method, path, status: answer.status, header: (name) => answer.headers.get(name), text });
    return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function ownerOf(token: string): TokenOwner | undefined {
  const [role, projectId] = token.split('@');
  if (!role || projectId === undefined) return undefined;
  return {
    userName: 'somebody',
    ...(projectId === '' ? {} : { projectId }),
    roles: [role],
    expiresAt: Date.now() + 3_600_000,
  };
}

const SOFTWARE_IMAGE = {
  id: 'masterNode',
  name: 'masterNode-image',
  version: '20.04',
  provider: '',
  containerFormat: 'bare',
  diskFormat: 'qcow2',
  minDisk: 0,
  minRam: 0,
  size: 2_000_000_000,
  createdAt: '2026-11-22 08:00:00+00:00',
  userMetadata: {},
  imagePath: '',
};

/** An archive is the text `CSAR vnfdId`, for tests that need many; a real zip is read as in production. */
async function readTestCsar(file: string): Promise<OnboardableCsar> {
  const content = await readFile(file, 'latin1');
  if (content.startsWith('PK')) return readCsar(file);
  const vnfdId = /^CSAR (\S+)\s*$/.exec(content)?.[1];
  if (vnfdId === undefined) throw new VnflowError('CSAR_INVALID', { detail: 'The content is no zip archive.' });
  const files = samplePackageFiles();
  const vnfd = readVnfd(new Map([...files].map(([path, content]) => [path, content.toString('utf8')])));
  return {
    vnfd: { ...vnfd, vnfdId },
    checksum: { algorithm: 'sha512', hash: 'ab' },
    softwareImages: [SOFTWARE_IMAGE],
    entries: [],
    additionalArtifacts: [
      { artifactPath: 'Scripts/install_k8s_cluster.sh', checksum: { algorithm: 'SHA-256', hash: 'cd' }, metadata: {} },
    ],
    files,
  };
}

const fakeCheckVim: ApiDependencies['checkVim'] = async ({ authUrl, password }) => {
  if (authUrl.includes('unreachable'))
    throw new VnflowError('VIM_UNREACHABLE', { detail: 'Keystone does not answer.' });
  if (password === 'wrong') throw new VnflowError('VIM_CREDENTIALS', { detail: 'Keystone refused user "nfv_user".' });
  return { regions: ['RegionOne'] };
};
