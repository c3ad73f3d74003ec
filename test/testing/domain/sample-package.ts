import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { InstantiateVnfRequest } from '../../../domain/sol-requests.ts';

const SAMPLES = path.join(import.meta.dirname, '../../../samples');
const PACKAGE = path.join(SAMPLES, 'kubernetes-cluster');

/** The YAML files of the sample package, by path in the package. */
export function samplePackageFiles(): Map<string, string> {
  return new Map(
    readdirSync(PACKAGE, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file, readFileSync(path.join(PACKAGE, file), 'utf8')]),
  );
}

/** An instantiate body of the guide. */
export function sampleRequest(flavourId: 'simple' | 'complex'): InstantiateVnfRequest {
  const text = readFileSync(path.join(SAMPLES, 'requests', `instantiate-${flavourId}.json`), 'utf8');
  return InstantiateVnfRequest.parse(JSON.parse(text));
}
