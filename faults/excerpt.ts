import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Witnesses } from './evidence.ts';
import type { Violation } from './invariants.ts';
import { showWorkflow } from './temporal-server.ts';

/** A violated round or run. */
interface Violated {
  readonly scenario: { readonly seed: number; readonly kind?: string };
  readonly violations: readonly Violation[];
  readonly instances: readonly string[];
}

const MOST_INSTANCES = 3;

/**
 * Saves facts that help to understand a violated round: the requests, and the answers of API and Temporal for some
 * instances.
 * @returns path of the folder
 */
export async function keepExcerpt({ place, vnfm }: Witnesses, report: Violated, folder: string): Promise<string> {
  const { scenario, violations, instances } = report;
  const directory = path.join(folder, `seed-${scenario.seed}-${scenario.kind ?? 'run'}-${place.shape}`);
  mkdirSync(directory, { recursive: true });
  const keep = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
  keep('scenario.json', JSON.stringify(scenario, undefined, 1));
  keep(
    'violations.txt',
    violations.map(({ invariant, instance, text }) => `${invariant}: ${instance} ${text}\n`).join(''),
  );
  const sent = vnfm.sent.filter(({ instance }) => instances.includes(instance));
  keep('sent.jsonl', sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const violated = [...new Set(violations.map(({ instance }) => instance))].filter((id) => id !== '');
  const involved = violated.length > 0 ? violated : instances;
  for (const instance of involved.slice(0, MOST_INSTANCES)) {
    const operations = await vnfm.operations([instance]).catch(() => []);
    const parts = [
      await vnfm.show(`/vnflcm/v2/vnf_instances/${instance}`),
      ...(await Promise.all(
        operations.flatMap(({ id }) => [
          vnfm.show(`/vnflcm/v2/vnf_lcm_op_occs/${id}`),
          vnfm.show(`/vnflow/v1/vnf_lcm_op_occs/${id}/events`),
        ]),
      )),
      await showWorkflow(place.temporalAddress, `vnf/${instance}`),
    ];
    keep(`${instance}.txt`, parts.join('\n\n'));
  }
  return directory;
}
