import type { ComputeNeeds, NovaFlavor } from '../domain/compute-flavours.ts';
import { flavorsSchema } from './schemas.ts';
import type { CallOptions, Session } from './session.ts';

/** Lists the flavors that the project may use, page by page (api-ref/compute "List Flavors With Details"). */
export async function listFlavors(session: Session, options: CallOptions = {}): Promise<readonly NovaFlavor[]> {
  const flavors: NovaFlavor[] = [];
  for (let marker: string | undefined; ; ) {
    const path = `flavors/detail${marker === undefined ? '' : `?marker=${encodeURIComponent(marker)}`}`;
    const answer = await session.request({ service: 'compute', method: 'GET', path, expect: [200], ...options });
    const page = answer.read(flavorsSchema);
    flavors.push(...page.flavors.map(({ id, name, vcpus, ram, disk }) => ({ id, name, cores: vcpus, ram, disk })));
    marker = page.flavors_links?.some(({ rel }) => rel === 'next') ? page.flavors.at(-1)?.id : undefined;
    if (marker === undefined) return flavors;
  }
}

/**
 * Creates a flavor that every project may use (api-ref/compute "Create Flavor"). One that has the name already is taken
 * for the one that an earlier attempt made.
 * @returns false when Nova's policy does not let this user create flavors
 */
export async function createFlavor(
  session: Session,
  { name, cores, ram, disk }: ComputeNeeds & { readonly name: string },
  options: CallOptions = {},
): Promise<boolean> {
  const flavor = { name, vcpus: cores, ram: Math.max(1, ram), disk };
  const answer = await session.request({
    service: 'compute',
    method: 'POST',
    path: 'flavors',
    json: { flavor },
    expect: [200, 403, 409],
    ...options,
  });
  return answer.status !== 403;
}

/** Deletes a flavor. One that does not exist, or that this user may not delete, is no error. */
export async function deleteFlavor(session: Session, id: string, options: CallOptions = {}): Promise<void> {
  const path = `flavors/${encodeURIComponent(id)}`;
  await session.request({ service: 'compute', method: 'DELETE', path, expect: [202, 204, 403, 404], ...options });
}
