import { createHash } from 'node:crypto';
import type { Image, Session } from '../world/cloud/cloud-state.ts';
import type { Foundation } from '../world/cloud/foundation.ts';
import { isObject, type JsonObject, listAt, stringAt } from '../world/cloud/json.ts';
import { Refusal, STATUS_TITLES } from '../world/cloud/refusal.ts';
import { timestamp } from '../world/cloud/times.ts';
import { type Answer, type Call, type Route, route, type Service } from './service.ts';

const OWN_KEYS = new Set([
  ...['name', 'id', 'visibility', 'disk_format', 'container_format', 'min_disk', 'min_ram', 'protected', 'tags'],
  ...['owner', 'os_hidden', 'status', 'size', 'checksum', 'created_at', 'updated_at', 'self', 'file', 'schema'],
]);

/** Glance v2. It counts and hashes uploaded bytes and does not keep them. */
export function createGlance(foundation: Foundation): Service {
  const { url } = foundation;
  const version = (id: string, status: string) => ({
    id,
    status,
    links: [{ rel: 'self', href: `${url()}/image/v2/` }],
  });
  const versions = () => ({
    status: 300,
    body: { versions: [version('v2.15', 'CURRENT'), version('v2.9', 'SUPPORTED'), version('v2.0', 'SUPPORTED')] },
  });
  return {
    name: 'glance',
    mount: '/image',
    routes: [
      { method: 'GET', path: '/', auth: 'none', handle: versions },
      { method: 'GET', path: '/versions', auth: 'none', handle: () => ({ ...versions(), status: 200 }) },
      ...imageRoutes(foundation),
    ],
    refuse: ({ status, message }) => answerError(status, message),
    unknownUrl: () => answerError(404, 'The resource could not be found.'),
    headers: (requestId) => ({ 'X-Openstack-Request-Id': requestId }),
  };
}

const UNVERIFIED =
  'This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.';

function answerError(status: number, message: string): Answer {
  const title = STATUS_TITLES[status] ?? 'Error';
  const text = status === 401 ? UNVERIFIED : message;
  return { status, body: { message: `${text}<br /><br />\n\n\n`, code: `${status} ${title}`, title } };
}

function imageRoutes(foundation: Foundation): Route[] {
  const { state, chance, changed, url } = foundation;
  const get = ({ params, session }: Call) => {
    const id = params['id'] ?? '';
    const image = state.images[id];
    if (!image || !maySee(image, session)) throw new Refusal(404, 'Not Found', `No image found with ID ${id}`);
    return image;
  };
  return [
    route('GET', '/v2/images', (call) => ({
      status: 200,
      body: {
        images: listImages(Object.values(state.images), call),
        first: `/v2/images${call.query.size > 0 ? `?${call.query}` : ''}`,
        schema: '/v2/schemas/images',
      },
    })),
    route('POST', '/v2/images', ({ body, session }) => {
      const image = readImage(isObject(body) ? body : {}, { id: chance.uuid(), projectId: session.projectId });
      if (state.images[image.id]) throw new Refusal(409, 'Conflict', `Image ID ${image.id} already exists!`);
      state.images[image.id] = image;
      changed();
      return { status: 201, body: viewImage(image), headers: { Location: `${url()}/image/v2/images/${image.id}` } };
    }),
    route('GET', '/v2/images/:id', (call) => ({ status: 200, body: viewImage(get(call)) })),
    route('PATCH', '/v2/images/:id', (call) => {
      const image = get(call);
      patchImage(image, Array.isArray(call.body) ? call.body : []);
      changed();
      return { status: 200, body: viewImage(image) };
    }),
    route('DELETE', '/v2/images/:id', (call) => {
      const image = get(call);
      if (image.projectId !== call.session.projectId && !call.session.admin) {
        throw new Refusal(403, 'Forbidden', 'You are not permitted to delete this image.');
      }
      delete state.images[image.id];
      changed();
      return { status: 204, headers: { 'Content-Type': 'text/html; charset=UTF-8' } };
    }),
    {
      method: 'PUT',
      path: '/v2/images/:id/file',
      payload: 'upload',
      handle: async (call) => {
        const image = get(call);
        if (image.status !== 'queued') {
          throw new Refusal(409, 'Conflict', `Image status transition from ${image.status} to saving is not allowed`);
        }
        image.status = 'saving';
        await receive(image, call.upload);
        changed();
        return { status: 204, headers: { 'Content-Type': 'text/html; charset=UTF-8' } };
      },
    },
    route('PUT', '/v2/images/:id/tags/:tag', (call) => {
      const image = get(call);
      image.tags = [...new Set([...image.tags, call.params['tag'] ?? ''])];
      changed();
      return { status: 204 };
    }),
    route('GET', '/v2/schemas/image', () => ({
      status: 200,
      body: { name: 'image', properties: {}, additionalProperties: { type: 'string' } },
    })),
  ];
}

