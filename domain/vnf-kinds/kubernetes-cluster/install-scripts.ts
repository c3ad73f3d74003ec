import path from 'node:path';
import { VnflowError } from '../../problems.ts';
import type { PackageFiles } from '../vnf-kind.ts';
import { describeMissing, type InstallContract, installContractOf } from './install-contract.ts';

/** Where packages of Tacker have their shell scripts. Other scripts, such as that of Helm, may lie beside them. */
const SCRIPT = /^Scripts\/[^/]+\.sh$/;

/** The text of a script by the path in a request, which may begin with `./`. Undefined when the package has none. */
export function scriptText(given: string, files: PackageFiles): string | undefined {
  return files.get(path.posix.normalize(given))?.toString();
}

/**
 * A package with shell scripts needs one that vnflow can call. Which one it calls, only a request says.
 * @throws VnflowError CSAR_INVALID with what each of the scripts lacks
 */
export function checkInstallScripts(files: PackageFiles, paths: Iterable<string>): void {
  const scripts = [...paths].filter((one) => SCRIPT.test(one)).sort();
  const refused = scripts.flatMap((script) => {
    const verdict = installContractOf(files.get(script)?.toString() ?? '');
    return 'missing' in verdict ? [describeMissing(script, verdict.missing)] : [];
  });
  if (scripts.length === 0 || refused.length < scripts.length) return;
  throw new VnflowError('CSAR_INVALID', { detail: `${refused.join('. ')}.` });
}

/** The contract of a script that was checked when its instance was made. */
export function contractOfKept(given: string, files: PackageFiles): InstallContract {
  const verdict = installContractOf(scriptText(given, files) ?? '');
  return 'contract' in verdict ? verdict.contract : 'phases';
}
