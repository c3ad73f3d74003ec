import type { Readable } from 'node:stream';
import { type Image, imageSchema, imagesSchema } from './schemas.ts';
import type { CallOptions, ServiceRequest, Session } from './session.ts';

export type { Image } from './schemas.ts';

export interface NewImage {
  readonly name: string;
  readonly diskFormat: string;
  readonly containerFormat: string;
  readonly minDiskGb?: number;
  readonly minRamMb?: number;
  readonly tags?: readonly string[];
}

function requestGlance(session: Session, request: Omit<ServiceRequest, 'service'>) {
  return session.request({ service: 'image', ...request });
}

/**
 * Finds an image by name. When several have the name, an active one comes before one that is still queued.
 * @returns undefined when no image has the name
 */
export async function findImage(session: Session, name: string, options: CallOptions = {}): Promise<Image | undefined> {
  const path = `images?name=${encodeURIComponent(name)}`;
  const { images } = (await requestGlance(session, { method: 'GET', path, expect: [200], ...options })).read(
    imagesSchema,
  );
  return images.find(({ status }) => status === 'active') ?? images[0];
}

/**
 * Creates an image without data; its status is `queued`.
 * @internal only tests call it so far
 */
export async function createImage(session: Session, image: NewImage, options: CallOptions = {}): Promise<Image> {
  const answer = await requestGlance(session, {
    method: 'POST',
    path: 'images',
    json: {
      name: image.name,
      disk_format: image.diskFormat,
      container_format: image.containerFormat,
      visibility: 'private',
      ...(image.minDiskGb === undefined ? {} : { min_disk: image.minDiskGb }),
      ...(image.minRamMb === undefined ? {} : { min_ram: image.minRamMb }),
      ...(image.tags ? { tags: image.tags } : {}),
    },
    expect: [201],
    ...options,
  });
  return answer.read(imageSchema);
}

/**
 * Sends the data of an image.
 * @throws VnflowError VIM_REJECTED when the image has data already
 * @internal only tests call it so far
 */
export async function uploadImage(
  session: Session,
  id: string,
  { data, ...options }: CallOptions & { readonly data: () => Readable },
): Promise<void> {
  const path = `images/${encodeURIComponent(id)}/file`;
  await requestGlance(session, { method: 'PUT', path, stream: data, expect: [204], timeoutMs: 3_600_000, ...options });
}

/**
 * Deletes an image. An image that does not exist is no error.
 * @internal only tests call it so far
 */
export async function deleteImage(session: Session, id: string, options: CallOptions = {}): Promise<void> {
  await requestGlance(session, {
    method: 'DELETE',
    path: `images/${encodeURIComponent(id)}`,
    expect: [204, 404],
    ...options,
  });
}