function maySee(image: Image, session: Session): boolean {
  return session.admin || image.visibility !== 'private' || image.projectId === session.projectId;
}

function listImages(images: readonly Image[], { query, session }: Call): JsonObject[] {
  const [name, status, visibility] = [query.get('name'), query.get('status'), query.get('visibility')];
  const tags = query.getAll('tag');
  return images
    .filter(
      (image) =>
        maySee(image, session) &&
        (name === null || image.name === name || name === `in:${image.name}`) &&
        (status === null || image.status === status) &&
        (visibility === null || image.visibility === visibility) &&
        tags.every((tag) => image.tags.includes(tag)),
    )
    .map(viewImage);
}

function readImage(given: JsonObject, at: { id: string; projectId: string }): Image {
  const now = timestamp();
  const extra = Object.entries(given).filter(([key, value]) => !OWN_KEYS.has(key) && typeof value === 'string');
  return {
    id: stringAt(given, 'id') ?? at.id,
    name: stringAt(given, 'name') ?? '',
    projectId: at.projectId,
    visibility: stringAt(given, 'visibility') ?? 'shared',
    status: 'queued',
    diskFormat: stringAt(given, 'disk_format') ?? null,
    containerFormat: stringAt(given, 'container_format') ?? null,
    size: null,
    checksum: null,
    sha512: null,
    minDisk: Number(given['min_disk'] ?? 0),
    minRam: Number(given['min_ram'] ?? 0),
    isProtected: given['protected'] === true,
    tags: listAt(given, 'tags').map(String),
    extra: Object.fromEntries(extra.map(([key, value]) => [key, String(value)])),
    createdAt: now,
    updatedAt: now,
  };
}

function patchImage(image: Image, changes: readonly unknown[]): void {
  for (const change of changes) {
    if (!isObject(change)) continue;
    const key = String(change['path'] ?? '').slice(1);
    const value = change['value'];
    if (key === 'name') image.name = String(value);
    else if (key === 'visibility') image.visibility = String(value);
    else if (key === 'tags' && Array.isArray(value)) image.tags = value.map(String);
    else if (change['op'] === 'remove') delete image.extra[key];
    else if (!OWN_KEYS.has(key)) image.extra[key] = String(value);
  }
  image.updatedAt = timestamp();
}

async function receive(image: Image, upload: Call['upload']): Promise<void> {
  const [md5, sha512] = [createHash('md5'), createHash('sha512')];
  let size = 0;
  try {
    for await (const chunk of upload ?? []) {
      md5.update(chunk);
      sha512.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    image.status = 'queued'; // the client disconnected during the upload and may repeat it
    throw error;
  }
  image.size = size;
  image.checksum = md5.digest('hex');
  image.sha512 = sha512.digest('hex');
  image.status = 'active';
  image.updatedAt = timestamp();
}

function viewImage(image: Image): JsonObject {
  return {
    ...image.extra,
    name: image.name,
    disk_format: image.diskFormat,
    container_format: image.containerFormat,
    visibility: image.visibility,
    size: image.size,
    virtual_size: null,
    status: image.status,
    checksum: image.checksum,
    protected: image.isProtected,
    min_ram: image.minRam,
    min_disk: image.minDisk,
    owner: image.projectId,
    os_hidden: false,
    os_hash_algo: image.sha512 === null ? null : 'sha512',
    os_hash_value: image.sha512,
    id: image.id,
    created_at: image.createdAt,
    updated_at: image.updatedAt,
    tags: image.tags,
    self: `/v2/images/${image.id}`,
    file: `/v2/images/${image.id}/file`,
    schema: '/v2/schemas/image',
    ...(image.status === 'active' ? { stores: 'local' } : {}),
  };
}
