import type { OperationRef } from '../domain/operation/activity-contract.ts';
import type { AttemptLease } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';

/**
 * What an activity about an operation works with. A helper takes it, or a narrower or wider one, as its first
 * parameter.
 */
export interface ActivityContext<Input extends OperationRef = OperationRef> {
  readonly deps: ActivityDependencies;
  /** The input of the activity: the ids of the operation, and more for some activities. */
  readonly input: Input;
}

/** The context of an activity that sends heartbeats. Its heartbeats hold the lease. */
export interface LeasedContext extends ActivityContext, AttemptLease {}
