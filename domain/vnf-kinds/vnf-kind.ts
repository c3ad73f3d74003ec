import type { z } from 'zod';
import type { DiscoveredNode, DiscoveredStack } from '../discovered-stack.ts';
import type { Plan } from '../operation/plan.ts';
import type { OperationFacts } from '../operation-facts.ts';
import type { InsideServers } from '../stack-plans/inside-servers.ts';
import type { InstallContract } from './kubernetes-cluster/install-contract.ts';

/** The files of a VNF package, by path. */
export interface PackageFiles {
  has(path: string): boolean;
  /** The content, which `toString()` gives as text. */
  get(path: string): { toString(): string } | undefined;
}

/** The parts of a VNF package that parameters of a request may name. */
export interface PackageContents {
  /** Ids of the VDUs of the flavour. */
  readonly vdus: readonly string[];
  /** Ids of the VDUs that each scaling aspect of the flavour scales. */
  readonly aspects: Readonly<Record<string, readonly string[]>>;
  readonly vnfInstanceId: string;
  /** Resources of the top HOT and of a VDU's nested one: name → Heat type. */
  readonly resources: (vduId: string) => ReadonlyMap<string, string>;
  readonly files: PackageFiles;
  /** The time of the check: certificates in the package expire. */
  readonly now: Date;
  /** Paths of the files that `files` lacks because they are too large: they are in the archive of the package only. */
  readonly largeFiles: ReadonlySet<string>;
}

/** What a check of changed properties needs. */
export type ReconfigurationSources = Pick<PackageContents, 'files' | 'now'>;

/** The facts about an instance and a request that a kind of VNF needs to plan an operation. */
export interface VnfFacts {
  readonly vnfInstanceId: string;
  /** Servers per VDU in the new stack, or before a later operation. */
  readonly counts: Readonly<Record<string, number>>;
  /** Slots of the servers that are there. Undefined before there is a stack. */
  readonly slots?: readonly string[];
  /** Ids of the VDUs whose servers the package keeps on different compute hosts. */
  readonly separatedVdus: readonly string[];
  /** Names of the volumes in the templates that a server of a VDU has besides the one that it boots from. */
  readonly dataVolumes?: (vduId: string) => readonly string[];
  /** Is the VNF registered as a VIM, or does it become one with this operation? */
  readonly isVim: boolean;
  /** The additional parameters of the request. */
  readonly additionalParams: Readonly<Record<string, unknown>>;
  /** The backups that are stored. */
  readonly backups: readonly { readonly id: string }[];
  /** The result of a survey of the VNF. Undefined without a survey: in a dry run, or when the operation needs none. */
  readonly survey: unknown;
}

/** The script that runs in the servers, as a rule one of the package. */
export interface InstallScript {
  /** Its path in the package. */
  readonly path: string;
  /** How vnflow calls it: `phases` (docs/install-script.md) or `monolith` (docs/tacker-packages.md). */
  readonly contract: InstallContract;
  /** True when the package has none, and vnflow's own runs. */
  readonly isOwn?: true;
}

/** The servers that a heal replaces. */
export interface HealedServers {
  readonly slots: readonly string[];
  /** Whether the stack is deleted and created again. */
  readonly recreate: boolean;
}

/** What a survey before a heal asks. */
export type SurveyQuestion =
  /** The members of etcd and the control-plane nodes; those of these slots come last. */
  | { readonly about: 'controlPlane'; readonly last: readonly string[] }
  /** What the registry on the server of this slot has. */
  | { readonly about: 'contents'; readonly slot: string };

