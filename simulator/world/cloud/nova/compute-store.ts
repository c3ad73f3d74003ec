import type { Hypervisor, Machine } from '../../../kernel/machine.ts';
import type { Flavor, Image, Port, Server, ServerGroup } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import type { JsonObject } from '../json.ts';
import type { NetworkStore } from '../neutron/network-store.ts';
import { Refusal } from '../refusal.ts';
import { timestamp } from '../times.ts';
import { checkQuota } from './quotas.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createWaiting } from './waiting.ts';

export interface ServerRequest {
  readonly name: string;
  readonly projectId: string;
  readonly userId: string;
  readonly imageId: string;
  readonly flavorId: string;
  readonly interfaces: readonly ({ portId: string } | { networkId: string; address?: string | undefined })[];
  readonly metadata?: JsonObject;
  readonly userData?: string | undefined;
  readonly keyName?: string | undefined;
  readonly zone?: string | undefined;
  readonly groupId?: string | undefined;
}

/** Servers and what may be done with them. */
export interface ComputeStore {
  readonly scheduler: Scheduler;
  findFlavor(nameOrId: string): Flavor | undefined;
  findImage(nameOrId: string, projectId: string): Image | undefined;
  createServer(request: ServerRequest): Server;
  /** The server goes away after the latency of a deletion. */
  deleteServer(id: string): void;
  /** Waits until the server has left BUILD. */
  built(id: string, signal: AbortSignal): Promise<void>;
  gone(id: string, signal: AbortSignal): Promise<void>;
  /** `crash`: the machine is off, and Nova does not know. */
  power(id: string, action: 'start' | 'stop' | 'reboot' | 'crash'): void;
  /** The same server from another image: a new disk. */
  rebuild(id: string, imageId: string): void;
  resize(id: string, flavorId: string): void;
  attach(id: string, portId: string): void;
  detach(id: string, portId: string): void;
  createGroup(at: Omit<ServerGroup, 'id'>): ServerGroup;
  deleteGroup(id: string): void;
  portsOf(server: Server): Port[];
  /** Takes up what was under way when the simulator stopped. */
  resume(): void;
  stop(): void;
}

const NO_VALID_HOST = 'No valid host was found. There are not enough hosts available.';

