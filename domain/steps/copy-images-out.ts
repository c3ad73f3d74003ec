import { stepKind } from './step-kind.ts';

/**
 * Copies everything that a registry has, by digest, before its server is replaced: into the store, or into the
 * `container` of Swift. `lossAccepted`: images that cannot be read are left out, and named in the log.
 */
export const copyImagesOut = stepKind({
  input: { slot: 'slot', container: 'text?', lossAccepted: 'flag?' },
  summary: 'copy the images of the registry from {node}',
  summaryWith: { container: 'into the Swift container' },
  expectedSeconds: 30,
  timeLimitSeconds: 14_400,
  attempts: 20,
  mustRun: 'without it the images are lost',
  calls: [
    'GET /v2/_catalog, tags/list, manifests and blobs of the registry, through the SSH session with its server',
    'compare each blob with its digest, seal it in the store or put it into the container',
  ],
  nodes: { slot: 'visited' },
});
