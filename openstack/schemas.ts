/**
 * The members of OpenStack's answers that vnflow uses. Other members are let through: services add some with every
 * release.
 */
import { z } from 'zod';
import { listOf, recordOf } from './bounded.ts';

/** The largest public clouds list about 60 services with three endpoints for each of their regions. */
const MOST_SERVICES = 200;
const MOST_ENDPOINTS = 300;

const endpoint = z.looseObject({
  interface: z.string(),
  url: z.string(),
  region: z.string().nullish(),
  region_id: z.string().nullish(),
});

export const tokenSchema = z.looseObject({
  token: z.looseObject({
    user: z.looseObject({ id: z.string(), name: z.string() }),
    project: z.looseObject({ id: z.string(), name: z.string() }).optional(),
    roles: listOf(z.looseObject({ name: z.string() })).default([]),
    expires_at: z.string(),
    catalog: listOf(
      z.looseObject({ type: z.string(), endpoints: listOf(endpoint, MOST_ENDPOINTS) }),
      MOST_SERVICES,
    ).default([]),
  }),
});
export type Token = z.infer<typeof tokenSchema>['token'];

const links = listOf(z.looseObject({ href: z.string(), rel: z.string() })).default([]);

export const createdStackSchema = z.looseObject({ stack: z.looseObject({ id: z.string() }) });

export const stackSchema = z.looseObject({
  stack: z.looseObject({
    id: z.string(),
    stack_name: z.string(),
    stack_status: z.string(),
    stack_status_reason: z.string().nullish(),
    creation_time: z.string().nullish(),
    updated_time: z.string().nullish(),
    parent: z.string().nullish(),
    /** Every value is text; a json parameter is JSON text. */
    parameters: recordOf(z.string().nullable()).default({}),
    outputs: listOf(z.looseObject({ output_key: z.string(), output_value: z.unknown() })).default([]),
  }),
});
export type Stack = z.infer<typeof stackSchema>['stack'];

const resource = z.looseObject({
  resource_name: z.string(),
  resource_type: z.string(),
  /** Empty while the resource does not exist yet. */
  physical_resource_id: z
    .string()
    .nullish()
    .transform((id) => id ?? ''),
  resource_status: z.string(),
  resource_status_reason: z
    .string()
    .nullish()
    .transform((reason) => reason ?? ''),
  creation_time: z.string().nullish(),
  updated_time: z.string().nullish(),
  required_by: listOf(z.string()).default([]),
  /** Only on resources of nested stacks: the name of the resource that stands for the nested stack. */
  parent_resource: z.string().nullish(),
  links,
});
export const resourcesSchema = z.looseObject({ resources: listOf(resource) });
export const resourceSchema = z.looseObject({
  resource: resource.extend({ attributes: recordOf(z.unknown()).nullish() }),
});
export type StackResource = z.infer<typeof resource>;
export type StackResourceDetail = z.infer<typeof resourceSchema>['resource'];

export const eventsSchema = z.looseObject({
  events: listOf(
    z.looseObject({
      id: z.string(),
      event_time: z.string(),
      resource_name: z.string(),
      physical_resource_id: z.string().nullish(),
      resource_status: z.string(),
      resource_status_reason: z
        .string()
        .nullish()
        .transform((reason) => reason ?? ''),
      links,
    }),
  ),
});
export type StackEvent = z.infer<typeof eventsSchema>['events'][number];

export const templateSchema = recordOf(z.unknown());
export const filesSchema = recordOf(z.string());

const address = z.looseObject({ addr: z.string(), version: z.number(), 'OS-EXT-IPS:type': z.string().optional() });
const server = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  metadata: recordOf(z.string()).default({}),
  addresses: recordOf(listOf(address)).default({}),
  created: z.string().nullish(),
  hostId: z.string().nullish(),
  'OS-EXT-STS:power_state': z.int().nullish(),
  'OS-EXT-STS:task_state': z.string().nullish(),
  'OS-SRV-USG:launched_at': z.string().nullish(),
  'OS-EXT-AZ:availability_zone': z.string().nullish(),
  /** As a rule only for an admin. Null before the server is placed. */
  'OS-EXT-SRV-ATTR:host': z.string().nullish(),
  fault: z.looseObject({ message: z.string() }).optional(),
});
export const serverSchema = z.looseObject({ server });
export const serversSchema = z.looseObject({ servers: listOf(server), servers_links: links });
export const consoleSchema = z.looseObject({ output: z.string().nullable() });
export type Server = z.infer<typeof server>;

export const portSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  network_id: z.string().nullish(),
  device_id: z.string().nullish(),
  mac_address: z.string().nullish(),
  status: z.string().nullish(),
  fixed_ips: listOf(z.looseObject({ subnet_id: z.string(), ip_address: z.string() })).default([]),
});
export type Port = z.infer<typeof portSchema>;

export const floatingIpSchema = z.looseObject({
  id: z.string(),
  floating_ip_address: z.string(),
  fixed_ip_address: z.string().nullish(),
  port_id: z.string().nullish(),
});
export type FloatingIp = z.infer<typeof floatingIpSchema>;

export const subnetSchema = z.looseObject({ id: z.string(), cidr: z.string(), network_id: z.string().nullish() });
export type Subnet = z.infer<typeof subnetSchema>;

const image = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string(),
  checksum: z.string().nullish(),
  os_hash_algo: z.string().nullish(),
  os_hash_value: z.string().nullish(),
  tags: listOf(z.string()).default([]),
});
export const imageSchema = image;
export const imagesSchema = z.looseObject({ images: listOf(image) });
export type Image = z.infer<typeof image>;

export const limitsSchema = z.looseObject({
  limits: z.looseObject({
    absolute: z.looseObject({
      maxTotalInstances: z.number(),
      maxTotalCores: z.number(),
      maxTotalRAMSize: z.number(),
      totalInstancesUsed: z.number(),
      totalCoresUsed: z.number(),
      totalRAMUsed: z.number(),
    }),
  }),
});
export const flavorsSchema = z.looseObject({
  flavors: listOf(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      vcpus: z.number(),
      ram: z.number(),
      disk: z.number().default(0),
    }),
  ),
  flavors_links: listOf(z.looseObject({ rel: z.string() })).optional(),
});
export const serverGroupsSchema = z.looseObject({
  server_groups: listOf(
    z.looseObject({ name: z.string(), policies: listOf(z.string()).default([]), members: listOf(z.string()) }),
  ),
});
export const hypervisorsSchema = z.looseObject({
  hypervisors: listOf(z.looseObject({ state: z.string().nullish(), status: z.string().nullish() })),
});
