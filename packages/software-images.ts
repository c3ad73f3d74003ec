import { isDeepStrictEqual } from 'node:util';
import type { SoftwareImage } from '../domain/vnfd/model.ts';
import { isUri } from '../domain/vnfd/package-path.ts';
import type { Vnfd } from '../domain/vnfd.ts';
import { createCsarProblem } from './csar-problem.ts';

/** VnfPackageSoftwareImageInfo as Tacker's `/vnfpkgm/v1` gives it. Sizes in bytes. */
export interface SoftwareImageInfo extends Omit<SoftwareImage, 'provider' | 'imagePath'> {
  readonly provider: string;
  /** `2024-04-16 04:22:31+00:00` */
  readonly createdAt: string;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** Path in the package, or a URI. Empty when the VIM has the image already. */
  readonly imagePath: string;
}

/**
 * Lists the images that the flavours of a VNFD use. SOL005 lists the content of the package, so an image that several
 * flavours use for a node is listed once. Flavours that use different images for a node have one entry for each image,
 * under the node's name.
 * @param hashes SHA-256 of all files in the package, by path: an image without a checksum in the VNFD has that of its
 * file
 * @param now when the package was read
 * @throws VnflowError CSAR_INVALID when an image that the VNFD names is not in the package
 */
export function softwareImages(vnfd: Vnfd, hashes: ReadonlyMap<string, string>, now: Date): SoftwareImageInfo[] {
  const createdAt = `${now.toISOString().slice(0, 19).replace('T', ' ')}+00:00`;
  const images = vnfd.flavours.flatMap((flavour) =>
    flavour.softwareImages.map(({ provider = '', imagePath = '', ...image }) => {
      if (imagePath !== '' && !isUri(imagePath) && !hashes.has(imagePath)) {
        throw createCsarProblem(
          `The VNFD (flavour ${flavour.id}, ${image.id}) names the image file ${imagePath}, which is not in the package; add it, or leave out the artifact sw_image to use an image of the VIM.`,
        );
      }
      const hash = hashes.get(imagePath);
      const checksum = image.checksum ?? (hash === undefined ? undefined : { algorithm: 'SHA-256', hash });
      return { ...image, ...(checksum ? { checksum } : {}), provider, imagePath, createdAt, userMetadata: {} };
    }),
  );
  return images.filter((image, at) => images.findIndex((other) => isDeepStrictEqual(other, image)) === at);
}
