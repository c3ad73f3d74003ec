import type { KubeObject } from '../../world/cluster/clusters.ts';

/** Matches labels against a selector such as `a=b,c!=d,e,!f,g in (h,i)`. */
export function matchesLabels(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const terms = selector.match(/(?:[^,(]|\([^)]*\))+/g) ?? [];
  return terms
    .map((term) => term.trim())
    .filter(Boolean)
    .every((term) => matchesTerm(labels, term));
}

function matchesTerm(labels: Readonly<Record<string, string>>, term: string): boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set?.[1] !== undefined) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return values.includes(labels[set[1]] ?? '') === (set[2] === 'in');
  }
  const [, key = '', operator, value = ''] = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term) ?? [];
  if (operator === '!=') return labels[key] !== value;
  if (operator !== undefined) return labels[key] === value;
  return term.startsWith('!') ? !(term.slice(1) in labels) : term in labels;
}

/** Matches an object against a selector such as `spec.nodeName=x,status.phase!=Running`. */
export function matchesFields(object: KubeObject, selector: string): boolean {
  return selector
    .split(',')
    .filter(Boolean)
    .every((term) => {
      const [, path = '', operator = '=', value = ''] = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term) ?? [];
      const found = path
        .split('.')
        .reduce<unknown>(
          (at, key) => (at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined),
          object,
        );
      return (String(found ?? '') === value) === (operator !== '!=');
    });
}
