import { createContainer, deleteObjects, getObject, putObject } from '../../openstack/swift.ts';
import type { LeasedContext } from '../activity-context.ts';
import { withStack } from '../stack/stack-context.ts';

/** Where the pieces of a copy are kept while the server of a registry is replaced. */
export interface CopyPlace {
  /** The place for people. */
  readonly label: string;
  /** Undefined when there is no such piece. */
  read(name: string): Promise<Buffer | undefined>;
  /** Writes a piece, also over an older one of that name. */
  write(name: string, content: Buffer): Promise<void>;
  removeAll(): Promise<void>;
}

/**
 * The place for a copy of the registry of the operation's instance: the store, or a container of Swift in the project
 * of its VIM, which is made if need be.
 */
export async function copyPlace(context: LeasedContext, container?: string): Promise<CopyPlace> {
  return container === undefined ? storePlace(context) : swiftPlace(context, container);
}

function storePlace({ deps, input, mustHold }: LeasedContext): CopyPlace {
  const { store } = deps.registryCopies;
  return {
    label: 'the store of vnflow',
    read: (name) => store.read(input.vnfInstanceId, name),
    write: async (name, content) => {
      mustHold();
      await store.write(input.vnfInstanceId, name, content);
    },
    removeAll: async () => {
      mustHold();
      await store.remove(input.vnfInstanceId);
    },
  };
}

async function swiftPlace(context: LeasedContext, container: string): Promise<CopyPlace> {
  const { session, signal, input, mustHold } = await withStack(context);
  const prefix = `vnflow/${input.vnfInstanceId}/`;
  const refOf = (name: string) => ({ container, name: `${prefix}${name}` });
  await createContainer(session, container, { signal });
  return {
    label: `container ${container} of Swift`,
    read: (name) => getObject(session, refOf(name), { signal }),
    write: async (name, content) => {
      mustHold();
      await putObject(session, refOf(name), { content, signal });
    },
    removeAll: async () => {
      mustHold();
      await deleteObjects(session, { container, prefix }, { signal });
    },
  };
}
