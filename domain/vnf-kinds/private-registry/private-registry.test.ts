import { describe, expect, it } from 'vitest';
import type { Plan } from '../../operation/plan.ts';
import type { VnflowError } from '../../problems.ts';
import { planHeal } from '../../stack-plans/heal.ts';
import { planInstantiate } from '../../stack-plans/instantiate.ts';
import type { VnfFacts } from '../vnf-kind.ts';
import { privateRegistry } from './index.ts';
import { RegistryParameters } from './parameters.ts';
import { registryEnvironment } from './registry-environment.ts';

const GIVEN = { ssh_cp_name: 'CP1', ssh_username: 'ubuntu', ssh_password: 'secret' };
const vnf = privateRegistry.readVnf(GIVEN, new Map());
const facts = (more: Partial<VnfFacts> = {}): VnfFacts => ({
  vnfInstanceId: 'i1',
  counts: { PrivateRegistryVDU: 1 },
  separatedVdus: [],
  isVim: false,
  additionalParams: {},
  backups: [],
  survey: undefined,
  ...more,
});
const SLOT = 'PrivateRegistryVDU[0]';
const idsOf = ({ steps }: Plan) => steps.map(({ id }) => id);
const INSTALLED = ['prepareRegistry', 'startRegistry', 'verifyRegistry'].map((kind) => `${kind}-PrivateRegistryVDU-0`);

describe('the plans of a registry', () => {
  it('instantiates: the stack, then docker, the registry, and its answer', () => {
    expect(idsOf(planInstantiate(vnf.inside(facts())))).toEqual(['applyStack', 'discover', ...INSTALLED]);
  });

  it('heals a VNFC: the lost images are named before the server is replaced, and the registry is installed anew', () => {
    const plan = planHeal({ slots: [SLOT], recreate: false }, vnf.inside(facts()));
    expect(idsOf(plan)).toEqual([
      'nameLostImages-PrivateRegistryVDU-0',
      'replaceServers-PrivateRegistryVDU-0',
      'discover-PrivateRegistryVDU-0',
      ...INSTALLED,
    ]);
  });

  it('heals entirely: the lost images are named before the stack is deleted', () => {
    const plan = planHeal({ slots: [SLOT], recreate: true }, vnf.inside(facts()));
    expect(idsOf(plan)).toEqual(['nameLostImages-PrivateRegistryVDU-0', 'recreateStack', 'discover', ...INSTALLED]);
  });

  it('begins a heal only when the request agrees to lose the images', () => {
    const plan = planHeal({ slots: [SLOT], recreate: false }, vnf.inside(facts()));
    const check = (additionalParams: Record<string, unknown>) => () => vnf.checkPlan(plan, facts({ additionalParams }));
    const withCode = (code: VnflowError['code']) => expect.objectContaining({ code });
    expect(check({})).toThrow(withCode('CONTENT_LOSS'));
    expect(check({ accept_content_loss: false })).toThrow(withCode('CONTENT_LOSS'));
    expect(check({ accept_content_loss: 'true' })).toThrow(withCode('BAD_REQUEST'));
    expect(check({ accept_content_loss: true })).not.toThrow();
  });
});

describe('a registry', () => {
  it('is one server: other flavours and scaling are refused', () => {
    expect(() => vnf.checkNew(facts({ counts: { PrivateRegistryVDU: 2 } }), 'two')).toThrow('the flavour two has 2');
    expect(() => vnf.checkScaled({ aspectId: 'more', vduId: 'PrivateRegistryVDU' })).toThrow('more cannot be scaled');
  });

  const stack = (named: string) => ({
    rootStackId: 's1',
    resources: [
      { name: 'PrivateRegistryVDU', type: 'OS::Nova::Server', physicalId: 'server1', stackId: 's1', index: 0 },
      { name: 'CP1', type: 'OS::Neutron::Port', physicalId: 'port1', stackId: 's1' },
      { name: 'FIP1', type: 'OS::Neutron::FloatingIP', physicalId: 'fip1', stackId: 's1' },
    ],
    addresses: {
      ports: new Map([['port1', { address: '10.10.0.9', cidr: '10.10.0.0/24' }]]),
      floatingIps: new Map([['fip1', '172.24.4.9']]),
    },
    named,
  });

  it('is logged in to through the port or the floating IP that ssh_cp_name names', () => {
    const expected = {
      slot: SLOT,
      role: 'registry',
      serverId: 'server1',
      nodeName: 'registry9',
      nicAddress: '10.10.0.9',
    };
    const nodes = (ssh_cp_name: string) =>
      privateRegistry.readVnf({ ...GIVEN, ssh_cp_name }, new Map()).discover(stack(ssh_cp_name)).nodes;
    expect(nodes('CP1')).toEqual([{ ...expected, sshAddress: '10.10.0.9' }]);
    expect(nodes('FIP1')).toEqual([{ ...expected, sshAddress: '172.24.4.9' }]);
    expect(vnf.discover(stack('CP1')).facts).toEqual({ registryAddresses: ['10.10.0.9', '172.24.4.9'] });
    expect(() => nodes('CP2')).toThrow('resource CP2 of the stack does not exist beside the server');
  });

  it('gives its login, and the variables of its script: the port, and the proxy with its own address as an exception', () => {
    expect(privateRegistry.parameters?.loginOf(GIVEN, 'registry')).toEqual({ username: 'ubuntu', password: 'secret' });
    const proxy = { http_proxy: 'http://p:3128', no_proxy: '192.168.246.0/24' };
    const parameters = RegistryParameters.parse({ ...GIVEN, port_no: '5001', proxy });
    const environment = registryEnvironment({ address: '10.10.0.9', nodeName: 'registry9', parameters });
    expect(environment).toMatchObject({ NODE_IP: '10.10.0.9', REGISTRY_PORT: '5001', HTTP_PROXY: 'http://p:3128' });
    expect(environment['NO_PROXY']?.split(',')).toEqual(expect.arrayContaining(['192.168.246.0/24', '10.10.0.9']));
    expect(environment).not.toHaveProperty('REGISTRY_ARCHIVE');
    expect(JSON.stringify(environment)).not.toContain('secret');
  });
});
