import { activeState } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import { REGISTRY_PROGRAM } from './image.ts';
import { type ServedRegistry, servedRegistry } from './served-registry.ts';

/** A port of a machine that docker leads into a container. */
export interface PublishedPort {
  readonly address: string;
  readonly port: number;
  readonly containerPort: number;
}

/** Reads `-p [ADDRESS:]PORT:CONTAINER_PORT[/tcp]`. */
export function publishedPort(text: string): PublishedPort {
  const parts = text.replace(/\/tcp$/, '').split(':');
  const [containerPort = '', port = containerPort, address = '0.0.0.0'] = parts.toReversed();
  return { address, port: Number(port), containerPort: Number(containerPort) };
}

type Container = SimNode['state']['containers'][string];

export function portsOf({ options }: Container): readonly PublishedPort[] {
  return (options['publish'] ?? '').split(',').filter(Boolean).map(publishedPort);
}

/** The containers that run. Without docker's daemon none is reached. */
export function runningContainers(node: SimNode): readonly (readonly [name: string, container: Container])[] {
  if (activeState(node, 'docker') !== 'active') return [];
  return Object.entries(node.state.containers).filter(([, { running }]) => running);
}

const REGISTRY_PORT = 5000;

/**
 * What answers on a port of a machine that a container publishes. Undefined when no container does; `silent` when it
 * is no registry, listens on another port inside, or cannot start with its settings.
 * @param isLocal whether the client is on the machine itself
 */
export function serverOn(node: SimNode, port: number, isLocal: boolean): ServedRegistry | 'silent' | undefined {
  for (const [, container] of runningContainers(node)) {
    const found = portsOf(container).find((one) => one.port === port && (isLocal || !one.address.startsWith('127.')));
    if (!found) continue;
    const isRegistry = container.options['program'] === REGISTRY_PROGRAM && found.containerPort === REGISTRY_PORT;
    return (isRegistry ? servedRegistry(node, container.options) : undefined) ?? 'silent';
  }
  return undefined;
}
