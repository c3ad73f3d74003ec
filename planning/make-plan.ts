import type { AddedServers } from '../domain/capacity.ts';
import type { Plan } from '../domain/operation/plan.ts';
import type { Operation, RequestOf } from '../domain/operations.ts';
import { VnflowError } from '../domain/problems.ts';
import { hasOnlyServer } from '../domain/server-places.ts';
import { planHeal } from '../domain/stack-plans/heal.ts';
import { healedVnfcs, vnfcCounts, vnfcSlots } from '../domain/stack-plans/healed-vnfcs.ts';
import { planInstantiate, planInstantiateRollback } from '../domain/stack-plans/instantiate.ts';
import { planModifyInfo } from '../domain/stack-plans/modify-info.ts';
import { type CodeOfPlan, withPackageCode } from '../domain/stack-plans/package-code-steps.ts';
import { planScale, planScaleOutRollback } from '../domain/stack-plans/scale.ts';
import { scaleFacts } from '../domain/stack-plans/scale-facts.ts';
import { planTerminate } from '../domain/stack-plans/terminate.ts';
import { vduGroups } from '../domain/standard-user-data/vdu-groups.ts';
import { dataVolumes, separatedVdus, type UserDataInput } from '../domain/standard-user-data.ts';
import { type ChosenUserData, stackContent, USER_DATA_CLASS } from '../domain/user-data.ts';
import { REGISTRY_CONNECTIONS } from '../domain/vnf-kinds/kubernetes-cluster/registry-connections.ts';
import type { SurveyQuestion, Vnf, VnfFacts } from '../domain/vnf-kinds/vnf-kind.ts';
import type { Flavour } from '../domain/vnfd/model.ts';
import { flavour, vduCounts } from '../domain/vnfd.ts';
import { listClusterBackups } from '../store/cluster-backups.ts';
import { findClusterVim } from '../store/cluster-vims.ts';
import type { VnfInstanceRow } from '../store/vnf-instances.ts';
import { checkRepeatedUserData, checkUserData } from './check-user-data.ts';
import type { PlanningDependencies } from './dependencies.ts';
import { type HookSources, hooksAround } from './package-code.ts';
import { flavourOfInstance, packageOfInstance } from './package-of-instance.ts';
import { newTemplates, type Templates, templatesOfInstance } from './templates.ts';
import { newVnf, vnfOfInstance } from './vnf-of-instance.ts';

/** An instance as it is before the operation. It need not be in the store yet. */
export type PlannedInstance = Pick<VnfInstanceRow, 'id' | 'packageId'> &
  Partial<Pick<VnfInstanceRow, 'instantiatedVnfInfo'>>;

/** An operation with its request, secrets included. */
export type OperationRequest<O extends Operation = Operation> = {
  [P in O]: { readonly operation: P; readonly request: RequestOf<P> };
}[O];

export type PlanQuestion<O extends Operation = Operation> = {
  [P in O]: {
    readonly operation: P;
    readonly request: RequestOf<P>;
    readonly instance: PlannedInstance;
    /** The result of a survey of the VNF. Undefined without a survey: then every node counts as alive. */
    readonly survey?: unknown;
  };
}[O];

export interface Planned {
  readonly plan: Plan;
  /** The plan that would undo the operation. Undefined when it cannot be undone. */
  readonly rollback?: Plan;
  /** Undefined when nothing in the servers takes part. */
  readonly vnf?: Vnf;
  /** The templates of the stack. Undefined when the operation does not read them. */
  readonly templates?: Templates;
  /** The servers that a scale out adds. */
  readonly added?: AddedServers;
  /** What a survey asks before the operation is planned. Undefined when there is none. */
  readonly asks?: SurveyQuestion;
}

/**
 * The one place where plans are made: reads the facts, checks the request against them, and plans. The API's checks,
 * its dry run, and the activity that begins an operation all call it, so that an operation does what its dry run says.
 * Changes nothing. Whether the operation may begin at all (another one runs, the instance is in another state, the
 * package is disabled, the name of a VIM is taken) is checked by the API: after a request is accepted that does not
 * change the plan.
 * @throws VnflowError when a check of the request fails: BAD_REQUEST naming the member, FLAVOUR_UNKNOWN, QUORUM_LOST,
 * QUORUM_INCOMPLETE, CONTROL_PLANE_UNKNOWN, BACKUP_MISSING, BACKUP_UNKNOWN, BACKUP_NOT_NEEDED, …
 */
