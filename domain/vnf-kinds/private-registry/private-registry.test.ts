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

  const heal = (more: Partial<VnfFacts>, recreate = false) =>
    planHeal({ slots: [SLOT], recreate }, vnf.inside(facts(more)));
  const of = (kind: string) => `${kind}-PrivateRegistryVDU-0`;
  const survey = (more: object = {}) => ({ images: 2, bytes: 900, unreadable: [], limitBytes: 1000, ...more });
  const withCode = (code: VnflowError['code']) => expect.objectContaining({ code });

  it.each([
    ['a VNFC', false, [of('replaceServers'), of('discover')]],
    ['entirely', true, ['recreateStack', 'discover']],
  ])('heals %s: the images are copied before, and put back into the new registry', (_, recreate, replaced) => {
    const expected = [of('copyImagesOut'), ...replaced, ...INSTALLED, of('copyImagesIn'), 'removeImageCopies'];
    expect(idsOf(heal({}, recreate))).toEqual(expected);
    expect(idsOf(heal({ survey: survey() }, recreate))).toEqual(expected);
  });

  it('keeps images on a volume, and asks nothing', () => {
    const onVolume = { dataVolumes: () => ['RegistryStorage'] };
    expect(idsOf(heal(onVolume)).filter((id) => /mages/.test(id))).toEqual([]);
    expect(vnf.surveyBeforeHeal({ slots: [SLOT], recreate: false }, facts(onVolume))).toBeUndefined();
    expect(vnf.surveyBeforeHeal({ slots: [SLOT], recreate: true }, facts())).toEqual({ about: 'contents', slot: SLOT });
  });

  it('loses the images of a server that cannot be read only when the request agrees', () => {
    const dead = survey({ problem: 'no answer', images: 0, bytes: 0 });
    expect(() => heal({ survey: dead })).toThrow(withCode('CONTENT_LOSS'));
    for (const accept_content_loss of [true, 'if_unreadable']) {
      const plan = heal({ survey: dead, additionalParams: { accept_content_loss } });
      expect(idsOf(plan)).toEqual([of('nameLostImages'), of('replaceServers'), of('discover'), ...INSTALLED]);
    }
    const kept = { ...dead, kept: { images: 2 } };
    expect(idsOf(heal({ survey: kept })).slice(-2)).toEqual([of('copyImagesIn'), 'removeImageCopies']);
  });

  it('copies more than the store keeps only into a container, and loses it only when the request agrees', () => {
    const large = survey({ bytes: 3 * 1024 * 1024 });
    expect(() => heal({ survey: large })).toThrow(
      /a copy of the registry has 3 MiB.*at most 1 MiB.*content_copy_container/,
    );
    expect(() => heal({ survey: large, additionalParams: { accept_content_loss: 'if_unreadable' } })).toThrow(
      withCode('CONTENT_TOO_LARGE'),
    );
    const [copy] = heal({ survey: large, additionalParams: { content_copy_container: 'images' } }).steps;
    expect(copy).toMatchObject({ kind: 'copyImagesOut', container: 'images' });
    const lost = heal({ survey: large, additionalParams: { accept_content_loss: true } });
    expect(idsOf(lost)[0]).toBe(of('nameLostImages'));
  });

  it('leaves an image out that cannot be copied only when the request agrees', () => {
    const damaged = survey({ unreadable: ['tools/a:1 (no manifest)'] });
    expect(() => heal({ survey: damaged })).toThrow('tools/a:1 (no manifest)');
    const [copy] = heal({ survey: damaged, additionalParams: { accept_content_loss: true } }).steps;
    expect(copy).toMatchObject({ kind: 'copyImagesOut', lossAccepted: true });
  });

  it('refuses parameters of a heal that are wrong, by name', () => {
    expect(() => vnf.checkRequest({ accept_content_loss: 'yes' })).toThrow(
      'additionalParams.accept_content_loss: must be',
    );
    expect(() => vnf.checkRequest({ content_copy_container: 'a/b' })).toThrow(
      'content_copy_container: must be the name',
    );
  });
});

describe('a registry', () => {
  it('has one volume at most', () => {
    const dataVolumes = () => ['S1', 'S2'];
    expect(() => vnf.checkNew(facts({ dataVolumes }), 'two')).toThrow(
      'one volume at most, and the flavour two has S1, S2',
    );
  });

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
