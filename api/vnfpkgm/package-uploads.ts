import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PQueue from 'p-queue';
import { problemDetails, VnflowError } from '../../domain/problems.ts';
import { fetchToFile } from '../../packages/fetch-remote.ts';
import {
  beginPackageUpload,
  failPackageUpload,
  keepPackageUpload,
  takePackageUploadOver,
} from '../../store/package-uploads.ts';
import { secretName } from '../../store/secrets.ts';
import { freeSpaceOfPackages } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';
import { onboardFile } from './onboard-file.ts';
import { UploadVnfPackageFromUriRequest } from './package-requests.ts';

/** The uploads that this process works on. */
export interface PackageUploads {
  /**
   * Lets a direct upload in. Its body may arrive slowly, so that alone takes no turn of `work`.
   * @returns to be called when it has ended
   * @throws VnflowError UPLOADS_BUSY when too many are under way, of this project or of all
   */
  admit(tenant: string): () => void;
  /**
   * Reads and stores the file of a direct upload when it is its turn: two at a time, for time and memory.
   * @throws VnflowError as `onboardFile`
   */
  onboard(target: UploadTarget, file: string): Promise<void>;
  /** Frees the space of a deleted package, after the work that is under way. */
  freeSpace(): void;
  /** Looks for uploads whose process has died, now and then every few seconds. */
  start(): void;
  /** Seals the request and begins. @returns false when the package is not CREATED (any more) */
  begin(target: UploadTarget, request: UploadVnfPackageFromUriRequest): Promise<boolean>;
  /** Stops the uploads that run. Another process, or the next start, begins them anew. */
  stop(): Promise<void>;
}

interface UploadTarget {
  readonly id: string;
  readonly tenant: string;
}

const AT_ONCE = 2;
const MOST_OF_A_PROJECT = 2;
const MOST_OF_ALL = 16;
const KEEP_EVERY_MS = 5_000;
/** An attempt that was not seen for so long has died with its process. */
const SILENT_SECONDS = 30;
const LOOK_EVERY_MS = 15_000;

/**
 * Fetches packages in the background. What is under way lies in the store with its sealed request, and every change
 * names its attempt: when a process dies, another one takes the upload over and begins it anew; a process that comes
 * back changes nothing.
 */
export function createPackageUploads(context: ApiContext): PackageUploads {
  const ended = new AbortController();
  const queue = new PQueue({ concurrency: AT_ONCE });
  const turns = new PQueue({ concurrency: AT_ONCE });
  const admitted: string[] = [];
  const own = new Set<string>();
  let isFreeing = false;
  const onboard: Attempt['onboard'] = (target, upload) => turns.add(() => onboardFile(context, target, upload));
  const keepAlive = async <T>(attempt: string, task: () => Promise<T>): Promise<T> => {
    const keeping = setInterval(() => void keepPackageUpload(context.db, attempt).catch(() => {}), KEEP_EVERY_MS);
    own.add(attempt);
    try {
      return await task();
    } finally {
      own.delete(attempt);
      clearInterval(keeping);
    }
  };
  const run = (target: UploadTarget, attempt: string) => {
    const task = () => fetchAndOnboard(context, target, { attempt, signal: ended.signal, onboard });
    void keepAlive(attempt, () => queue.add(task));
  };
  const takeOver = async () => {
    const attempt = randomUUID();
    const silence = { silentSeconds: SILENT_SECONDS, own: [...own] };
    const target = await takePackageUploadOver(context.db, attempt, silence);
    if (target) run(target, attempt);
  };
  let looking: NodeJS.Timeout | undefined;
  return {
    admit: (tenant) => {
      if (admitted.length >= MOST_OF_ALL || admitted.filter((each) => each === tenant).length >= MOST_OF_A_PROJECT) {
        throw new VnflowError('UPLOADS_BUSY', {
          detail: `${MOST_OF_A_PROJECT} uploads of a project, and ${MOST_OF_ALL} of all, can be under way at a time.`,
          retryAfterSeconds: 10,
        });
      }
      admitted.push(tenant);
      return () => void admitted.splice(admitted.indexOf(tenant), 1);
    },
    onboard: (target, file) => {
      const attempt = randomUUID();
      return keepAlive(attempt, () => onboard(target, { file, attempt, hasBegun: false }));
    },
    freeSpace: () => {
      if (isFreeing) return;
      isFreeing = true;
      const free = async () => {
        isFreeing = false;
        await freeSpaceOfPackages(context.db);
      };
      void turns.add(free).catch((error: unknown) => context.log.warn({ err: error }, 'space of packages not freed'));
    },
    start: () => {
      const look = () => void takeOver().catch(() => {}); // the next look repeats it when the store was away
      look();
      looking = setInterval(look, LOOK_EVERY_MS).unref();
    },
    begin: async (target, request) => {
      const attempt = randomUUID();
      await context.secrets.put(secretName.packageUpload(target.id), request, target.id);
      if (!(await beginPackageUpload(context.db, target.id, attempt))) return false;
      run(target, attempt);
      return true;
    },
    stop: async () => {
      clearInterval(looking);
      ended.abort();
      queue.clear();
      await queue.onIdle();
      await turns.onIdle();
    },
  };
}