export async function makePlan<O extends Operation>(
  deps: PlanningDependencies,
  question: PlanQuestion<O>,
): Promise<Planned> {
  return PLANNERS[question.operation](deps, question);
}

type Planner<O extends Operation> = (deps: PlanningDependencies, question: PlanQuestion<O>) => Promise<Planned>;

/** How each operation is planned. */
const PLANNERS: { readonly [O in Operation]: Planner<O> } = {
  INSTANTIATE: planOfInstantiate,
  TERMINATE: planOfTerminate,
  SCALE: planOfScale,
  HEAL: planOfHeal,
  MODIFY_INFO: planOfModifyInfo,
};

async function planOfInstantiate(
  deps: PlanningDependencies,
  { instance, request }: PlanQuestion<'INSTANTIATE'>,
): Promise<Planned> {
  const { vnfd, files, largeFiles } = await packageOfInstance(deps, instance);
  const of = flavour(vnfd, request.flavourId);
  const { additionalParams = {}, instantiationLevelId } = request;
  if (REGISTRY_CONNECTIONS in (request.vnfConfigurableProperties ?? {})) {
    throw createRegistriesProblem('belongs to additionalParams.k8s_cluster_installation_param of this request');
  }
  const { allowPackageCode } = deps;
  const templates = newTemplates(files, of, request);
  const { isGenerated } = templates;
  const userData = checkUserData({ additionalParams, files, allowPackageCode, isGenerated });
  const vnf = newVnf({
    vnfInstanceId: instance.id,
    flavour: of,
    files,
    largeFiles,
    additionalParams,
    templates: () => templates,
  });
  const facts: VnfFacts = {
    vnfInstanceId: instance.id,
    counts: vduCounts(of, instantiationLevelId),
    separatedVdus: separatedVdus(templates, vduIds(of)),
    dataVolumes: (vduId) => dataVolumes(templates, vduId),
    isVim: vnf.vimName !== undefined,
    additionalParams,
    backups: [],
    survey: undefined,
  };
  vnf.checkNew(facts, of.id);
  if ('builtIn' in userData)
    checkTemplates({ ...templates, flavour: of, counts: facts.counts, request }, userData.builtIn);
  const hooks = hooksOf('INSTANTIATE', vnf, { flavour: of, files, allowPackageCode });
  return {
    plan: withPackageCode(planInstantiate(vnf.inside(facts)), { ...hooks.forward, userData: !('builtIn' in userData) }),
    rollback: withPackageCode(planInstantiateRollback(), hooks.rollback),
    vnf,
    templates,
  };
}

interface Hooks {
  readonly forward: CodeOfPlan;
  readonly rollback: CodeOfPlan;
}

/** The hooks of a package whose kind has nothing of its own inside the servers. */
function hooksOf(operation: Operation, { runsPackageHooks }: Vnf, sources: HookSources): Hooks {
  if (!runsPackageHooks) return { forward: {}, rollback: {} };
  return { forward: hooksAround(operation, 'forward', sources), rollback: hooksAround(operation, 'rollback', sources) };
}

/** A forceful terminate leaves hooks out that may not run: no instance must be there for ever because of its package. */
async function planOfTerminate(
  deps: PlanningDependencies,
  { instance, request }: PlanQuestion<'TERMINATE'>,
): Promise<Planned> {
  const plan = planTerminate(request);
  const { allowPackageCode } = deps;
  const flavourId = instance.instantiatedVnfInfo?.['flavourId'];
  if (flavourId === undefined || (!allowPackageCode && request.terminationType === 'FORCEFUL')) return { plan };
  const { files, largeFiles } = await packageOfInstance(deps, instance);
  const of = await flavourOfInstance(deps, instance);
  if (of.hooks.every(({ script }) => script === undefined)) return { plan };
  const templates = () => newTemplates(files, of, {});
  const sources = { vnfInstanceId: instance.id, flavour: of, files, largeFiles, additionalParams: {}, templates };
  const vnf = await vnfOfInstance(deps, sources);
  return { plan: withPackageCode(plan, hooksOf('TERMINATE', vnf, { flavour: of, files, allowPackageCode }).forward) };
}

type BuiltIn = Extract<ChosenUserData, { builtIn: unknown }>['builtIn'];

/**
 * Templates that the user data of the request does not fit are refused before anything is made.
 * @throws VnflowError BAD_REQUEST, TEMPLATE_INVALID
 */
