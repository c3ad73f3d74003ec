import { parseArgs } from 'node:util';
import { benchAccept } from './accept.ts';
import { benchInstantiate } from './instantiate.ts';

/** `npm run bench`: what vnflow claims about time, measured. Takes about six minutes at speed 1. */
const { values } = parseArgs({ options: { speed: { type: 'string', default: '1' }, only: { type: 'string' } } });
const benches: Record<string, () => Promise<void>> = {
  accept: benchAccept,
  instantiate: () => benchInstantiate(Number(values.speed)),
};
for (const [name, bench] of Object.entries(benches)) {
  if (values.only === undefined || values.only === name) await bench();
}
