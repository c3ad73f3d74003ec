import { stepKind } from './step-kind.ts';

/** Puts the copy of a registry back into it, and checks every tag and digest. */
export const copyImagesIn = stepKind({
  input: { slot: 'slot' },
  summary: 'put the images back into the registry on {node}, and check every tag and digest',
  expectedSeconds: 30,
  timeLimitSeconds: 14_400,
  attempts: 20,
  mustRun: 'without it the images are lost',
  calls: [
    'POST and PUT blobs, PUT manifests and tags of the registry, through the SSH session with its server',
    'HEAD of every tag, manifest and blob',
  ],
  nodes: { slot: 'visited' },
});
