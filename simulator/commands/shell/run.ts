import type { View, Viewer } from '../../world/files/view.ts';
import type { InputSource } from '../../world/shell/request.ts';
import type { SimNode } from '../../world/world.ts';

/** One shell process with the state that its commands share. */
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
