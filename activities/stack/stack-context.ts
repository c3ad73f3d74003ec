import type { Session } from '../../openstack/session.ts';
import type { LeasedContext } from '../activity-context.ts';
import { readVimConnection, stackName } from '../facts/operation-facts.ts';
import { vimSession } from './vim-session.ts';

/** The access to the VIM and to the stack of an instance. */
export interface StackAccess {
  /** The session with the VIM of the instance. */
  readonly session: Session;
  /** The id of the VIM's entry in `vimConnectionInfo`. */
  readonly vimConnectionId: string;
  readonly stackName: string;
}

/** The context of work on the stack of an instance. */
export interface StackContext extends LeasedContext, StackAccess {}

/**
 * Adds access to the VIM and the stack of the instance to a context. Nothing is sent yet.
 * @throws VnflowError VIM_MISSING
 */
export async function withStack<C extends LeasedContext>(context: C): Promise<C & StackAccess> {
  const connection = await readVimConnection(context);
  return {
    ...context,
    session: vimSession(context.deps, connection),
    vimConnectionId: connection.id,
    stackName: stackName(context.input.vnfInstanceId),
  };
}
