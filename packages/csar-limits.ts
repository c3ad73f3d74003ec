/** What an uploaded CSAR may cost. All sizes in bytes; sizes of entries are counted while reading, never taken from the archive. */
export interface CsarLimits {
  readonly archiveBytes: number;
  readonly entries: number;
  /** One entry that is no image. */
  readonly fileBytes: number;
  /** All entries together, uncompressed, images included. */
  readonly totalBytes: number;
  /** Files up to this size are kept in memory … */
  readonly keptFileBytes: number;
  /** … and this is what all of them may take together. */
  readonly keptBytes: number;
  /** The VNFD and the Heat templates together: parsing YAML holds up everything else. */
  readonly yamlBytes: number;
  /** Uncompressed to compressed, judged once an entry (or the archive) has given more than `ratioFloorBytes`. */
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
  keptFileBytes: 4 * MIB,
  keptBytes: 64 * MIB,
  yamlBytes: MIB,
  ratio: 200,
  ratioFloorBytes: 16 * MIB,
};
