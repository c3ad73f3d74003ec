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

const PACKS = {
  cluster: (directory: string) => packSmallSample(directory),
  plain: (directory: string, root: string) => packSample('plain', directory, root),
  registry: (directory: string, root: string) => packSample('private-registry', directory, root),
};
const PACKAGES = ['cluster', 'plain', 'registry'] as const;
type PackageName = (typeof PACKAGES)[number];
const PLACES = { up: startUpPlace, production: startProductionPlace } as const;
/** So short that tokens expire in the middle of operations. */
const TOKEN_LIFETIME_SECONDS = 120;

export interface GroundOptions {
  readonly directory: string;
  readonly speed: number;
  /** The checkout whose vnflow runs. */
  readonly root: string;
  /** Names of the packages that are needed. Default: all. */
  readonly packages?: readonly PackageName[];
}

/** Starts a place and onboards the packages. @returns the place, ready for runs, and how it is stopped */
export async function startGround(shape: Shape, options: GroundOptions): Promise<Ground & { stop(): Promise<void> }> {
  const { directory, root } = options;
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const place = await PLACES[shape]({ ...options, tokenLifetime: TOKEN_LIFETIME_SECONDS });
  try {
    const cloud = await connectCloud(place.authUrl, place.simulatorUrl);
    const vnfm = connectVnfm(place.apiUrls, cloud.token);
    const packages = new Map<string, string>();
    for (const name of options.packages ?? PACKAGES)
      packages.set(name, await vnfm.onboard(await PACKS[name](directory, root)));
    const engine = await viewEngine(place.temporalAddress);
    const stop = async () => {
      await engine.close();
      await place.stop();
    };
    let stopped: Promise<void> | undefined;
    return {
      witnesses: { place, vnfm, cloud, engine },
      world: viewWorld(place.simulatorUrl),
      packages,
      secrets: createSecretScan(),
      // a second SIGTERM would end `vnflow up` before its children have ended
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    await place.stop();
    throw error;
  }
}
