import type { Hypervisor, Machine } from '../../../kernel/machine.ts';
import type { CloudState, Flavor, Image, Port, Server, ServerGroup, Volume } from '../cloud-state.ts';
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
  /** Ids of volumes that the server has from the start. */
  readonly volumeIds?: readonly string[];
  /** The volume that the server boots from in the place of an image. `imageId` is then empty. */
  readonly bootVolumeId?: string | undefined;
}

const NO_VALID_HOST = 'No valid host was found. There are not enough hosts available.';

/** Stores servers and changes them. */
export class ComputeStore {
  readonly scheduler: Scheduler;
  readonly #foundation: Foundation;
  readonly #state: CloudState;
  readonly #network: NetworkStore;
  readonly #machines: () => Hypervisor;
  readonly #waiting = createWaiting();
  readonly #stopped = new AbortController();

  /** @param machines returns the hypervisor, which is made after the cloud */
  constructor(foundation: Foundation, network: NetworkStore, machines: () => Hypervisor) {
    this.#foundation = foundation;
    this.#state = foundation.state;
    this.#network = network;
    this.#machines = machines;
    this.scheduler = createScheduler(foundation.state);
  }

  createServer(request: ServerRequest): Server {
    for (const wanted of request.interfaces) {
      if (!('portId' in wanted)) continue;
      const port = this.#state.ports[wanted.portId];
      if (!port) throw new Refusal(400, 'badRequest', `Port id ${wanted.portId} could not be found.`);
      if (port.deviceId !== '') throw new Refusal(409, 'conflictingRequest', `Port ${port.id} is still in use.`);
    }
    const volumes = (request.volumeIds ?? []).map((volumeId) => this.#freeVolume(volumeId));
    checkQuota(this.#state, request);
    const id = this.#foundation.chance.uuid();
    const host = this.scheduler.place(request.groupId ?? null);
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
      ...this.#plug(request, id),
      volumeIds: volumes.map((volume) => volume.id),
      bootVolumeId: request.bootVolumeId ?? null,
      fault: null,
      instanceNumber: ++this.#state.instanceNumber,
      reservation: `r-${this.#foundation.chance.letters(8)}`,
      createdAt: now,
      updatedAt: now,
      launchedAt: null,
      dueAt:
        this.#foundation.clock.elapsed() +
        (host === undefined ? this.#foundation.latency.resource : this.#foundation.latency.serverActive),
    };
    this.#state.servers[id] = subject;
    for (const volume of volumes) volume.serverId = id;
    if (subject.groupId !== null) this.scheduler.join(subject.groupId, id);
    for (const port of this.portsOf(subject))
      this.#network.bindPort(port, { id, owner: 'compute:nova', host: subject.host });
    this.#foundation.changed();
    this.#schedule(subject);
    return subject;
  }

  /** Deletes a server after the latency of a deletion. */
  deleteServer(id: string): void {
    const subject = this.#server(id);
    if (subject.task === 'deleting') return;
    subject.task = 'deleting';
    subject.dueAt = this.#foundation.clock.elapsed() + this.#foundation.latency.serverDelete;
    this.#machines().destroy(id);
    this.#touch(subject);
    this.#schedule(subject);
  }

  portsOf(subject: Server): Port[] {
    return subject.portIds.flatMap((id) => this.#state.ports[id] ?? []);
  }

  findFlavor(nameOrId: string): Flavor | undefined {
    return this.#state.flavors[nameOrId] ?? Object.values(this.#state.flavors).find(({ name }) => name === nameOrId);
  }

  findImage(nameOrId: string, projectId: string): Image | undefined {
    return [this.#state.images[nameOrId], ...Object.values(this.#state.images)].find(
      (image) =>
        (image?.name === nameOrId || image?.id === nameOrId) &&
        (image.visibility !== 'private' || image.projectId === projectId),
    );
  }

  /** Waits until the server has left BUILD. */
  built(id: string, signal: AbortSignal): Promise<void> {
    return this.#waiting.until(id, () => this.#state.servers[id]?.status !== 'BUILD', signal);
  }

  gone(id: string, signal: AbortSignal): Promise<void> {
    return this.#waiting.until(id, () => !this.#state.servers[id], signal);
  }

  /** Switches a server. `crash` switches the machine off without telling Nova. */
  power(id: string, action: 'start' | 'stop' | 'reboot' | 'crash'): void {
    const subject = this.#server(id);
    if (action === 'crash') {
      this.#machines().power(id, 'stop');
      return;
    }
    const isOff = subject.status === 'SHUTOFF';
    if ((action === 'stop' && subject.status !== 'ACTIVE') || (action === 'start' && !isOff)) {
      const message = `Cannot '${action}' instance ${id} while it is in vm_state ${isOff ? 'stopped' : 'active'}`;
      throw new Refusal(409, 'conflictingRequest', message);
    }
    subject.status = action === 'stop' ? 'SHUTOFF' : 'ACTIVE';
    this.#machines().power(id, action);
    this.#touch(subject);
  }

  /** Rebuilds a server from another image, with a new disk. */
  rebuild(id: string, imageId: string): void {
    const subject = this.#server(id);
    subject.imageId = imageId;
    subject.status = 'ACTIVE';
    this.#machines().destroy(id);
    this.#machines().create(this.#machineOf(subject));
    this.#touch(subject);
  }

  /**
   * Starts to move a running server to another host. The server runs on meanwhile.
   * @param wanted name of the host; undefined: the scheduler chooses one
   */
  migrateLive(id: string, wanted: string | undefined): void {
    const subject = this.#server(id);
    if (subject.status !== 'ACTIVE' || subject.task !== null) {
      const where = subject.status === 'SHUTOFF' ? 'vm_state stopped' : `task_state ${subject.task}`;
      throw new Refusal(409, 'conflictingRequest', `Cannot 'os-migrateLive' instance ${id} while it is in ${where}`);
    }
    if (wanted !== undefined && !this.#state.hosts.includes(wanted))
      throw new Refusal(400, 'badRequest', `Compute host ${wanted} could not be found.`);
    const destination = this.scheduler.replace(subject, wanted);
    if (destination === undefined) throw new Refusal(400, 'badRequest', NO_VALID_HOST);
    subject.status = 'MIGRATING';
    subject.task = 'migrating';
    subject.destination = destination;
    subject.dueAt = this.#foundation.clock.elapsed() + this.#foundation.latency.liveMigration;
    this.#touch(subject);
    this.#schedule(subject);
  }

  resize(id: string, flavorId: string): void {
    const subject = this.#server(id);
    subject.flavorId = flavorId;
    this.#machines().power(id, 'reboot');
    this.#touch(subject);
  }

  attach(id: string, portId: string): void {
    const subject = this.#server(id);
    const port = this.#state.ports[portId];
    if (!port) throw new Refusal(404, 'itemNotFound', `Port id ${portId} could not be found.`);
    subject.portIds.push(portId);
    this.#network.bindPort(port, { id, owner: 'compute:nova', host: subject.host });
    this.#touch(subject);
  }

  detach(id: string, portId: string): void {
    const subject = this.#server(id);
    subject.portIds = subject.portIds.filter((other) => other !== portId);
    const port = this.#state.ports[portId];
    if (port) this.#network.unbindPort(port);
    if (subject.ownPortIds.includes(portId)) this.#network.deletePort(portId);
    this.#touch(subject);
  }

  attachVolume(id: string, volumeId: string): void {
    const subject = this.#server(id);
    const volume = this.#freeVolume(volumeId);
    volume.serverId = id;
    subject.volumeIds = [...subject.volumeIds, volumeId];
    this.#machines().attachVolume(id, volumeId);
    this.#touch(subject);
  }

  detachVolume(id: string, volumeId: string): void {
    const subject = this.#server(id);
    const volume = this.#state.volumes[volumeId];
    if (volume?.serverId !== id) throw new Refusal(404, 'itemNotFound', `volume_id not found: ${volumeId}`);
    volume.serverId = null;
    subject.volumeIds = subject.volumeIds.filter((other) => other !== volumeId);
    this.#machines().detachVolume(id, volumeId);
    this.#touch(subject);
  }

  /** @throws Refusal 400 while it is attached */
  deleteVolume(id: string): void {
    this.#freeVolume(id);
    delete this.#state.volumes[id];
    this.#machines().removeVolume(id);
    this.#foundation.changed();
  }

  createGroup(group: Omit<ServerGroup, 'id'>): ServerGroup {
    const created = { id: this.#foundation.chance.uuid(), ...group };
    this.#state.serverGroups[created.id] = created;
    this.#foundation.changed();
    return created;
  }

  deleteGroup(id: string): void {
    delete this.#state.serverGroups[id];
    this.#foundation.changed();
  }

  /** Continues the builds and deletions that were in progress when the simulator stopped. */
  resume(): void {
    this.#machines().retain?.(new Set(Object.keys(this.#state.servers)));
    for (const subject of Object.values(this.#state.servers)) {
      if (subject.dueAt !== null) this.#schedule(subject);
      if (subject.launchedAt !== null && subject.task !== 'deleting') this.#machines().create(this.#machineOf(subject));
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  #server(id: string): Server {
    const found = this.#state.servers[id];
    if (!found) throw new Refusal(404, 'itemNotFound', `Instance ${id} could not be found.`);
    return found;
  }

  #freeVolume(id: string): Volume {
    const found = this.#state.volumes[id];
    if (!found) throw new Refusal(404, 'itemNotFound', `Volume ${id} could not be found.`);
    if (found.serverId === null) return found;
    const message = `Invalid volume: volume '${id}' status must be 'available'. Currently in 'in-use'`;
    throw new Refusal(400, 'badRequest', message);
  }

  #touch(subject: Server) {
    subject.updatedAt = timestamp();
    this.#foundation.changed();
  }

  #at(elapsed: number, work: () => void) {
    this.#foundation.clock
      .sleep(Math.max(0, elapsed - this.#foundation.clock.elapsed()), this.#stopped.signal)
      .then(work)
      .catch(() => undefined);
  }

  #machineOf(subject: Server): Machine {
    const flavor = this.#state.flavors[subject.flavorId];
    const imageId = subject.imageId || (this.#state.volumes[subject.bootVolumeId ?? '']?.imageId ?? '');
    return {
      id: subject.id,
      name: subject.name,
      imageName: this.#state.images[imageId]?.name ?? '',
      flavor: { vcpus: flavor?.vcpus ?? 1, ramMb: flavor?.ramMb ?? 512, diskGb: flavor?.diskGb ?? 1 },
      host: subject.host,
      ports: this.portsOf(subject).map(({ id, mac, fixedIps }) => ({
        portId: id,
        mac,
        address: fixedIps[0]?.address ?? '',
        cidr: this.#state.subnets[fixedIps[0]?.subnetId ?? '']?.cidr ?? '',
      })),
      volumes: subject.volumeIds.filter((volumeId) => volumeId !== subject.bootVolumeId),
      ...(subject.userData === null ? {} : { userData: Buffer.from(subject.userData, 'base64').toString('utf8') }),
    };
  }

  #finishBuild(subject: Server) {
    if (this.#state.servers[subject.id] !== subject || subject.status !== 'BUILD' || subject.task === 'deleting')
      return;
    subject.dueAt = null;
    subject.task = null;
    subject.status = 'ACTIVE';
    subject.launchedAt = timestamp();
    this.#touch(subject);
    this.#machines().create(this.#machineOf(subject));
    this.#waiting.wake(subject.id);
  }

  #failBuild(subject: Server, message: string) {
    subject.status = 'ERROR';
    subject.task = null;
    subject.dueAt = null;
    subject.fault = { code: 500, message, created: timestamp() };
    this.#touch(subject);
    this.#waiting.wake(subject.id);
  }

  #finishMigration(subject: Server) {
    if (this.#state.servers[subject.id] !== subject || subject.task !== 'migrating') return;
    this.scheduler.release(subject.host);
    subject.host = subject.destination ?? subject.host;
    subject.destination = null;
    subject.dueAt = null;
    subject.task = null;
    subject.status = 'ACTIVE';
    for (const port of this.portsOf(subject))
      this.#network.bindPort(port, { id: subject.id, owner: 'compute:nova', host: subject.host });
    this.#touch(subject);
  }

  #finishDelete(subject: Server) {
    for (const portId of subject.ownPortIds) this.#network.deletePort(portId);
    for (const port of this.portsOf(subject)) if (port.deviceId === subject.id) this.#network.unbindPort(port);
    for (const volumeId of subject.volumeIds) {
      const volume = this.#state.volumes[volumeId];
      if (volume?.serverId === subject.id) volume.serverId = null;
    }
    this.scheduler.release(subject.host);
    if (subject.destination) this.scheduler.release(subject.destination);
    this.scheduler.leave(subject.groupId, subject.id);
    delete this.#state.servers[subject.id];
    this.#foundation.changed();
    this.#waiting.wake(subject.id);
  }

  #plug(request: ServerRequest, id: string): { portIds: string[]; ownPortIds: string[] } {
    const ownPortIds: string[] = [];
    const portIds = request.interfaces.map((wanted) => {
      if ('portId' in wanted) return wanted.portId;
      const port = this.#network.createPort({
        projectId: request.projectId,
        networkId: wanted.networkId,
        fixedIps: wanted.address === undefined ? undefined : [{ address: wanted.address }],
        deviceId: id,
      });
      ownPortIds.push(port.id);
      return port.id;
    });
    return { portIds, ownPortIds };
  }

  #schedule(subject: Server) {
    const due = subject.dueAt ?? this.#foundation.clock.elapsed();
    if (subject.task === 'deleting') this.#at(due, () => this.#finishDelete(subject));
    else if (subject.task === 'migrating') this.#at(due, () => this.#finishMigration(subject));
    else if (subject.host === '') this.#at(due, () => this.#failBuild(subject, NO_VALID_HOST));
    else this.#at(due, () => this.#finishBuild(subject));
  }
}
