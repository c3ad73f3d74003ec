import { z } from 'zod';

/** `additionalParams.drain_timeout` of scale and heal: seconds that pods have to leave a node. */
export const DrainTimeout = z.int().min(1).max(3_000).default(300);
