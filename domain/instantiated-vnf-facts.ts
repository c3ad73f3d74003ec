import type { PlacedResource, ServerPlace } from './server-places.ts';
import type { ExtManagedVirtualLinkData, ExtVirtualLinkData } from './sol-requests.ts';

/** A resource of the stack or of one nested in it. */
export interface StackResourceFacts extends PlacedResource {
  /** The place of a server in a nested stack. Undefined for other resources. */
  readonly place?: ServerPlace | undefined;
}

export interface InstantiatedVnfFacts {
  readonly flavourId: string;
  /** The flavour's VDUs with their connection points. */
  readonly vdus: readonly { readonly id: string; readonly cpdIds: readonly string[] }[];
  /** Ids of the storages of the flavour. */
  readonly storageIds: readonly string[];
  /** The virtual links of the flavour, with the connection points that the VNFD connects to them. */
  readonly virtualLinks: readonly { readonly id: string; readonly cpdIds: readonly string[] }[];
  readonly resources: readonly StackResourceFacts[];
  /** Address of a port by its id, as Neutron has it. */
  readonly portAddresses?: ReadonlyMap<string, string> | undefined;
  readonly rootStackId: string;
  /** The `nfv` parameter that the stack was made with. */
  readonly nfv: Nfv;
  readonly extVirtualLinks: readonly ExtVirtualLinkData[];
  readonly extManagedVirtualLinks: readonly ExtManagedVirtualLinkData[];
  /** Key of the vimConnectionInfo map. */
  readonly vimConnectionId: string;
  /** accessInfo.project. */
  readonly tenant?: string | undefined;
  readonly scaleStatus: readonly { aspectId: string; scaleLevel: number }[];
  readonly maxScaleLevels: readonly { aspectId: string; scaleLevel: number }[];
  readonly localizationLanguage?: string | undefined;
}

export interface Nfv {
  readonly VDU?:
    | Readonly<
        Record<
          string,
          {
            computeFlavourId?: unknown;
            vcImageId?: unknown;
            locationConstraints?: unknown;
            flavor?: unknown;
            image?: unknown;
          }
        >
      >
    | undefined;
}

/** A server of the VNF with its ports. */
export interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly index: number;
  readonly member: ServerPlace['member'];
  readonly creationTime: string;
  /** Id of the stack that has the server. */
  readonly stackId: string;
  readonly ports: readonly { readonly cpdId: string; readonly portId: string }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}
