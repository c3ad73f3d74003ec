import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { SamplerChoice } from './trace-settings.ts';

/** The samplers that OTEL_TRACES_SAMPLER can name. */
const SAMPLERS: { readonly [K in SamplerChoice['name']]: (ratio: number) => Sampler } = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/** Makes the sampler that decides which traces are recorded. */
export function createSampler({ name, ratio }: SamplerChoice): Sampler {
  return SAMPLERS[name](ratio);
}
