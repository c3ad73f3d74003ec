import type { View, Viewer } from '../files/view.ts';
import type { SimNode } from '../world.ts';
import type { InputSource } from './request.ts';

/** One shell process and what its commands share. */
export interface Run {
  readonly node: SimNode;
  readonly user: string;
  readonly viewer: Viewer;
  readonly view: View;
  readonly input: InputSource;
  readonly signal: AbortSignal;
  readonly pid: number;
  readonly sink: ((bytes: string) => void) | undefined;
  readonly announced: Set<string>;
}
