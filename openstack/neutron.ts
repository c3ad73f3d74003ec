import { z } from 'zod';
import { listOf } from './bounded.ts';
import { type FloatingIp, floatingIpSchema, type Port, portSchema, type Subnet, subnetSchema } from './schemas.ts';
import type { CallOptions, Session } from './session.ts';

export type { FloatingIp, Port } from './schemas.ts';

/** 40 ids of 36 characters keep the URL under 2 KB. */
const IDS_PER_CALL = 40;

export interface ListOptions extends CallOptions {
  /** Only the objects with these ids. Undefined: all objects of the project. */
  readonly ids?: readonly string[];
  /** Only the floating IPs of these ports. */
  readonly portIds?: readonly string[];
}

interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

interface Collection<T> {
  readonly name: string;
  readonly page: z.ZodType<Page<T>>;
  readonly fields: readonly string[];
}

const links = listOf(z.looseObject({ rel: z.string() })).default([]);
const hasNext = (all: z.infer<typeof links>) => all.some(({ rel }) => rel === 'next');

const PORTS: Collection<Port> = {
  name: 'ports',
  page: z
    .looseObject({ ports: listOf(portSchema), ports_links: links })
    .transform(({ ports, ports_links }) => ({ items: ports, more: hasNext(ports_links) })),
  fields: ['id', 'name', 'network_id', 'device_id', 'mac_address', 'status', 'fixed_ips'],
};
const FLOATING_IPS: Collection<FloatingIp> = {
  name: 'floatingips',
  page: z
    .looseObject({ floatingips: listOf(floatingIpSchema), floatingips_links: links })
    .transform(({ floatingips, floatingips_links }) => ({ items: floatingips, more: hasNext(floatingips_links) })),
  fields: ['id', 'floating_ip_address', 'fixed_ip_address', 'port_id'],
};
const SUBNETS: Collection<Subnet> = {
  name: 'subnets',
  page: z
    .looseObject({ subnets: listOf(subnetSchema), subnets_links: links })
    .transform(({ subnets, subnets_links }) => ({ items: subnets, more: hasNext(subnets_links) })),
  fields: ['id', 'cidr', 'network_id'],
};

export function listPorts(session: Session, options: Omit<ListOptions, 'portIds'> = {}): Promise<readonly Port[]> {
  return list(session, PORTS, options);
}

export function listFloatingIps(session: Session, options: ListOptions = {}): Promise<readonly FloatingIp[]> {
  return list(session, FLOATING_IPS, options);
}

export function listSubnets(session: Session, options: Omit<ListOptions, 'portIds'> = {}): Promise<readonly Subnet[]> {
  return list(session, SUBNETS, options);
}

async function list<T extends { id: string }>(
  session: Session,
  collection: Collection<T>,
  options: ListOptions,
): Promise<readonly T[]> {
  const { ids, portIds, ...call } = options;
  const filter = ids ? { key: 'id', values: ids } : portIds ? { key: 'port_id', values: portIds } : undefined;
  if (!filter) return listPages(session, collection, { query: [await projectFilter(session)], call });
  const chunks = splitIntoChunks([...new Set(filter.values)], IDS_PER_CALL);
  const found: T[] = [];
  for (const chunk of chunks) {
    const query = chunk.map((value) => [filter.key, value] as const);
    found.push(...(await listPages(session, collection, { query, call })));
  }
  return found;
}

/** Limits a list to the session's project: an administrator would get the objects of every project. */
async function projectFilter(session: Session): Promise<readonly [string, string]> {
  return ['project_id', await session.projectId()];
}

async function listPages<T extends { id: string }>(
  session: Session,
  { name, page, fields }: Collection<T>,
  { query, call }: { query: readonly (readonly [string, string])[]; call: CallOptions },
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let marker: string | undefined; ; ) {
    const search = new URLSearchParams();
    for (const [key, value] of query) search.append(key, value);
    for (const field of fields) search.append('fields', field);
    if (marker !== undefined) search.append('marker', marker);
    const path = `${name}?${search}`;
    const answer = await session.request({
      service: 'network',
      method: 'GET',
      path,
      expect: [200],
      timeoutMs: 60_000,
      ...call,
    });
    const { items, more } = answer.read(page);
    found.push(...items);
    marker = more ? items.at(-1)?.id : undefined;
    if (marker === undefined) return found;
  }
}

function splitIntoChunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
