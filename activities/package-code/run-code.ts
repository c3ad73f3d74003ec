import { type FlavourDocuments, flavourDocuments } from '../../domain/package-user-data.ts';
import { VnflowError } from '../../domain/problems.ts';
import { secretValues } from '../../domain/redaction.ts';
import { mayBelongToVnfd } from '../../domain/vnfd/definition-files.ts';
import { checkOwnUser } from '../../packages/code/isolation.ts';
import {
  machineIsolation,
  type PackageCodeResult,
  type PackageCodeTask,
  runPackageCode,
} from '../../packages/code/run-package-code.ts';
import { checkCodeAllowed } from '../../planning/package-code.ts';
import { packageOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { readInstance } from '../facts/operation-facts.ts';

/** Reads what code of a package gets of it, by flavour. @throws VnflowError as `packageOfInstance` */
export async function readFlavourDocuments(context: ActivityContext): Promise<Record<string, FlavourDocuments>> {
  const { files } = await packageOfInstance(context.deps, await readInstance(context));
  const texts = [...files].filter(([path]) => mayBelongToVnfd(path) || path.startsWith('BaseHOT/'));
  return flavourDocuments(new Map(texts.map(([path, content]) => [path, content.toString('utf8')])));
}

/**
 * Runs code of the package of an instance. What it says is shown without the secrets that it got.
 * @param flavours as from `readFlavourDocuments`
 * @throws VnflowError PACKAGE_CODE_DISABLED, PACKAGE_CODE_FAILED, PACKAGE_CODE_UNAVAILABLE
 */
export async function runCode(
  context: LeasedContext,
  task: PackageCodeTask,
  {
    flavours,
    timeLimitSeconds,
  }: { readonly flavours: Readonly<Record<string, FlavourDocuments>>; readonly timeLimitSeconds: number },
): Promise<PackageCodeResult> {
  const { deps, signal } = context;
  checkCodeAllowed(deps.allowPackageCode, `${task.file} is code of the package`);
  const { files } = await packageOfInstance(deps, await readInstance(context));
  const secrets = secretValues(task);
  const isolation = await machineIsolation();
  checkOwnUser(isolation);
  deps.log.info(
    { vnfLcmOpOccId: context.input.vnfLcmOpOccId, file: task.file, ownNetworkAndProcesses: isolation.namespaces },
    'running code of a VNF package',
  );
  context.mustHold();
  try {
    const result = await runPackageCode(task, { package: { files, flavours }, timeLimitSeconds, signal });
    return { ...result, said: withoutValues(result.said, secrets) };
  } catch (error) {
    if (!(error instanceof VnflowError) || error.seen === undefined) throw error;
    throw new VnflowError(error.code, {
      detail: error.message,
      seen: withoutValues(error.seen, secrets),
      cause: error,
    });
  }
}

function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
