import { setTimeout as delay } from 'node:timers/promises';
import type { OperationRef, RecordActivities } from '../domain/activity-contract.ts';
import { type ControlPlaneSurvey, needsSurvey } from '../domain/planner/heal.ts';
import { VnflowError } from '../domain/problems.ts';
import type { LiveMember } from '../domain/quorum.ts';
import { type ClusterNode, listControlPlane } from '../store/cluster-nodes.ts';
import { mergeOperationContext } from '../store/operations.ts';
import { controlPlaneNode } from './control-plane.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { etcdRuns, liveMembers } from './etcd.ts';
import { healFactsOf } from './heal-facts-of.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { onNode } from './node-session.ts';
import { writeAsAttempt } from './step-attempt.ts';

/** An election takes seconds: a majority that is not there now may be there soon. */
const ROUNDS = 2;

/** Asks the control plane who votes and who answers, before a heal is planned. Changes nothing. */
export function createSurveyActivity(deps: ActivityDependencies): Pick<RecordActivities, 'surveyControlPlane'> {
  return {
    surveyControlPlane: (ref) =>
      heartbeating(async (beat) => {
        const facts = await healFactsOf(deps, ref);
        if (!needsSurvey(facts)) return;
        const survey = await askControlPlane(deps, ref, { last: facts.controlPlane, rounds: ROUNDS, beat });
        await writeAsAttempt(deps, ({ db }) => mergeOperationContext(db, ref.vnfLcmOpOccId, { survey }));
      }),
  };
}

/**
 * Who votes and who answers.
 * @param last slots of control-plane nodes that are asked after the others
 * @param rounds how often, when nobody is in a majority
 */
export async function askControlPlane(
  deps: ActivityDependencies,
  ref: OperationRef,
  { last, rounds, beat }: { last: readonly string[]; rounds: number; beat: Beat },
): Promise<ControlPlaneSurvey> {
  const masters = await listControlPlane(deps.db, ref.vnfInstanceId);
  const isLast = ({ slot }: ClusterNode) => last.includes(slot);
  const inOrder = [...masters.filter((node) => !isLast(node)), ...masters.filter(isLast)];
  return {
    nodes: masters.map(controlPlaneNode),
    members: await membersOf(deps, ref, { masters: inOrder, rounds, beat }),
  };
}

interface Asking {
  readonly masters: readonly ClusterNode[];
  readonly rounds: number;
  readonly beat: Beat;
}

/** Whoever is in a majority is believed. Where there is none, each node speaks for itself. */
async function membersOf(
  deps: ActivityDependencies,
  ref: OperationRef,
  { masters, rounds, beat }: Asking,
): Promise<LiveMember[]> {
  for (let round = 1; ; round++) {
    const alone: LiveMember[] = [];
    for (const node of masters) {
      const found = await askNode(deps, ref, { node, beat });
      if (Array.isArray(found)) return found;
      alone.push(lonely(node, found === 'alone'));
    }
    if (round === rounds) return alone;
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  }
}

/** The members; `alone`: etcd runs there, without a majority; `silent`: no etcd, or no node. */
async function askNode(
  deps: ActivityDependencies,
  ref: OperationRef,
  { node, beat }: { node: ClusterNode; beat: Beat },
): Promise<LiveMember[] | 'alone' | 'silent'> {
  const input = { ...ref, stepId: 'survey', round: 0 };
  beat.say(`asking etcd on ${node.node_name}`);
  try {
    return await onNode(deps, input, { slot: node.slot, limitSeconds: 0, beat }, async ({ session }) => {
      try {
        return await liveMembers(session);
      } catch (error) {
        if (!(error instanceof VnflowError)) throw error;
        return (await etcdRuns(session)) ? 'alone' : 'silent';
      }
    });
  } catch (error) {
    if (error instanceof VnflowError) return 'silent';
    throw error;
  }
}

function lonely({ slot, node_name: name, nic_address: address }: ClusterNode, healthy: boolean): LiveMember {
  return { id: slot, started: true, name, peerUrls: [`https://${address}:2380`], learner: false, healthy };
}
