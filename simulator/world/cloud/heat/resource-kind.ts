import type { Resource, Stack } from '../cloud-state.ts';
import type { Json, JsonObject } from '../json.ts';

/** One resource in work. */
export interface ResourceTask {
  readonly stack: Stack;
  readonly resource: Resource;
  /** The evaluated properties; those without a value are left out. */
  readonly properties: JsonObject;
  /** `{stack}-{resource}-{12 letters}`: the name of a thing that has no name of its own. */
  readonly physicalName: string;
  readonly signal: AbortSignal;
  /** Waits `seconds` of simulated time. */
  wait(seconds: number): Promise<void>;
  /** Records the id of the thing. It exists, but may not be ready. */
  identify(physicalId: string): void;
}

export interface PropertyRule {
  readonly required?: true;
  /** The property is a name or id that must exist when the template is validated. */
  readonly names?: 'flavor' | 'image' | 'network' | 'subnet';
  /** A change applies to the living resource. Undefined when a change replaces the resource. */
  readonly live?: true;
}

/** A resource type of Heat that creates something in the cloud. */
export interface ResourceKind {
  readonly properties: Readonly<Record<string, PropertyRule>>;
  /** Creates the thing. When `resource.physicalId` is set, it continues after an interruption. */
  create(task: ResourceTask): Promise<void>;
  /** Applies changes of `live` properties. */
  update?(task: ResourceTask, before: JsonObject): Promise<void>;
  /** Frees what the replacement needs, such as ports. */
  beforeReplacement?(resource: Resource): void;
  remove(task: ResourceTask): Promise<void>;
  /** Whether there is a thing with this id, for `external_id`. */
  exists?(physicalId: string): boolean;
  /** Returns the attributes for get_attr and `resource show`. */
  attributes(resource: Resource, admin: boolean): JsonObject;
  /** Returns the value of get_resource; by default the physical id. */
  reference?(resource: Resource): Json;
}

/** The failure of a resource, with Heat's path to it. */
export class ResourceFailure extends Error {
  /** The exception's name in Heat: ResourceInError, Conflict, … */
  readonly kind: string;
  readonly path: readonly string[];
  readonly text: string;
  constructor(kind: string, text: string, path: readonly string[] = []) {
    super(
      path.length === 0 ? `${kind}: ${text}` : `${kind}: ${path.map((name) => `resources.${name}`).join('.')}: ${text}`,
    );
    this.kind = kind;
    this.path = path;
    this.text = text;
  }
  /** Returns this failure as the surrounding stack reports it. */
  inside(name: string): ResourceFailure {
    return new ResourceFailure(this.kind, this.text, [name, ...this.path]);
  }
}
