import { runSimulator } from './run.ts';

/** The simulator as a process of its own: `node simulator/main.ts --directory DIR --port 0 --speed 10`. */
await runSimulator(process.argv.slice(2));
