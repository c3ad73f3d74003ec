import { expect, it } from 'vitest';
import { describeMissing, installContractOf, readsProxy } from './install-contract.ts';
import { checkInstallScripts, contractOfKept } from './install-scripts.ts';

const PHASES = `
case "$1" in
  prepare | load-balancer | init | credentials | join-control-plane | join-worker | cni) run "$1" ;;
esac
printf 'A=b' >> "$VNFLOW_OUTPUT"; printf 'C=d' >> "\${VNFLOW_SECRET_OUTPUT:-}"
`;
const MONOLITH = `
while getopts "dom:w:i:a:p:t:s:k:h" OPT; do case $OPT in m) MASTERS=$OPTARG ;; esac; done
echo "token:$token"; echo "ssl_ca_cert_hash:$hash"; echo "certificate_key:$key"
`;

it('knows the two contracts by the text of a script', () => {
  expect(installContractOf(PHASES)).toEqual({ contract: 'phases' });
  expect(installContractOf(MONOLITH)).toEqual({ contract: 'monolith' });
});

it('knows options that a script reads with case instead of getopts', () => {
  const letters = ['-m', '-w', '-i)  #', '-p', '-a', '-t', '-s | --hash', '"-k"'];
  const cases = letters.map((option) => `    ${option.includes(')') ? option : `${option})`} shift ;;\n`).join('');
  expect(installContractOf(`${cases}echo token: ssl_ca_cert_hash: certificate_key:`)).toEqual({ contract: 'monolith' });
});

it('calls a script that has both contracts by phases, which can be run again', () => {
  expect(installContractOf(PHASES + MONOLITH)).toEqual({ contract: 'phases' });
});

it('does not take a comment or a part of a word for an option or a phase', () => {
  const commented = PHASES.replaceAll(/^/gm, '# ');
  expect(installContractOf(commented)).toMatchObject({ missing: { phases: expect.arrayContaining(['phase init']) } });
  const parts = PHASES.replace('| init |', '| reinit | init_master |');
  expect(installContractOf(parts)).toMatchObject({ missing: { phases: ['phase init'] } });
  const withoutValue = MONOLITH.replace('k:h', 'kh');
  expect(installContractOf(withoutValue)).toMatchObject({ missing: { monolith: ['option -k with a value'] } });
});

it('lists what a script lacks for each contract', () => {
  const verdict = installContractOf(MONOLITH.replace('certificate_key', 'key'));
  if (!('missing' in verdict)) throw new Error('the script has no contract');
  expect(describeMissing('Scripts/a.sh', verdict.missing)).toContain(
    "for the contract of Tacker's script (docs/tacker-packages.md) it lacks output line certificate_key:",
  );
});

it('reads any text in a moment, also one made to keep a pattern busy', () => {
  const started = performance.now();
  installContractOf(`getopts ${'a:'.repeat(200_000)}\n${'-a|'.repeat(200_000)}\n${' '.repeat(200_000)}`);
  expect(performance.now() - started).toBeLessThan(1000);
});

it('refuses a package only when none of its scripts can be called', () => {
  const check = (scripts: Record<string, string>) =>
    checkInstallScripts(new Map(Object.entries(scripts)), Object.keys(scripts));
  check({ 'Scripts/install_helm.sh': 'helm', 'Scripts/install_k8s_cluster.sh': MONOLITH });
  check({ 'Scripts/kubernetes_mgmt.py': 'import os' });
  check({});
  expect(() => check({ 'Scripts/install_helm.sh': 'helm' })).toThrow(/^Scripts\/install_helm\.sh is no install script/);
});

it('calls a script by phases when its instance was made by a release that checked no script', () => {
  expect(contractOfKept('./Scripts/a.sh', new Map([['Scripts/a.sh', MONOLITH]]))).toBe('monolith');
  expect(contractOfKept('Scripts/a.sh', new Map([['Scripts/a.sh', 'exit 0']]))).toBe('phases');
});

it('knows whether a script reads a proxy', () => {
  expect(readsProxy(`${MONOLITH}\nexport http_proxy=$http_proxy`)).toBe(true);
  expect(readsProxy(`${MONOLITH}\n# http_proxy`)).toBe(false);
});
