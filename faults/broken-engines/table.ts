import type { Disruption, Life, LifeOrder, Meddling } from '../life-scenario.ts';
import type { Limits } from '../run-life.ts';

/** A change of one file that breaks the engine. */
interface Edit {
  readonly file: string;
  /** Text that occurs once. */
  readonly from: string;
  readonly to: string;
}

/** What happens, so that the defect shows. */
interface Story {
  readonly flavour: Life['flavour'];
  readonly orders: readonly LifeOrder[];
  readonly disruptions?: readonly Disruption[];
  readonly meddling?: readonly Meddling[];
  /** Decisions in FAILED_TEMP. Default: two retries. */
  readonly decisions?: Life['decisions'];
  /** Shorter limits, where the defect is that something never comes to rest. */
  readonly limits?: Partial<Limits>;
}

/** An engine that was broken on purpose. The checker must find it. */
export interface BrokenEngine {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly story: Story;
  /** How the name of the violated invariant begins. */
  readonly expects: string;
}

const webServers: Story = { flavour: 'plain', orders: ['instantiate', 'scale-out', 'terminate'] };
/** For an engine in which an operation never comes to rest: a good one needs three seconds for this. */
const hangs: Story = { flavour: 'plain', orders: ['instantiate'], limits: { restMs: 12_000, settleMs: 5_000 } };
const scaledCluster: Story = { flavour: 'cluster', orders: ['instantiate', 'scale-out', 'scale-in'] };
const threeMasters: Story = { flavour: 'ha', orders: ['instantiate', 'replace-master'] };
/** A cluster that has lost its majority never comes to rest. */
const besideDead: Story = {
  flavour: 'ha',
  orders: ['instantiate', 'heal-beside-dead'],
  decisions: [],
  limits: { restMs: 25_000, settleMs: 1_000 },
};
/** Its cluster never comes to rest: none of the others joins a cluster that is restored beside the old one. */
const unreachable: Story = {
  flavour: 'ha',
  orders: ['instantiate', 'restore-unreachable'],
  decisions: [],
  limits: { restMs: 25_000, settleMs: 1_000 },
};
const failing: Story = {
  flavour: 'plain',
  orders: ['instantiate'],
  disruptions: [{ kind: 'resource-fails', atMs: 0, forMs: 6_000, pick: 0 }],
};
/** Sessions with nodes are cut a second after a command has begun, while jobs that last longer run there. */
const cutSessions: Story = {
  flavour: 'cluster',
  orders: ['instantiate'],
  disruptions: [
    { kind: 'slow-commands', atMs: 0, forMs: 30_000, pick: 0 },
    { kind: 'ssh-reset', atMs: 0, forMs: 20_000, pick: 2 },
  ],
};
const hungLogins: Story = {
  flavour: 'cluster',
  orders: ['instantiate'],
  disruptions: [{ kind: 'ssh-hangs', atMs: 0, forMs: 8_000, pick: 0 }],
  limits: { restMs: 16_000, settleMs: 3_000 },
};
const controls = (control: Meddling['control']): readonly Meddling[] =>
  [800, 1_600, 2_400, 3_600, 5_000].map((atMs, operator) => ({
    ...{ operator, atMs, control, pick: 0 },
    ...({ cancelMode: 'GRACEFUL', version: 'v2' } as const),
  }));

/** Counts what is not known as dead. */
const UNREACHABLE_IS_DEAD: Edit = {
  file: 'domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts',
  from: "return { verdict: 'unknown', ground: 'none', seen: [unreached, nova]",
  to: "return { verdict: 'dead', ground: 'nova', seen: [unreached, nova]",
};

