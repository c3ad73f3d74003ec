import type { SimNode } from '../world.ts';
import { type Image, idOf } from './image.ts';
import { normalImage } from './image-name.ts';

/** The images of docker on a machine, by their full names. */
export function dockerImages({ state }: SimNode): Record<string, Image> {
  state.dockerImages ??= {};
  return state.dockerImages;
}

/** Gives an image a name. An image that had the name before loses it. */
export function tagImage(node: SimNode, full: string, image: Image): void {
  dockerImages(node)[full] = image;
  node.changed();
}

/** Finds an image by a name or by the beginning of its id. */
export function findImage(node: SimNode, word: string): Image | undefined {
  const images = dockerImages(node);
  const byName = images[normalImage(word)];
  if (byName) return byName;
  const id = word.replace(/^sha256:/, '');
  if (!/^[0-9a-f]{3,64}$/.test(id)) return undefined;
  return Object.values(images).find((image) => idOf(image).startsWith(`sha256:${id}`));
}

/** All names of an image, as docker prints them. */
export function namesOf(node: SimNode, image: Image): readonly string[] {
  const id = idOf(image);
  return Object.entries(dockerImages(node)).flatMap(([name, other]) => (idOf(other) === id ? [name] : []));
}
