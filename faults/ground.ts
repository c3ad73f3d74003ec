import { mkdirSync } from 'node:fs';
import { connectCloud } from './cloud.ts';
import { viewEngine } from './engine-view.ts';
import { packSample } from './life-requests.ts';
import type { Shape } from './life-scenario.ts';
import { startProductionPlace } from './place-production.ts';
import { startUpPlace } from './place-up.ts';
import { packSmallSample } from './requests.ts';
import type { Ground } from './run-life.ts';
import { createSecretScan } from './secret-scan.ts';
import { connectVnfm } from './vnfm.ts';
import { viewWorld } from './world-view.ts';

const PLACES = { up: startUpPlace, production: startProductionPlace } as const;
/** So short that tokens expire in the middle of operations. */
const TOKEN_LIFETIME_SECONDS = 120;

export interface GroundOptions {
  readonly directory: string;
  readonly speed: number;
  /** The checkout whose vnflow runs. */
  readonly root: string;
}

/** Starts a place and onboards the packages. @returns the place, ready for runs, and how it is stopped */
export async function startGround(shape: Shape, options: GroundOptions): Promise<Ground & { stop(): Promise<void> }> {
  const { directory, root } = options;
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const place = await PLACES[shape]({ ...options, tokenLifetime: TOKEN_LIFETIME_SECONDS });
  try {
    const cloud = await connectCloud(place.authUrl, place.simulatorUrl);
    const vnfm = connectVnfm(place.apiUrls, cloud.token);
    const packages = new Map([
      ['cluster', await vnfm.onboard(await packSmallSample(directory))],
      ['plain', await vnfm.onboard(await packSample('plain', directory, root))],
      ['registry', await vnfm.onboard(await packSample('private-registry', directory, root))],
    ]);
    const engine = await viewEngine(place.temporalAddress);
    return {
      witnesses: { place, vnfm, cloud, engine },
      world: viewWorld(place.simulatorUrl),
      packages,
      secrets: createSecretScan(),
      stop: async () => {
        await engine.close();
        await place.stop();
      },
    };
  } catch (error) {
    await place.stop();
    throw error;
  }
}
