import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';

const SAMPLE = fileURLToPath(new URL('../samples/kubernetes-cluster', import.meta.url));
const SAMPLE_VNFD_ID = 'd34ac189-5376-493f-828f-224dd5fe7393';
/** Number of workers in both flavours of the sample, before any scaling. */
const FIRST_WORKERS = 2;
export const LARGE_LEVEL = 'large';

export type FlavourId = 'simple' | 'complex';
/** Control-plane nodes of a flavour. */
export const CONTROL_PLANE: Readonly<Record<FlavourId, number>> = { simple: 1, complex: 3 };

/**
 * Makes a larger sample package: it adds a level `large` with that many workers to a flavour, and raises the limit of
 * its scaling aspect. The Heat templates and the script stay as they are.
 * @returns directory of the package source
 */
export function writeLargePackage(flavour: FlavourId, workers: number, maxWorkers: number): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-bench-package-'));
  cpSync(SAMPLE, directory, { recursive: true });
  const file = path.join(directory, 'Definitions', `flavour_${flavour}.yaml`);
  const vnfd = parseDocument(readFileSync(file, 'utf8'));
  const policy = (name: string, ...rest: string[]) => {
    const policies = vnfd.getIn(['topology_template', 'policies']) as { items: { has(key: string): boolean }[] };
    const index = policies.items.findIndex((item) => item.has(name));
    if (index < 0) throw new Error(`the sample's flavour has no policy ${name}`);
    return ['topology_template', 'policies', index, name, 'properties', ...rest];
  };
  const most = maxWorkers - FIRST_WORKERS;
  vnfd.setIn(policy('scaling_aspects', 'aspects', 'workerNode_scale', 'max_scale_level'), most);
  vnfd.setIn(policy('instantiation_levels', 'levels', LARGE_LEVEL), {
    description: `${workers} workers`,
    scale_info: { workerNode_scale: { scale_level: workers - FIRST_WORKERS } },
  });
  vnfd.setIn(policy('masterNode_instantiation_levels', 'levels', LARGE_LEVEL), {
    number_of_instances: CONTROL_PLANE[flavour],
  });
  vnfd.setIn(policy('workerNode_instantiation_levels', 'levels', LARGE_LEVEL), { number_of_instances: workers });
  vnfd.setIn(
    ['topology_template', 'node_templates', 'workerNode', 'properties', 'vdu_profile', 'max_number_of_instances'],
    maxWorkers,
  );
  writeFileSync(file, vnfd.toString());
  renameVnfd(directory);
  return directory;
}

/** Gives the VNFD a new id, because an id can be onboarded only once. */
function renameVnfd(directory: string): void {
  const id = randomUUID();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(directory, name);
    if (!/\.(yaml|mf|meta)$/.test(name)) continue;
    const text = readFileSync(file, 'utf8');
    if (text.includes(SAMPLE_VNFD_ID)) writeFileSync(file, text.replaceAll(SAMPLE_VNFD_ID, id));
  }
}