/** One row, one defect. A test holds that each edit still fits the sources. */
export const BROKEN_ENGINES: readonly BrokenEngine[] = [
  {
    name: 'a stack is leaked',
    edits: [
      {
        file: 'activities/steps/delete-stack.ts',
        from: 'if (found) await removeStack(context, found);',
        to: 'void [found, removeStack];',
      },
    ],
    story: webServers,
    expects: '4 ',
  },
  {
    name: 'a 202 is lost',
    edits: [{ file: 'engine/start-operation.ts', from: 'return await acceptOnce(client, input);', to: 'return;' }],
    story: hangs,
    expects: '2 ',
  },
  {
    name: 'a record comes before its history',
    edits: [
      {
        file: 'api/vnflcm/lcm-operation.ts',
        from: '    await engine.start(request);\n    await showAccepted(context, id);',
        to: '    await showAccepted(context, id);\n    await engine.start(request);',
      },
      {
        file: 'engine/start-operation.ts',
        from: 'return await acceptOnce(client, input);',
        to: "throw new Error('the server was killed');",
      },
    ],
    story: hangs,
    expects: '2 ',
  },
  {
    name: 'an instance stays locked by a workflow that does not end',
    edits: [
      {
        file: 'workflows/operation.ts',
        from: 'await condition(allHandlersFinished);',
        to: "await condition(() => context.acceptance === 'awaited');",
      },
    ],
    story: hangs,
    expects: '2 ',
  },
  {
    name: 'an instance has no lock',
    edits: [
      {
        file: 'engine/start-operation.ts',
        from: 'workflowId: workflowId(vnfInstanceId),',
        to: "workflowId: [workflowId(vnfInstanceId), vnfLcmOpOccId].join('/'),",
      },
    ],
    story: { ...failing, decisions: [] },
    expects: '2 ',
  },
  {
    name: 'a job is started while it runs',
    edits: [
      {
        file: 'ssh/job-commands.ts',
        from: 'case "$state" in running|unclear) rm',
        to: 'case "$state" in unclear) rm',
      },
    ],
    story: cutSessions,
    expects: '12 ',
  },
  {
    name: 'a phase is run twice',
    edits: [
      {
        file: 'activities/steps/prepare-node.ts',
        from: "    await runPhase(node, { kind: 'prepareNode' });",
        to: "    await runPhase(node, { kind: 'prepareNode' });\n    await runPhase(node, { kind: 'prepareNode' });",
      },
      {
        file: 'activities/node/phase-job.ts',
        from: 'phaseJobId(input, phase.jobSuffix),',
        to: "phaseJobId(input, 'again'.concat(String(Date.now()))),",
      },
    ],
    story: { flavour: 'cluster', orders: ['instantiate'] },
    expects: '12 ',
  },
  {
    name: 'a member of etcd is removed after its server',
    edits: [
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/heal-replacement.ts',
        from: 'for (const slot of dead) gone = [controlPlaneLeaves(drawing, slot, { after: gone, excluded: dead })];',
        to: '',
      },
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/heal-replacement.ts',
        from: 'const discovered = drawing.replaceServers(gone, replaced);',
        to: `const discovered = drawing.replaceServers(gone, replaced);
  gone = [discovered];
  for (const slot of dead) gone = [controlPlaneLeaves(drawing, slot, { after: gone, excluded: dead })];`,
      },
    ],
    story: threeMasters,
    expects: '10 ',
  },
  {
    name: 'a dead member of etcd stays',
    edits: [
      {
        file: 'activities/steps/remove-control-plane.ts',
        from: '    await removeMembers(removal);',
        to: '    void removeMembers;',
      },
    ],
    story: threeMasters,
    expects: '10 ',
  },
  {
    name: 'load balancers are not reloaded',
    edits: [
      {
        file: 'activities/steps/include-in-load-balancers.ts',
        from: "await changeOtherLoadBalancers(step, { kind: 'includeInLoadBalancers', out: step.input.out });",
        to: 'void [changeOtherLoadBalancers, step];',
      },
    ],
    story: threeMasters,
    expects: '13 ',
  },
  {
    name: 'no majority is proved before a member leaves',
    edits: [
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/quorum.ts',
        from: 'if (down.length > 0) {',
        to: 'if (down.length > 99) {',
      },
      { file: 'domain/vnf-kinds/kubernetes-cluster/quorum.ts', from: '  if (then.kept) {', to: '  if (then) {' },
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/quorum.ts',
        from: 'const safe = bad.length',
        to: 'const safe = true || bad.length',
      },
      {
        file: 'activities/steps/remove-control-plane.ts',
        from: 'object: (members) => objectToRemoval(before, { members, nodes, slot }),',
        to: 'object: () => undefined,',
      },
      {
        file: 'activities/steps/remove-control-plane.ts',
        from: 'if (objection) throw makeRefusal(objection);',
        to: '',
      },
      {
        file: 'activities/steps/remove-control-plane.ts',
        from: '    await removeMembers(removal);',
        to: '    await removeMembers(removal).catch(() => {});',
      },
      {
        file: 'activities/steps/exclude-from-load-balancers.ts',
        from: "await changeOtherLoadBalancers(step, { kind: 'excludeFromLoadBalancers', out: step.input.out });",
        to: 'void [changeOtherLoadBalancers, step];',
      },
      {
        file: 'activities/steps/replace-servers.ts',
        from: 'await mustBeAsPlanned(context, going.length > 0 ? Object.keys(before) : []);',
        to: '',
      },
    ],
    story: besideDead,
    expects: '10 ',
  },
  {
    name: 'no second look before destruction: who cannot be reached counts as dead',
    edits: [
      UNREACHABLE_IS_DEAD,
      {
        file: 'activities/steps/stop-servers.ts',
        from: 'await mustBeAsPlanned(step, fenced);',
        to: 'void [mustBeAsPlanned, fenced];',
      },
    ],
    story: unreachable,
    expects: '10 ',
  },
  {
    name: 'a cluster is restored over a living one, without a fence',
    edits: [
      UNREACHABLE_IS_DEAD,
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/plan-restore.ts',
        from: 'drawing.replaceServers(drawFencing(drawing, facts, source), { servers });',
        to: 'drawing.replaceServers([], { servers: servers.filter((slot) => slot === seed) });',
      },
      {
        file: 'activities/steps/replace-servers.ts',
        from: 'await mustBeAsPlanned(context, going.length > 0 ? Object.keys(before) : []);',
        to: '',
      },
      { file: 'activities/steps/restore-control-plane.ts', from: '  await keepFenced(step);', to: '' },
    ],
    story: unreachable,
    expects: '11 ',
  },
  {
    name: 'a node is commanded that the operation does not touch',
    edits: [
      {
        file: 'domain/vnf-kinds/kubernetes-cluster/scaled-workers.ts',
        from: 'const joined = slots.flatMap((slot)',
        to: "const joined = [...slots, 'workerNode[0]'].flatMap((slot)",
      },
    ],
    story: scaledCluster,
    expects: '14 ',
  },
  {
    name: 'the cluster does not forget workers that are gone',
    edits: [
      {
        file: 'activities/steps/remove-workers.ts',
        from: '(name) => leaveCluster(node, { name, timeoutSeconds }));',
        to: 'async () => void leaveCluster);',
      },
      {
        file: 'activities/steps/forget-nodes.ts',
        from: '  if (gone.length === 0) return;',
        to: '  if (gone.length < 99) return;',
      },
    ],
    story: scaledCluster,
    expects: '13 ',
  },
  {
    name: 'a scale in leaves its server',
    edits: [
      {
        file: 'activities/steps/shrink-stack.ts',
        from: 'await scaleStack(stack, isPresent ?',
        to: 'if (isPresent) return;\n  await scaleStack(stack, isPresent ?',
      },
    ],
    story: scaledCluster,
    expects: '13 ',
  },
  {
    name: 'a secret is in the log',
    edits: [
      {
        file: 'activities/stack/vim-session.ts',
        from: '  return session;\n}',
        to: '  console.error(JSON.stringify(credentials));\n  return session;\n}',
      },
    ],
    story: { flavour: 'plain', orders: ['instantiate'] },
    expects: '16 ',
  },
  {
    name: 'a secret is in a history',
    edits: [
      {
        file: 'activities/stack/vim-session.ts',
        from: '  return session;\n}',
        to: '  return Object.assign(session, { credentials });\n}',
      },
      {
        file: 'activities/steps/discover.ts',
        from: 'return { labels:',
        to: 'return { leak: context.session, labels:',
      },
    ],
    story: { flavour: 'plain', orders: ['instantiate'] },
    expects: '16 ',
  },
  {
    name: 'a timeout is ignored',
    edits: [
      {
        file: 'activities/node/node-session.ts',
        from: 'connectTimeoutMs: deps.pace.connectLimit * 1000,',
        to: 'connectTimeoutMs: 86_400_000,',
      },
    ],
    story: hungLogins,
    expects: '1 ',
  },
  {
    name: 'a cancel is forgotten',
    edits: [
      {
        file: 'workflows/controls.ts',
        from: 'const stopped = applyAction(run, action);',
        to: "const stopped = action.kind === 'cancel' ? [] : applyAction(run, action);",
      },
    ],
    story: { flavour: 'cluster', orders: ['instantiate'], meddling: controls('cancel') },
    expects: '6 ',
  },
  {
    name: 'an operation is given up without an order',
    edits: [
      {
        file: 'workflows/operation.ts',
        from: "    await enter(context, run.cancel ? 'cancel' : 'error', { failures: why });\n    await carryOutDecision(context);",
        to: "    await enter(context, 'error', { failures: why });\n    run.decision = 'fail';\n    await enter(context, 'fail', { by: 'nobody' });",
      },
    ],
    story: failing,
    expects: '6 ',
  },
  {
    name: 'a failed operation has no cause',
    edits: [
      {
        file: 'activities/records/record-state.ts',
        from: '...(shown ? { error: shown } : {}),',
        to: '...(shown && isFinal(state) ? { error: shown } : {}),',
      },
    ],
    story: { ...failing, decisions: [] },
    expects: '1 ',
  },
  {
    name: 'a refusal becomes a 500',
    edits: [
      {
        file: 'engine/control-operation.ts',
        from: '  } catch (error) {\n    throw toEngineProblem(error);',
        to: '  } catch (error) {\n    void toEngineProblem(error);\n    throw new TypeError(String(error));',
      },
      { file: 'engine/control-operation.ts', from: "    if (isEnded(error)) return 'ended';\n", to: '' },
    ],
    story: { flavour: 'cluster', orders: ['instantiate'], meddling: controls('cancel') },
    expects: '7 ',
  },
  {
    name: 'schedules outlive their instance',
    edits: [
      {
        file: 'activities/forget-instance.ts',
        from: '  await deleteSchedules(vnfInstanceId);',
        to: '  void [deleteSchedules, vnfInstanceId];',
      },
    ],
    story: { flavour: 'cluster', orders: ['instantiate', 'terminate'] },
    expects: '15 ',
  },
  {
    name: 'sessions with the bastion stay open',
    edits: [{ file: 'activities/node/node-session.ts', from: '    session.end();', to: '    void session;' }],
    story: { flavour: 'cluster', orders: ['instantiate'] },
    expects: '15 ',
  },
];
