import type { Resource, Stack } from '../cloud-state.ts';
import type { Json, JsonObject } from '../json.ts';

/** One resource being worked on. */
export interface ResourceTask {
  readonly stack: Stack;
  readonly resource: Resource;
  /** Evaluated; properties without a value are left out. */
  readonly properties: JsonObject;
  /** `{stack}-{resource}-{12 letters}`: the name of what has no name of its own. */
  readonly physicalName: string;
  readonly signal: AbortSignal;
  /** Simulated seconds. */
  wait(seconds: number): Promise<void>;
  /** The thing exists under this id, even if it is not ready. */
  identify(physicalId: string): void;
}

export interface PropertyRule {
  readonly required?: true;
  /** The name or id must exist when the template is validated. */
  readonly names?: 'flavor' | 'image' | 'network' | 'subnet';
  /** A change is applied to the living resource; without it a change replaces the resource. */
  readonly live?: true;
}

/** A resource type of Heat's that makes something in the cloud. */
export interface ResourceKind {
  readonly properties: Readonly<Record<string, PropertyRule>>;
  /** Makes the thing; when `resource.physicalId` is set already, goes on where it was interrupted. */
  create(task: ResourceTask): Promise<void>;
  /** Applies changes of `live` properties. */
  update?(task: ResourceTask, before: JsonObject): Promise<void>;
  /** Frees what the replacement needs (ports). */
  beforeReplacement?(resource: Resource): void;
  remove(task: ResourceTask): Promise<void>;
  /** What get_attr and resource show know. */
  attributes(resource: Resource, admin: boolean): JsonObject;
  /** What get_resource gives; the physical id unless said otherwise. */
  reference?(resource: Resource): Json;
}

/** A resource that failed, with Heat's path to it. */
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
  /** The same failure seen from the stack around. */
  inside(name: string): ResourceFailure {
    return new ResourceFailure(this.kind, this.text, [name, ...this.path]);
  }
}
