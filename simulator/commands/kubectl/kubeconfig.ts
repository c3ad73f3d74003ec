import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../world/cluster/clusters.ts';
import type { Kind } from '../../world/cluster/kinds.ts';
import { type Output, ok } from '../shell/command.ts';
import { print } from './print.ts';
import type { Scope } from './scope.ts';

/** Runs `kubectl config view` and `kubectl config current-context`. */
export function config(operands: readonly string[], { connection, parsed }: Scope): Output {
  if (operands[0] === 'current-context') return ok('kubernetes-admin@kubernetes\n');
  if (operands[0] !== 'view') return ok();
  const output = parsed.value('-o', '--output');
  const value = parseAllDocuments(connection.kubeconfig)[0]?.toJSON() as KubeObject;
  if (output?.startsWith('jsonpath=') || output === 'json') {
    const kind: Kind = { kind: 'Config', plural: 'configs', names: [], group: '', namespaced: false };
    return print([value], kind, {
      output,
      single: true,
      allNamespaces: false,
      namespace: '',
      showLabels: false,
      noHeaders: true,
      labelColumns: [],
      world: {} as never,
      cluster: connection.cluster,
    });
  }
  return ok(
    parsed.has('--raw') ? connection.kubeconfig : connection.kubeconfig.replaceAll(/(-data): \S+/g, '$1: DATA+OMITTED'),
  );
}
