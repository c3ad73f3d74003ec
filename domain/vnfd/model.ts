/** A deployment flavour of a VNFD, in SOL's terms. */
export interface Flavour {
  readonly id: string;
  readonly description: string;
  readonly vdus: readonly Vdu[];
  readonly storages: readonly Storage[];
  readonly connectionPoints: readonly ConnectionPoint[];
  readonly virtualLinks: readonly VirtualLink[];
  readonly defaultLevelId?: string;
  readonly levels: readonly Level[];
  /** Instances per VDU where the flavour has no levels. */
  readonly initialCounts: Readonly<Record<string, number>>;
  readonly aspects: readonly Aspect[];
  readonly affinityRules: readonly AffinityRule[];
  readonly softwareImages: readonly SoftwareImage[];
  /**
   * Implementations that the Vnflcm interface names, for example `mgmt-drivers-kubernetes`, and the file names of their
   * scripts.
   */
  readonly managementDrivers: readonly string[];
  /** The hooks of the Vnflcm interface. */
  readonly hooks: readonly LcmHook[];
}

/** What the Vnflcm interface names for a moment of an operation. */
export interface LcmHook {
  /** For example `instantiate_end`. */
  readonly name: string;
  /** The name of a management driver, or of an artifact of the node. */
  readonly implementation: string;
  /** Path of the Python script in the package. Undefined when the node has no such artifact. */
  readonly script?: string;
}

export interface Vdu {
  readonly id: string;
  readonly name: string;
  /** `requested_additional_capability_name`: the Nova flavor. */
  readonly computeFlavour?: string;
  readonly softwareImage?: SoftwareImage;
  readonly storageIds: readonly string[];
}

export interface Storage {
  readonly id: string;
  readonly softwareImage?: SoftwareImage;
}

/** A VduCp. Without a `virtualLinkId` it is external: an extVirtualLink of the request connects it. */
export interface ConnectionPoint {
  readonly id: string;
  readonly vduId: string;
  readonly virtualLinkId?: string;
}

export interface VirtualLink {
  readonly id: string;
}

export interface Level {
  readonly id: string;
  /** Instances per VDU. */
  readonly vduCounts: Readonly<Record<string, number>>;
  /** Scale level per aspect. */
  readonly scaleLevels: Readonly<Record<string, number>>;
}

export interface Aspect {
  readonly id: string;
  readonly maxScaleLevel: number;
  /** Instances that one step adds, per VDU. */
  readonly vduDeltas: Readonly<Record<string, number>>;
}

export interface AffinityRule {
  readonly kind: 'AFFINITY' | 'ANTI_AFFINITY';
  /** The scope of the rule, for example `nfvi_node`. */
  readonly scope: string;
  readonly targets: readonly string[];
}

/** A software image in the shape of VnfPkgInfo. Sizes are in bytes. */
export interface SoftwareImage {
  /** The VDU's or storage's id. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly provider?: string;
  readonly checksum?: { readonly algorithm: string; readonly hash: string };
  readonly containerFormat: string;
  readonly diskFormat: string;
  readonly minDisk: number;
  readonly minRam: number;
  readonly size: number;
  /** Path in the package, if it carries the image. */
  readonly imagePath?: string;
}
