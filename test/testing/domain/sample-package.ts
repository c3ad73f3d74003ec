import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { InstantiateVnfRequest } from '../../../domain/sol-requests.ts';

const SAMPLES = path.join(import.meta.dirname, '../../../samples');

/** The YAML files of a sample package, by path in the package. */
export function samplePackageFiles(name = 'kubernetes-cluster'): Map<string, string> {
  const folder = path.join(SAMPLES, name);
  return new Map(
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );
}

/** An instantiate body of the guide. */
export function sampleRequest(flavourId: 'simple' | 'complex'): InstantiateVnfRequest {
  const text = readFileSync(path.join(SAMPLES, 'requests', `instantiate-${flavourId}.json`), 'utf8');
  return InstantiateVnfRequest.parse(JSON.parse(text));
}
