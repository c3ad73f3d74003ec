import { expect, it } from 'vitest';
import { changedSlots, grantDocuments } from './grant-request.ts';
import { planHeal } from './stack-plans/heal.ts';
import { planInstantiate } from './stack-plans/instantiate.ts';
import { planScale } from './stack-plans/scale.ts';
import { planTerminate } from './stack-plans/terminate.ts';
import { plain } from './vnf-kinds/plain/index.ts';

const inside = plain.readVnf(undefined, new Map()).inside({
  vnfInstanceId: '',
  counts: {},
  separatedVdus: [],
  isVim: false,
  additionalParams: {},
  backups: [],
  survey: undefined,
});
const present = ['web[0]', 'web[1]'];
const scale = { vduId: 'web', count: 2, by: 1 };

it.each([
  ['instantiate', planInstantiate(inside), { added: ['web[0]'], removed: [] }],
  [
    'scale out',
    planScale({ ...scale, type: 'SCALE_OUT', slots: ['web[2]'] }, inside),
    { added: ['web[2]'], removed: [] },
  ],
  [
    'scale in',
    planScale({ ...scale, type: 'SCALE_IN', slots: ['web[1]'] }, inside),
    { added: [], removed: ['web[1]'] },
  ],
  ['heal', planHeal({ slots: ['web[1]'], recreate: false }, inside), { added: ['web[1]'], removed: ['web[1]'] }],
  ['heal of all', planHeal({ slots: [], recreate: true }, inside), { added: present, removed: present }],
  ['terminate', planTerminate({ terminationType: 'FORCEFUL' }), { added: [], removed: present }],
])('the grant request of a %s names the servers that come and go', (_, plan, expected) => {
  expect(changedSlots(plan, present, ['web[0]'])).toEqual(expected);
});

it('a grant has the images, and grants every server that was asked for', () => {
  const { grantRequest, grant } = grantDocuments({
    vnfInstanceId: 'i',
    vnfLcmOpOccId: 'o',
    vnfdId: 'v',
    flavourId: 'simple',
    operation: 'HEAL',
    added: ['web[1]'],
    removed: ['web[1]'],
    servers: new Map([['web[1]', 'server-1']]),
    grant: { softwareImages: { web: 'image-1' } },
  });
  expect(grantRequest).toMatchObject({
    operation: 'HEAL',
    flavourId: 'simple',
    addResources: [{ id: 'add web[1]', type: 'COMPUTE', resourceTemplateId: 'web' }],
    removeResources: [{ type: 'COMPUTE', resourceTemplateId: 'web', resource: { resourceId: 'server-1' } }],
  });
  expect(grant).toMatchObject({
    addResources: [{ resourceDefinitionId: 'add web[1]' }],
    vimAssets: { softwareImages: [{ vnfdSoftwareImageId: 'web', vimSoftwareImageId: 'image-1' }] },
  });
});
