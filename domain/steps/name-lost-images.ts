import { stepKind } from './step-kind.ts';

/** Names the images that a registry loses because its server is replaced, as far as the server still answers. */
export const nameLostImages = stepKind({
  input: { slot: 'slot' },
  summary: 'name the images that are lost with {node}: they are on its disk, and nothing keeps them',
  expectedSeconds: 2,
  timeLimitSeconds: 120,
  attempts: 20,
  mustRun: false,
  calls: ['curl http://127.0.0.1:PORT/v2/_catalog and tags/list, on the server'],
  nodes: { slot: 'visited' },
});
