import { createFaultList, type Ordered } from '../../kernel/fault-list.ts';
import type { Persistence } from '../../kernel/persistence.ts';
import type { NodeFault } from './fault.ts';
import { readNodeFault } from './fault-request.ts';
import type { NodeState } from './node-state.ts';

export interface NodeFaults {
  /** Adds a fault. @returns a function that removes it */
  add(fault: NodeFault): () => void;
  /** Adds a fault from a request. @throws ZodError when the request is no fault of a node */
  order(request: unknown): Ordered<NodeFault>;
  /** Removes one fault, or all. @returns whether a fault was removed */
  remove(id?: string): boolean;
  clear(): void;
  list(): readonly Ordered<NodeFault>[];
  /** Returns the first fault of this kind for the node that passes `test`, and counts a strike. */
  take<K extends NodeFault['kind']>(
    kind: K,
    node: NodeState,
    test?: (fault: Extract<NodeFault, { kind: K }>) => boolean,
  ): Extract<NodeFault, { kind: K }> | undefined;
  diskFull(node: NodeState): boolean;
  unreachable(node: NodeState): boolean;
  noWayOut(node: NodeState): boolean;
}

/** @param onFault called for each fault that strikes */
export function createNodeFaults(
  persistence: Persistence,
  onFault: (node: NodeState, fault: NodeFault) => void,
): NodeFaults {
  const faults = createFaultList<NodeFault>(persistence, 'node-faults');
  const concerns = (fault: NodeFault, node: NodeState): boolean => {
    if (fault.node === undefined) return true;
    const { machine, hostname } = node;
    return [hostname, machine.name, machine.id, ...machine.ports.map(({ address }) => address)].includes(fault.node);
  };
  const lasting = (kind: NodeFault['kind'], node: NodeState): boolean =>
    faults.list().some((fault) => fault.kind === kind && concerns(fault, node));
  return {
    add: (fault) => {
      const { id } = faults.add(fault);
      return () => void faults.remove(id);
    },
    order: (request) => faults.add(readNodeFault(request)),
    remove: faults.remove,
    clear: () => void faults.remove(),
    list: faults.list,
    take: <K extends NodeFault['kind']>(
      kind: K,
      node: NodeState,
      test?: (fault: Extract<NodeFault, { kind: K }>) => boolean,
    ) => {
      for (const ordered of faults.list()) {
        const { id, struck: _, ...fault } = ordered;
        if (!isKind(fault, kind) || !concerns(fault, node) || (test && !test(fault))) continue;
        faults.strike(id);
        onFault(node, fault);
        return fault;
      }
      return undefined;
    },
    diskFull: (node) => lasting('disk-full', node),
    unreachable: (node) => lasting('unreachable', node),
    noWayOut: (node) => lasting('no-way-out', node),
  };
}

function isKind<K extends NodeFault['kind']>(fault: NodeFault, kind: K): fault is Extract<NodeFault, { kind: K }> {
  return fault.kind === kind;
}
