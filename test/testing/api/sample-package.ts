import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../../samples');

/** Every file of the sample package, by path. */
export function samplePackageFiles(): Map<string, Buffer> {
  const folder = path.join(ROOT, 'kubernetes-cluster');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file)];
    }),
  );
}

/**
 * A request body of the guide, parsed anew each time so that a test may change it. Without its `vim_name`: tests make
 * many instances in one project, which has a VIM's name only once.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests change single members of any type
export function sampleRequest(name: 'instantiate-simple' | 'instantiate-complex'): any {
  const request = JSON.parse(readFileSync(path.join(ROOT, 'requests', `${name}.json`), 'utf8'));
  delete request.additionalParams.k8s_cluster_installation_param.vim_name;
  return request;
}
