/** What a step does to the nodes that it names (`slot`, `slots`), and which others it needs. */
export interface StepEffect {
  readonly named?: 'visited' | 'drained' | 'removed' | 'replaced';
  /** Every node that is there. */
  readonly all?: 'removed' | 'replaced';
  /** What becomes of the members of etcd. `anew`: a restored cluster, which ends with as many members as before. */
  readonly member?: 'joins' | 'leaves' | 'anew';
  /** One of the control-plane nodes is asked about the cluster: whichever answers. */
  readonly asksControlPlane?: true;
}

/** What is said of a kind of step: all but its work, which is an activity (activities/steps/). */
export interface StepKindFacts {
  /** What it does, in a line for people. `{node}` stands for the node's label. */
  readonly summary: string;
  /** What stands there when a step names no node. */
  readonly anyNode?: string;
  /** Seconds expected until experience says better. */
  readonly expectedSeconds: number;
  /** The longest honest attempt, in seconds. */
  readonly timeLimitSeconds: number;
  /** How often a retriable failure is repeated before an operator is asked. */
  readonly attempts: number;
  /** Why no operator may skip it, as the end of a sentence; false: one may, having done it by hand or being able to do without. */
  readonly mustRun: string | false;
  /** The phase of the package's install script that runs on the node (docs/install-script.md). */
  readonly phase?: string;
  /** What it asks of whom if it runs no phase, for people. `{id}` stands for the id of the VNF instance. */
  readonly calls?: readonly string[];
  readonly effect: StepEffect;
}
