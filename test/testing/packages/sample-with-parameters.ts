import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLE = fileURLToPath(new URL('../../../samples/kubernetes-cluster', import.meta.url));

/** The versions in the tables of Tacker's guide. None of them is supported by its project any more. */
export const GUIDE_VERSIONS = {
  KUBERNETES_VERSION: '1.26.8',
  CONTAINERD_VERSION: '1.7.11',
  RUNC_VERSION: '1.1.10',
  CILIUM_CLI_VERSION: '0.15.23',
  CILIUM_VERSION: '1.14.5',
} as const;

/** Makes a source tree of the sample package with install parameters of its own. @returns its directory */
export function sampleWithParameters(parameters: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-source-'));
  cpSync(SAMPLE, directory, { recursive: true });
  const lines = Object.entries(parameters).map(([name, value]) => `${name}: "${value}"\n`);
  writeFileSync(path.join(directory, 'Scripts/install_parameters.yaml'), lines.join(''));
  return directory;
}
