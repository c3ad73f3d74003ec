import { parseArgs } from 'node:util';
import { benchAccept } from './accept.ts';
import { benchInstantiate } from './instantiate.ts';

/** `npm run bench`: what vnflow claims about time, measured. */
const { values } = parseArgs({
  options: {
    speed: { type: 'string', default: '1' },
    only: { type: 'string' },
    nodes: { type: 'string', default: '5,50,500' },
  },
});
const speed = Number(values.speed);
const sizes = values.nodes.split(',').map(Number);
const benches: Record<string, () => Promise<void>> = {
  accept: benchAccept,
  instantiate: async () => {
    for (const nodes of sizes) await benchInstantiate({ nodes, speed });
  },
};
for (const [name, bench] of Object.entries(benches)) {
  if (values.only === undefined || values.only === name) await bench();
}
