import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DURABILITIES, type Durability } from '../store/durability.ts';
import { startSystem } from '../test/testing/system.ts';
import { installQuietRuntime } from '../test/testing/temporal.ts';
import { ANY_PORTS, startTemporalServer } from '../worker/temporal-server.ts';
import { measureAcceptances, median } from './accept.ts';

const COMMITS = 200;

/** Measures the cost of waiting for the disk at each commit of the embedded store and of Temporal's database. */
export async function benchDurability(): Promise<void> {
  installQuietRuntime();
  console.log('what --durability power costs (medians)');
  for (const durability of DURABILITIES) {
    const { commit, accept } = await measure(durability);
    console.log(
      `  ${durability.padEnd(8)} commit of the store ${commit.toFixed(2)} ms, POST …/instantiate → 202 ${accept.toFixed(1)} ms`,
    );
  }
  console.log();
}

async function measure(durability: Durability): Promise<{ commit: number; accept: number }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-bench-'));
  const temporal = await startTemporalServer({
    binary: process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal',
    directory: path.join(directory, 'temporal'),
    ports: ANY_PORTS,
    headless: true,
    durability,
  });
  const store = { kind: 'embedded', directory: path.join(directory, 'store'), durability } as const;
  const system = await startSystem({ speed: 500, temporal, store });
  try {
    const commits: number[] = [];
    for (let index = 0; index < COMMITS; index++) {
      const began = performance.now();
      await system.secrets.put('bench', index, 'bench');
      commits.push(performance.now() - began);
    }
    return { commit: median(commits), accept: median(await measureAcceptances(system)) };
  } finally {
    await system.stop();
    rmSync(directory, { recursive: true });
  }
}