/** @param machines the hypervisor; asked for at each use, because it is made after the cloud */
export function createComputeStore(
  foundation: Foundation,
  network: NetworkStore,
  machines: () => Hypervisor,
): ComputeStore {
  const { state, clock, latency, chance, changed } = foundation;
  const scheduler = createScheduler(state);
  const { wake, until } = createWaiting();
  const stopped = new AbortController();

  const server = (id: string): Server => {
    const found = state.servers[id];
    if (!found) throw new Refusal(404, 'itemNotFound', `Instance ${id} could not be found.`);
    return found;
  };
  const touch = (subject: Server) => {
    subject.updatedAt = timestamp();
    changed();
  };
  const at = (elapsed: number, work: () => void) => {
    clock
      .sleep(Math.max(0, elapsed - clock.elapsed()), stopped.signal)
      .then(work)
      .catch(() => undefined);
  };

  const machineOf = (subject: Server): Machine => {
    const flavor = state.flavors[subject.flavorId];
    return {
      id: subject.id,
      name: subject.name,
      imageName: state.images[subject.imageId]?.name ?? '',
      flavor: { vcpus: flavor?.vcpus ?? 1, ramMb: flavor?.ramMb ?? 512, diskGb: flavor?.diskGb ?? 1 },
      host: subject.host,
      ports: portsOf(subject).map(({ id, mac, fixedIps }) => ({
        portId: id,
        mac,
        address: fixedIps[0]?.address ?? '',
        cidr: state.subnets[fixedIps[0]?.subnetId ?? '']?.cidr ?? '',
      })),
      ...(subject.userData === null ? {} : { userData: Buffer.from(subject.userData, 'base64').toString('utf8') }),
    };
  };
  const portsOf = (subject: Server) => subject.portIds.flatMap((id) => state.ports[id] ?? []);

  const finishBuild = (subject: Server) => {
    if (state.servers[subject.id] !== subject || subject.status !== 'BUILD' || subject.task === 'deleting') return;
    subject.dueAt = null;
    subject.task = null;
    subject.status = 'ACTIVE';
    subject.launchedAt = timestamp();
    touch(subject);
    machines().create(machineOf(subject));
    wake(subject.id);
  };
  const failBuild = (subject: Server, message: string) => {
    subject.status = 'ERROR';
    subject.task = null;
    subject.dueAt = null;
    subject.fault = { code: 500, message, created: timestamp() };
    touch(subject);
    wake(subject.id);
  };
  const finishDelete = (subject: Server) => {
    for (const portId of subject.ownPortIds) network.deletePort(portId);
    for (const port of portsOf(subject)) if (port.deviceId === subject.id) network.unbindPort(port);
    for (const volumeId of subject.volumeIds) {
      const volume = state.volumes[volumeId];
      if (volume?.serverId === subject.id) volume.serverId = null;
    }
    scheduler.release(subject.host);
    scheduler.leave(subject.groupId, subject.id);
    delete state.servers[subject.id];
    changed();
    wake(subject.id);
  };

  const plug = (request: ServerRequest, id: string): { portIds: string[]; ownPortIds: string[] } => {
    const ownPortIds: string[] = [];
    const portIds = request.interfaces.map((wanted) => {
      if ('portId' in wanted) return wanted.portId;
      const port = network.createPort({
        projectId: request.projectId,
        networkId: wanted.networkId,
        fixedIps: wanted.address === undefined ? undefined : [{ address: wanted.address }],
        deviceId: id,
      });
      ownPortIds.push(port.id);
      return port.id;
    });
    return { portIds, ownPortIds };
  };

  const createServer: ComputeStore['createServer'] = (request) => {
    for (const wanted of request.interfaces) {
      if (!('portId' in wanted)) continue;
      const port = state.ports[wanted.portId];
      if (!port) throw new Refusal(400, 'badRequest', `Port id ${wanted.portId} could not be found.`);
      if (port.deviceId !== '') throw new Refusal(409, 'conflictingRequest', `Port ${port.id} is still in use.`);
    }
    checkQuota(state, request);
    const id = chance.uuid();
    const host = scheduler.place(request.groupId ?? null);
    const now = timestamp();
    const subject: Server = {
      id,
      name: request.name,
      projectId: request.projectId,
      userId: request.userId,
      status: 'BUILD',
      task: 'spawning',
      imageId: request.imageId,
      flavorId: request.flavorId,
      metadata: request.metadata ?? {},
      host: host ?? '',
      zone: request.zone ?? 'nova',
      keyName: request.keyName ?? null,
      groupId: request.groupId ?? null,
      userData: request.userData ?? null,
      ...plug(request, id),
      volumeIds: [],
      fault: null,
      instanceNumber: ++state.instanceNumber,
      reservation: `r-${chance.letters(8)}`,
      createdAt: now,
      updatedAt: now,
      launchedAt: null,
      dueAt: clock.elapsed() + (host === undefined ? latency.resource : latency.serverActive),
    };
    state.servers[id] = subject;
    if (subject.groupId !== null) scheduler.join(subject.groupId, id);
    for (const port of portsOf(subject)) network.bindPort(port, { id, owner: 'compute:nova', host: subject.host });
    changed();
    schedule(subject);
    return subject;
  };
  const schedule = (subject: Server) => {
    const due = subject.dueAt ?? clock.elapsed();
    if (subject.task === 'deleting') at(due, () => finishDelete(subject));
    else if (subject.host === '') at(due, () => failBuild(subject, NO_VALID_HOST));
    else at(due, () => finishBuild(subject));
  };

  const deleteServer: ComputeStore['deleteServer'] = (id) => {
    const subject = server(id);
    if (subject.task === 'deleting') return;
    subject.task = 'deleting';
    subject.dueAt = clock.elapsed() + latency.serverDelete;
    machines().destroy(id);
    touch(subject);
    schedule(subject);
  };

  return {
    scheduler,
    createServer,
    deleteServer,
    portsOf,
    findFlavor: (nameOrId) =>
      state.flavors[nameOrId] ?? Object.values(state.flavors).find(({ name }) => name === nameOrId),
    findImage: (nameOrId, projectId) =>
      [state.images[nameOrId], ...Object.values(state.images)].find(
        (image) =>
          (image?.name === nameOrId || image?.id === nameOrId) &&
          (image.visibility !== 'private' || image.projectId === projectId),
      ),
    built: (id, signal) => until(id, () => state.servers[id]?.status !== 'BUILD', signal),
    gone: (id, signal) => until(id, () => !state.servers[id], signal),
    power: (id, action) => {
      const subject = server(id);
      if (action === 'crash') return machines().power(id, 'stop');
      const isOff = subject.status === 'SHUTOFF';
      if ((action === 'stop' && subject.status !== 'ACTIVE') || (action === 'start' && !isOff)) {
        const message = `Cannot '${action}' instance ${id} while it is in vm_state ${isOff ? 'stopped' : 'active'}`;
        throw new Refusal(409, 'conflictingRequest', message);
      }
      subject.status = action === 'stop' ? 'SHUTOFF' : 'ACTIVE';
      machines().power(id, action);
      touch(subject);
    },
    rebuild: (id, imageId) => {
      const subject = server(id);
      subject.imageId = imageId;
      subject.status = 'ACTIVE';
      machines().destroy(id);
      machines().create(machineOf(subject));
      touch(subject);
    },
    resize: (id, flavorId) => {
      const subject = server(id);
      subject.flavorId = flavorId;
      machines().power(id, 'reboot');
      touch(subject);
    },
    attach: (id, portId) => {
      const subject = server(id);
      const port = state.ports[portId];
      if (!port) throw new Refusal(404, 'itemNotFound', `Port id ${portId} could not be found.`);
      subject.portIds.push(portId);
      network.bindPort(port, { id, owner: 'compute:nova', host: subject.host });
      touch(subject);
    },
    detach: (id, portId) => {
      const subject = server(id);
      subject.portIds = subject.portIds.filter((other) => other !== portId);
      const port = state.ports[portId];
      if (port) network.unbindPort(port);
      if (subject.ownPortIds.includes(portId)) network.deletePort(portId);
      touch(subject);
    },
    createGroup: (group) => {
      const created = { id: chance.uuid(), ...group };
      state.serverGroups[created.id] = created;
      changed();
      return created;
    },
    deleteGroup: (id) => {
      delete state.serverGroups[id];
      changed();
    },
    resume: () => {
      machines().retain?.(new Set(Object.keys(state.servers)));
      for (const subject of Object.values(state.servers)) {
        if (subject.dueAt !== null) schedule(subject);
        if (subject.launchedAt !== null && subject.task !== 'deleting') machines().create(machineOf(subject));
      }
    },
    stop: () => stopped.abort(),
  };
}
