import type { InputShape } from './step-input.ts';

/** What becomes of a node that was there before the step. */
export type Fate = 'visited' | 'drained' | 'removed' | 'replaced';

/** The description of a kind of step: everything but its work, which is an activity (activities/steps/). */
export interface StepKindFacts<Shape extends InputShape = InputShape> {
  readonly input: Shape;
  /**
   * What it does, in a line for people. `{node}` stands for the label of `slot`, or else of the other nodes that the
   * input names.
   */
  readonly summary: string;
  /** What replaces `{node}` when a step names no node. */
  readonly anyNode?: string;
  /**
   * Words that are added to the line together with the value of a member, if the step has it: `{ backupId: 'from
   * backup' }`.
   */
  readonly summaryWith?: { readonly [M in keyof Shape]?: string };
  /** Expected duration in seconds, until the store has durations of past steps. */
  readonly expectedSeconds: number;
  /** An attempt that takes longer, in seconds, has failed. */
  readonly timeLimitSeconds: number;
  /** How many attempts a step with retriable failures gets, before the operation waits for an operator. */
  readonly attempts: number;
  /**
   * Why no operator may skip it, as the end of a sentence. False when an operator may skip it: the operator has done
   * the work by hand, or the cluster can do without it.
   */
  readonly mustRun: string | false;
  /** Why no operator may skip a step that has this member. */
  readonly mustRunWith?: { readonly [M in keyof Shape]?: string };
  /** The phase of the package's install script that runs on the node (docs/install-script.md). */
  readonly phase?: string;
  /** The calls of a step that runs no phase, for people. `{id}` stands for the id of the VNF instance. */
  readonly calls?: readonly string[];
  /** What becomes of the nodes that a member names. Nodes of other members are left alone. */
  readonly nodes?: { readonly [M in keyof Shape]?: Fate };
  /** What becomes of every node that is there. */
  readonly everyNode?: 'removed' | 'replaced';
  /**
   * What becomes of the members of etcd. `anew`: the membership of a restored cluster, which ends with as many members
   * as before.
   */
  readonly etcdMember?: 'joins' | 'leaves' | 'anew';
  /** True when the step asks the first control-plane node that answers about the cluster. */
  readonly asksControlPlane?: true;
}

/** Declares a kind of step: the compiler checks that its rules name members of its input. */
export function stepKind<const Shape extends InputShape>(facts: StepKindFacts<Shape>): StepKindFacts<Shape> {
  return facts;
}
