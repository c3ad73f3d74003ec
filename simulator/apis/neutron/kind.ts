import type { Session } from '../../world/cloud/cloud-state.ts';
import type { JsonObject } from '../../world/cloud/json.ts';
import type { Call } from '../service.ts';

/** One collection of Neutron's API. */
export interface Kind {
  readonly many: string;
  readonly one: string;
  /** The word in the error type `…NotFound`. */
  readonly title: string;
  readonly list: (call: Call) => JsonObject[];
  readonly find: (id: string, session: Session) => JsonObject | undefined;
  readonly create?: (given: JsonObject, call: Call) => JsonObject;
  readonly update?: (id: string, given: JsonObject, call: Call) => JsonObject;
  readonly remove?: (id: string) => void;
}
