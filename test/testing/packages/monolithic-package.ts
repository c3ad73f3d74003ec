import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AxiosInstance } from 'axios';
import { onboardSample } from '../system.ts';

const SAMPLE = path.join(import.meta.dirname, '../../../samples/kubernetes-cluster');
const SAMPLE_VNFD = 'd34ac189-5376-493f-828f-224dd5fe7393';
const SCRIPT = readFileSync(path.join(import.meta.dirname, 'monolithic-install.sh'), 'utf8');

/**
 * Onboards the sample package with a script of Tacker's contract in the place of its own, and another descriptor_id.
 * @param change of the script
 * @returns its vnfdId
 */
export async function onboardMonolithic(
  http: AxiosInstance,
  change: (script: string) => string = (script) => script,
): Promise<string> {
  const vnfdId = randomUUID();
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-monolithic-'));
  try {
    cpSync(SAMPLE, folder, { recursive: true });
    writeFileSync(path.join(folder, 'Scripts/install_k8s_cluster.sh'), change(SCRIPT));
    for (const name of readdirSync(path.join(folder, 'Definitions'))) {
      const file = path.join(folder, 'Definitions', name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(SAMPLE_VNFD, vnfdId));
    }
    return await onboardSample(http, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
