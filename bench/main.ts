import { parseArgs } from 'node:util';
import { benchAccept } from './accept.ts';
import { benchCounts } from './counts.ts';
import { benchDurability } from './durability.ts';
import { benchInstantiate } from './instantiate.ts';
import { benchScale } from './scale.ts';

/** `npm run bench`: measures vnflow's claims about time. */
const { values } = parseArgs({
  options: {
    speed: { type: 'string' },
    counts: { type: 'boolean', default: false },
    only: { type: 'string' },
    nodes: { type: 'string', default: '5,50,500' },
    api: { type: 'string', default: 'v2' },
  },
});
const speed = Number(values.speed ?? 1);
if (values.api !== 'v1' && values.api !== 'v2') throw new Error(`--api ${values.api}: v1 or v2`);
const version = values.api;
const sizes = values.nodes.split(',').map(Number);
let benches: Record<string, () => Promise<void>> = {
  accept: benchAccept,
  durability: benchDurability,
  instantiate: async () => {
    for (const nodes of sizes) await benchInstantiate({ nodes, speed, version });
  },
  scale: () => benchScale({ speed, version }),
};
if (values.counts) {
  const given = values.speed === undefined ? undefined : speed;
  benches = { counts: () => benchCounts(sizes, { speed: given, version }) };
}
for (const [name, bench] of Object.entries(benches)) {
  if (values.only === undefined || values.only === name) await bench();
}