interface Attempt {
  readonly attempt: string;
  readonly signal: AbortSignal;
  readonly onboard: (target: UploadTarget, upload: Parameters<typeof onboardFile>[2]) => Promise<void>;
}

/**
 * Never throws. An error of the upload is kept with the package; an upload that failed because of the store or of this
 * process is repeated.
 */
async function fetchAndOnboard(
  context: ApiContext,
  target: UploadTarget,
  { attempt, signal, onboard }: Attempt,
): Promise<void> {
  const { db, secrets, limits, packageHosts, log } = context;
  const folder = await mkdtemp(path.join(tmpdir(), 'vnflow-upload-'));
  try {
    const sealed = await secrets.get(secretName.packageUpload(target.id));
    if (sealed === undefined) throw createCutOffProblem();
    const { addressInformation, userName, password = '' } = UploadVnfPackageFromUriRequest.parse(sealed);
    const file = path.join(folder, 'package.zip');
    await fetchToFile(addressInformation, file, {
      hosts: packageHosts,
      limitBytes: limits.packageBytes,
      signal,
      ...(userName === undefined ? {} : { credentials: { userName, password } }),
    });
    if (!(await keepPackageUpload(db, attempt, 'PROCESSING'))) return;
    await onboard(target, { file, attempt, hasBegun: true });
    await secrets.removeOwnedBy(target.id);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof VnflowError && error.code === 'STORE_UNAVAILABLE') return;
    await recordFailure(context, target, { attempt, error }).catch(() => {});
  } finally {
    await rm(folder, { recursive: true, force: true });
    log.debug({ vnfPackage: target.id }, 'an upload from a URI has ended');
  }
}

/** A direct upload has no address that it could be fetched from once more. */
function createCutOffProblem(): VnflowError {
  return new VnflowError('PACKAGE_FETCH', { detail: 'The upload was cut off when vnflow ended; send it again.' });
}

async function recordFailure(
  { db, secrets, log }: ApiContext,
  { id }: UploadTarget,
  { attempt, error }: { readonly attempt: string; readonly error: unknown },
): Promise<void> {
  if (!(error instanceof VnflowError)) log.error({ err: error, vnfPackage: id }, 'an upload from a URI failed');
  const failure =
    error instanceof VnflowError
      ? problemDetails(error.code, { detail: error.message })
      : problemDetails('INTERNAL', { detail: 'vnflow met an unexpected error; its log has the cause.' });
  if (await failPackageUpload(db, attempt, failure)) await secrets.removeOwnedBy(id);
}