/** A VNF of a kind, with its parameters. */
export interface Vnf {
  /** What later operations need: it is sealed and stored with the instance. Undefined when there is nothing to keep. */
  readonly kept: { readonly as: string; readonly parameters: unknown } | undefined;
  /** The install script. Undefined when no script runs in the servers. */
  readonly installScript: InstallScript | undefined;
  /** Whether scripts of the package run for the hooks of the VNFD. False when the steps of the kind stand for them. */
  readonly runsPackageHooks: boolean;
  /** Name under which the VNF becomes a VIM. */
  readonly vimName: string | undefined;
  /** @throws VnflowError BAD_REQUEST when no VNF can be made of so many servers */
  checkNew(facts: VnfFacts, flavourId: string): void;
  /** Checks the members of a later request that only this kind has. @throws VnflowError BAD_REQUEST */
  checkRequest(additionalParams: Readonly<Record<string, unknown>>): void;
  /** @throws VnflowError BAD_REQUEST when servers of this VDU cannot be added or removed */
  checkScaled(scaled: { readonly aspectId: string; readonly vduId: string }): void;
  /** Decides whether a heal needs a survey of the VNF before it is planned. Undefined when no survey is needed. */
  surveyBeforeHeal(heal: HealedServers, facts: VnfFacts): SurveyQuestion | undefined;
  /**
   * Binds slots to servers, and finds what the steps inside them need to know of the whole.
   * @throws VnflowError RESOURCE_MISSING
   */
  discover(stack: DiscoveredStack): { readonly nodes: readonly DiscoveredNode[]; readonly facts: OperationFacts };
  /** What happens inside the servers. @throws VnflowError when the operation would do harm */
  inside(facts: VnfFacts): InsideServers;
  /**
   * The VNF after a change of its vnfConfigurableProperties (a merge patch).
   * @returns undefined when nothing inside the servers depends on what the patch changes
   * @throws VnflowError BAD_REQUEST naming the member
   */
  reconfigured(patch: Readonly<Record<string, unknown>>, sources: ReconfigurationSources): Vnf | undefined;
  /** Checks a finished plan. @throws VnflowError when it needs what is not there */
  checkPlan(plan: Plan, facts: VnfFacts): void;
}

/** How vnflow logs in to a server: with a password, or with a private key. */
export interface ServerLogin {
  readonly username: string;
  readonly password?: string | undefined;
  readonly private_key?: string | undefined;
}

/** The parameters of a kind of VNF, in a request and in the secrets of an instance. */
export interface KindParameters {
  /** Key in additionalParams of a request. */
  readonly key: string;
  /** Name of the secret in which the instance keeps them. */
  readonly keptAs: string;
  /** Reads parameters that need nothing of the package to be complete. */
  readonly schema: z.ZodType;
  /** Members that hold in later operations, too, unless their requests have others. */
  readonly keptMembers: readonly string[];
  /** Those of them that no later request may change. */
  readonly fixedMembers: readonly string[];
  /** Members that a later request may repeat, and does not change: they are changed on all servers, or on none. */
  readonly heldMembers: readonly string[];
  /**
   * @param parameters as `schema` reads them
   * @param role of the server, as `discover` gives it
   */
  loginOf(parameters: unknown, role: string): ServerLogin;
}

/** A kind of VNF: a folder of `domain/vnf-kinds/`, and a row of its table. */
export interface VnfKind {
  readonly name: string;
  /** Implementations in the VNFD's Vnflcm interface that mean this kind, and file names of Tacker's scripts for it. */
  readonly managementDrivers: readonly string[];
  /** Undefined when this kind has no parameters: then nothing logs in to its servers. */
  readonly parameters: KindParameters | undefined;
  /**
   * @param given the parameters, as the request has them or the instance keeps them
   * @param files of the package
   * @param contents of the package, if what `given` names is to be looked up there
   * @throws VnflowError BAD_REQUEST naming the member
   */
  readVnf(given: unknown, files: PackageFiles, contents?: PackageContents): Vnf;
  /**
   * Checks what a package of this kind brings for its servers, when it is onboarded.
   * @param paths of all files of the package
   * @throws VnflowError CSAR_INVALID naming the file and what it lacks
   */
  checkPackage(files: PackageFiles, paths: Iterable<string>): void;
}