function checkTemplates(input: UserDataInput & Templates, builtIn: BuiltIn): void {
  if (input.isGenerated) {
    // the flavors are chosen when the stack is made: any name stands for them here
    const flavours = Object.fromEntries(vduIds(input.flavour).map((id) => [id, '']));
    stackContent({ ...input, grant: { flavours } }, builtIn);
    return;
  }
  if (builtIn !== 'StandardUserData') {
    stackContent(input, builtIn);
    return;
  }
  const [group] = input.flavour.vdus.flatMap(({ id }) => vduGroups(input).get(id) ?? []);
  if (group === undefined) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `additionalParams.${USER_DATA_CLASS}: the package has the scaling group ${group}; name KubernetesClusterUserData, or DefaultUserData.`,
  });
}

async function planOfScale(deps: PlanningDependencies, { instance, request }: PlanQuestion<'SCALE'>): Promise<Planned> {
  const of = await flavourOfInstance(deps, instance);
  const scale = scaleFacts(request, of, instance.instantiatedVnfInfo ?? {});
  const { additionalParams } = request;
  const { vnf, facts, userData, codeSources, templates } = await factsOf(deps, { instance, of, additionalParams });
  vnf.checkScaled({ aspectId: request.aspectId, vduId: scale.vduId });
  checkHasPlaces(scale.vduId, instance.instantiatedVnfInfo, templates);
  const inside = vnf.inside(facts);
  const hooks = hooksOf('SCALE', vnf, codeSources);
  const plan = withPackageCode(planScale(scale, inside), { ...hooks.forward, userData });
  if (!plan.rollbackSupported) return { plan, vnf, templates };
  const { vduId, by } = scale;
  const rollback = withPackageCode(planScaleOutRollback(scale, inside), hooks.rollback);
  return { plan, rollback, vnf, templates, added: { vduId, by } };
}

/**
 * Servers that StandardUserData made have an index, and members of a group have a group: others cannot be scaled.
 * @throws VnflowError BAD_REQUEST
 */
function checkHasPlaces(vduId: string, info: unknown, templates: Templates): void {
  if (!hasOnlyServer(info, vduId) || vduGroups(templates).has(vduId)) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `aspectId: ${vduId} is one resource of the top HOT (DefaultUserData), neither in a scaling group nor made by StandardUserData; it cannot be scaled.`,
  });
}

async function planOfHeal(
  deps: PlanningDependencies,
  { instance, request, survey }: PlanQuestion<'HEAL'>,
): Promise<Planned> {
  const { additionalParams, of } = {
    additionalParams: request.additionalParams,
    of: await flavourOfInstance(deps, instance),
  };
  const sources = { instance, of, additionalParams, survey };
  const { vnf, facts, userData, codeSources, templates } = await factsOf(deps, sources);
  const healed = healedVnfcs(request, instance.instantiatedVnfInfo);
  const plan = planHeal(healed, vnf.inside(facts));
  vnf.checkPlan(plan, facts);
  const asks = vnf.surveyBeforeHeal(healed, facts);
  return {
    plan: withPackageCode(plan, { ...hooksOf('HEAL', vnf, codeSources).forward, userData }),
    vnf,
    templates,
    ...(asks ? { asks } : {}),
  };
}

/** Only properties of an instance that is instantiated can concern what is inside its servers. */
async function planOfModifyInfo(
  deps: PlanningDependencies,
  { instance, request }: PlanQuestion<'MODIFY_INFO'>,
): Promise<Planned> {
  const changed = await reconfiguredVnf(deps, { instance, request });
  const change = changed && {
    inside: changed.vnf.inside(changed.facts),
    slots: vnfcSlots(instance.instantiatedVnfInfo),
  };
  return {
    plan: planModifyInfo('forward', change),
    rollback: planModifyInfo('rollback', change),
    ...(changed ? { vnf: changed.vnf } : {}),
  };
}

/**
 * The VNF of an instance as a modification changes it.
 * @returns undefined when nothing inside the servers depends on what changes
 * @throws VnflowError BAD_REQUEST naming the member
 */
