import { withKnownParameters } from '../../domain/known-parameters.ts';
import { type Caller, mayWrite } from '../auth/authenticate.ts';

/** The caller of a request, as far as it decides what is shown. */
export type Viewer = Pick<Caller, 'roles'>;

/**
 * What a caller sees of an instance, or of the parameters or changes of an operation. A caller who may only read sees the
 * values that vnflow knows: anything may stand in the others, and the members of the project who wrote them see them.
 * @param members without secrets
 */
export function shownTo<T extends object>(viewer: Viewer, members: T): T {
  return mayWrite(viewer) ? members : withKnownParameters(members);
}
