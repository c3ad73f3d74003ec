/**
 * The limits of an uploaded CSAR. All sizes are in bytes, and are counted while reading, because an archive can declare
 * wrong sizes.
 */
export interface CsarLimits {
  readonly archiveBytes: number;
  readonly entries: number;
  /** Limit for one entry, unless it is an image. */
  readonly fileBytes: number;
  /** Limit for all entries together, uncompressed, images included. */
  readonly totalBytes: number;
  /** A package may unpack to this, and to `totalRatio` times the size of the archive besides. */
  readonly totalFloorBytes: number;
  readonly totalRatio: number;
  /** Files up to this size are kept in memory. */
  readonly keptFileBytes: number;
  /** Limit for all files together that are kept, in memory while the package is read, and in the store then. */
  readonly keptBytes: number;
  /** Limit for the VNFD and the Heat templates together, because parsing YAML blocks the process. */
  readonly yamlBytes: number;
  /**
   * Largest ratio of uncompressed to compressed size. It is checked once an entry has given more than
   * `ratioFloorBytes`.
   */
  readonly ratio: number;
  readonly ratioFloorBytes: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const DEFAULT_CSAR_LIMITS: CsarLimits = {
  archiveBytes: 16 * GIB,
  entries: 4096,
  fileBytes: 256 * MIB,
  totalBytes: 32 * GIB,
  totalFloorBytes: 16 * MIB,
  totalRatio: 100,
  keptFileBytes: 4 * MIB,
  keptBytes: 8 * MIB,
  yamlBytes: MIB,
  ratio: 200,
  ratioFloorBytes: MIB,
};
