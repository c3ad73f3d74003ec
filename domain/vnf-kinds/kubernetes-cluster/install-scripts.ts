import path from 'node:path';
import { VnflowError } from '../../problems.ts';
import type { PackageFiles } from '../vnf-kind.ts';
import { describeMissing, type InstallContract, installContractOf } from './install-contract.ts';
import {
  checkInstallParameters,
  declaredParameters,
  packageParametersPath,
  readPackageParameters,
  type ScriptText,
} from './install-parameters.ts';

/** Where packages of Tacker have their shell scripts. Other scripts, such as that of Helm, may lie beside them. */
const SCRIPT = /^Scripts\/[^/]+\.sh$/;

/** The text of a script by the path in a request, which may begin with `./`. Undefined when the package has none. */
export function scriptText(given: string, files: PackageFiles): string | undefined {
  return files.get(path.posix.normalize(given))?.toString();
}

/**
 * A package with shell scripts needs one that vnflow can call. Which one it calls, only a request says. The parameters
 * that such a script declares, and the values that the package gives them, must be usable.
 * @throws VnflowError CSAR_INVALID with what each of the scripts lacks, or with what is wrong with a parameter
 */
export function checkInstallScripts(files: PackageFiles, paths: Iterable<string>): void {
  const scripts = [...paths].filter((one) => SCRIPT.test(one)).sort();
  const refused = scripts.flatMap((script) => {
    const text = files.get(script)?.toString() ?? '';
    const verdict = installContractOf(text);
    if ('missing' in verdict) return [describeMissing(script, verdict.missing)];
    checkPackageParameters({ path: script, text }, files);
    return [];
  });
  if (scripts.length === 0 || refused.length < scripts.length) return;
  throw new VnflowError('CSAR_INVALID', { detail: `${refused.join('. ')}.` });
}

/**
 * Checks the declarations of a package's install script, and the package's own values.
 * @throws VnflowError CSAR_INVALID naming the file
 */
function checkPackageParameters(script: ScriptText, files: PackageFiles): void {
  inPackage(script.path, () => declaredParameters(script.text));
  const at = packageParametersPath(script.path);
  const own = files.get(at)?.toString();
  if (own !== undefined) inPackage(at, () => checkInstallParameters(readPackageParameters(own, at), { at, script }));
}

/** @throws VnflowError CSAR_INVALID when the check finds a problem */
function inPackage(file: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof VnflowError) throw new VnflowError('CSAR_INVALID', { detail: error.message, cause: error });
    if (error instanceof SyntaxError)
      throw new VnflowError('CSAR_INVALID', { detail: `${file} ${error.message}.`, cause: error });
    throw error;
  }
}

/** The contract of a script that was checked when its instance was made. */
export function contractOfKept(given: string, files: PackageFiles): InstallContract {
  const verdict = installContractOf(scriptText(given, files) ?? '');
  return 'contract' in verdict ? verdict.contract : 'phases';
}
