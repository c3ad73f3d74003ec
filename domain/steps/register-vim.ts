import { stepKind } from './step-kind.ts';

/** The cluster becomes a VIM, or its VIM gets new credentials. */
export const registerVim = stepKind({
  input: { slot: 'slot' },
  summary: 'register the cluster as a VIM from {node}',
  expectedSeconds: 3,
  timeLimitSeconds: 300,
  attempts: 8,
  mustRun: false,
  calls: [
    'kubectl apply -f - (ServiceAccount, ClusterRoleBinding and token Secret vnflow-vim)',
    'kubectl --namespace kube-system get secret vnflow-vim -o json (its token is sealed in the store)',
    'curl https://ENDPOINT/api/v1/namespaces (with the token)',
  ],
  nodes: { slot: 'visited' },
});
