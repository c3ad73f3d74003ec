import { Readable } from 'node:stream';
import { z } from 'zod';
import type { CallOptions, Session } from './session.ts';

const SERVICE = 'object-store';
/** An object of some megabytes. */
const TIMEOUT_MS = 120_000;
const Objects = z.array(z.object({ name: z.string().optional() }));

/** An object by its container and name. */
interface ObjectRef {
  readonly container: string;
  readonly name: string;
}

/** Makes a container. One that exists stays as it is (api-ref/object-store "Create container"). */
export async function createContainer(session: Session, container: string, options: CallOptions = {}): Promise<void> {
  const path = encodeURIComponent(container);
  await session.request({ service: SERVICE, method: 'PUT', path, expect: [201, 202, 204], ...options });
}

/** Writes an object, also over an older one of that name. */
export async function putObject(
  session: Session,
  ref: ObjectRef,
  { content, ...options }: CallOptions & { readonly content: Buffer },
): Promise<void> {
  const stream = () => Readable.from([content]);
  const call = { service: SERVICE, method: 'PUT', path: pathOf(ref), stream, expect: [201, 202] } as const;
  await session.request({ ...call, timeoutMs: TIMEOUT_MS, ...options });
}

/** Reads an object. @returns undefined when there is no such object or container */
export async function getObject(
  session: Session,
  ref: ObjectRef,
  options: CallOptions = {},
): Promise<Buffer | undefined> {
  const call = { service: SERVICE, method: 'GET', path: pathOf(ref), binary: true, expect: [200, 404] } as const;
  const { status, bytes } = await session.request({ ...call, timeoutMs: TIMEOUT_MS, ...options });
  return status === 404 ? undefined : (bytes ?? Buffer.alloc(0));
}

/** Deletes every object whose name begins with a prefix. The container stays. */
export async function deleteObjects(
  session: Session,
  { container, prefix }: { readonly container: string; readonly prefix: string },
  options: CallOptions = {},
): Promise<void> {
  for (;;) {
    const path = `${encodeURIComponent(container)}?${new URLSearchParams({ prefix, format: 'json', limit: '1000' })}`;
    const answer = await session.request({
      service: SERVICE,
      method: 'GET',
      path,
      expect: [200, 204, 404],
      ...options,
    });
    const names = answer.status === 200 ? answer.read(Objects).flatMap(({ name }) => name ?? []) : [];
    if (names.length === 0) return;
    for (const name of names) {
      const ref = pathOf({ container, name });
      await session.request({ service: SERVICE, method: 'DELETE', path: ref, expect: [204, 404], ...options });
    }
  }
}

function pathOf({ container, name }: ObjectRef): string {
  return `${encodeURIComponent(container)}/${name.split('/').map(encodeURIComponent).join('/')}`;
}
