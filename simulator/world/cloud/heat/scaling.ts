import type { Resource, Stack } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { isObject, type Json, type JsonObject, stringAt } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Designer } from './design.ts';
import type { Engine } from './engine.ts';
import { groupSize, groupTemplate, withinBounds } from './groups.ts';
import type { StackStore } from './stack-store.ts';

interface ScalingParts {
  readonly foundation: Foundation;
  readonly designer: Designer;
  readonly store: StackStore;
  readonly engine: Engine;
}

/**
 * Carries out a signal. Heat answers it at once, and only events and members show its effect. It has no effect and no
 * event while the group is changing, during the cooldown, or at the bounds of the group. The parent stack keeps its
 * status.
 * @throws Refusal 400 for a resource that is no policy, or that is being deleted
 */
export function signalResource(parts: ScalingParts, stack: Stack, policy: Resource, details: Json): void {
  if (policy.type !== 'OS::Heat::ScalingPolicy') {
    throw new Refusal(400, 'ResourceActionNotSupported', 'signal is not supported for resource.');
  }
  if (policy.action === 'DELETE' || stack.action === 'DELETE') {
    parts.store.event(stack, policy, `${policy.action}_${policy.progress}`, 'Cannot signal resource during DELETE');
    throw new Refusal(400, 'NotSupported', 'Signal resource during DELETE is not supported.');
  }
  const group = Object.values(stack.resources).find(
    ({ physicalId }) => physicalId === policy.properties?.['auto_scaling_group_id'],
  );
  const nested = parts.foundation.state.stacks[group?.physicalId ?? ''];
  if (!group || !nested || !mayScale(parts, stack, { group, nested })) return;
  const properties = group.properties ?? {};
  const size = withinBounds(properties, wantedSize(groupSize(nested), policy.properties ?? {}));
  if (size === groupSize(nested)) return;
  const text = groupTemplate(group.type, properties, {
    nested,
    newName: () => parts.foundation.chance.letters(12),
    size,
  });
  const cooldown = Number(policy.properties?.['cooldown'] ?? properties['cooldown'] ?? 0);
  group.data = { ...group.data, cooldownEnd: parts.foundation.clock.elapsed() + Math.max(0, cooldown) };
  nested.previous = nested.source;
  nested.source = { ...nested.source, template: parts.designer.intern(text) };
  parts.engine.begin(nested, 'UPDATE');
  parts.store.event(stack, policy, 'SIGNAL_COMPLETE', reasonOf(details));
}

function mayScale(
  { foundation }: ScalingParts,
  stack: Stack,
  { group, nested }: { group: Resource; nested: Stack },
): boolean {
  if (group.progress !== 'COMPLETE' || [stack, nested].some(({ progress }) => progress === 'IN_PROGRESS')) return false;
  return Number(group.data['cooldownEnd'] ?? 0) <= foundation.clock.elapsed();
}

function wantedSize(current: number, policy: JsonObject): number {
  const adjustment = Number(policy['scaling_adjustment'] ?? 0);
  if (policy['adjustment_type'] === 'exact_capacity') return adjustment;
  if (policy['adjustment_type'] === 'change_in_capacity') return current + adjustment;
  const delta = (current * adjustment) / 100;
  // Heat rounds less than one member away from zero, and more towards it.
  const rounded = Math.sign(delta) * (Math.abs(delta) < 1 ? Math.ceil(Math.abs(delta)) : Math.floor(Math.abs(delta)));
  return current + Math.sign(rounded) * Math.max(Math.abs(rounded), Number(policy['min_adjustment_step'] ?? 0));
}

function reasonOf(details: Json): string {
  if (!isObject(details)) return typeof details === 'string' ? details : 'No signal details provided';
  const [previous, current, reason] = ['previous', 'current', 'reason'].map((key) => stringAt(details, key));
  if (previous === undefined || current === undefined || reason === undefined) return 'Unknown';
  return `alarm state changed from ${previous} to ${current} (${reason})`;
}