export async function reconfiguredVnf(
  deps: PlanningDependencies,
  { instance, request }: Pick<PlanQuestion<'MODIFY_INFO'>, 'instance' | 'request'>,
): Promise<Pick<OperationFacts, 'vnf' | 'facts'> | undefined> {
  const { vnfConfigurableProperties: patch = {} } = request;
  if (!(REGISTRY_CONNECTIONS in patch)) return undefined;
  if (instance.instantiatedVnfInfo?.['vnfcResourceInfo'] === undefined) {
    throw createRegistriesProblem(
      `VnfInstance ${instance.id} isn't instantiated; the request of its instantiation names its registries`,
    );
  }
  const of = await flavourOfInstance(deps, instance);
  const { vnf, facts, codeSources } = await factsOf(deps, { instance, of, additionalParams: {} });
  const changed = vnf.reconfigured(patch, { files: codeSources.files, now: new Date() });
  if (!changed) throw createRegistriesProblem('only a Kubernetes cluster pulls images from private registries');
  return { vnf: changed, facts };
}

function createRegistriesProblem(sentence: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `vnfConfigurableProperties.${REGISTRY_CONNECTIONS}: ${sentence}.` });
}

/** The VNF that an operation is about. @throws VnflowError as `makePlan` does */
export async function vnfOf(
  deps: PlanningDependencies,
  question: Exclude<PlanQuestion, { operation: 'TERMINATE' | 'MODIFY_INFO' }>,
): Promise<Vnf> {
  const { instance, request } = question;
  const { additionalParams = {} } = request;
  if (question.operation !== 'INSTANTIATE') {
    const of = await flavourOfInstance(deps, instance);
    return (await factsOf(deps, { instance, of, additionalParams })).vnf;
  }
  const { vnfd, files, largeFiles } = await packageOfInstance(deps, instance);
  const of = flavour(vnfd, question.request.flavourId);
  const templates = () => newTemplates(files, of, question.request);
  return newVnf({ vnfInstanceId: instance.id, flavour: of, files, largeFiles, additionalParams, templates });
}

/** Decides whether a heal needs a survey of the VNF before it is planned. Undefined when no survey is needed. */
export async function surveyBeforeHeal(
  deps: PlanningDependencies,
  { instance, request }: Pick<PlanQuestion<'HEAL'>, 'instance' | 'request'>,
): Promise<SurveyQuestion | undefined> {
  const healed = healedVnfcs(request, instance.instantiatedVnfInfo);
  const of = await flavourOfInstance(deps, instance);
  const { vnf, facts } = await factsOf(deps, { instance, of, additionalParams: request.additionalParams });
  return vnf.surveyBeforeHeal(healed, facts);
}

const vduIds = ({ vdus }: Flavour) => vdus.map(({ id }) => id);

interface FactSources {
  readonly instance: PlannedInstance;
  readonly of: Flavour;
  readonly additionalParams: Readonly<Record<string, unknown>> | undefined;
  readonly survey?: unknown;
}

interface OperationFacts {
  readonly vnf: Vnf;
  readonly facts: VnfFacts;
  /** Does the request name user data of the package? */
  readonly userData: boolean;
  readonly codeSources: HookSources;
  readonly templates: Templates;
}

/** Reads the facts about an instantiated instance, and its VNF. */
async function factsOf(
  deps: PlanningDependencies,
  { instance, of, additionalParams = {}, survey }: FactSources,
): Promise<OperationFacts> {
  const vnfInstanceId = instance.id;
  const { files, largeFiles } = await packageOfInstance(deps, instance);
  const { allowPackageCode } = deps;
  const templates = await templatesOfInstance(deps, instance, of);
  const chosen = checkRepeatedUserData({
    additionalParams,
    files,
    allowPackageCode,
    isGenerated: templates.isGenerated,
  });
  const sources = { vnfInstanceId, flavour: of, files, largeFiles, additionalParams, templates: () => templates };
  const vnf = await vnfOfInstance(deps, sources);
  vnf.checkRequest(additionalParams);
  const facts: VnfFacts = {
    vnfInstanceId,
    counts: vnfcCounts(instance.instantiatedVnfInfo),
    slots: vnfcSlots(instance.instantiatedVnfInfo),
    separatedVdus: separatedVdus(templates, vduIds(of)),
    dataVolumes: (vduId) => dataVolumes(templates, vduId),
    isVim: (await findClusterVim(deps.db, vnfInstanceId)) !== undefined,
    additionalParams,
    backups: await listClusterBackups(deps.db, vnfInstanceId),
    survey,
  };
  const userData = chosen !== undefined && !('builtIn' in chosen);
  return { vnf, facts, userData, codeSources: { flavour: of, files, allowPackageCode }, templates };
}
