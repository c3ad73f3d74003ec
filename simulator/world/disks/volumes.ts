import type { Part, Persistence } from '../../kernel/persistence.ts';
import type { Changes } from '../files/tree.ts';

/** What is on a block device that outlives its machine. Plain JSON. */
export interface VolumeContent {
  filesystem?: {
    readonly type: string;
    readonly uuid: string;
    /** By path from the root of the file system. While it is mounted, the machine has them. */
    files: Changes;
  };
}

/** The content of volumes, by the id that Cinder gives them. */
export interface Volumes {
  content(id: string): VolumeContent;
  /** Writes the content of a volume. */
  save(id: string): void;
  remove(id: string): void;
}

export function createVolumes(persistence: Persistence): Volumes {
  const parts = new Map<string, Part<VolumeContent>>();
  const partOf = (id: string): Part<VolumeContent> => {
    const part = parts.get(id) ?? persistence.part<VolumeContent>(`volume-${id}`, () => ({}));
    parts.set(id, part);
    return part;
  };
  return {
    content: (id) => partOf(id).state,
    save: (id) => partOf(id).flush(),
    remove: (id) => {
      partOf(id).remove();
      parts.delete(id);
    },
  };
}
