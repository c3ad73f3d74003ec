import { expect, it } from 'vitest';
import { readYaml } from '../safe-yaml.ts';
import { adoptVolumes, deletedVolumes, retainVolumes } from './kept-volumes.ts';

const NESTED = `heat_template_version: 2013-05-23
resources:
  Server: { type: OS::Nova::Server, properties: { flavor: m1 } }
  Boot: { type: OS::Cinder::Volume, properties: { size: 5, image: ubuntu } }
  Data: { type: OS::Cinder::Volume, properties: { size: 10 } }
`;
const TEMPLATES = {
  template: { heat_template_version: '2016-10-14', resources: { VDU: { type: 'VDU.yaml' } } },
  files: { 'VDU.yaml': NESTED, 'other.yaml': 'heat_template_version: 2016-10-14\n' },
};
const nested = (files: Readonly<Record<string, string>>) => readYaml(files['VDU.yaml'] ?? '');

it('the data volumes stay when the stack is deleted, and nothing else changes', () => {
  const kept = retainVolumes(TEMPLATES);
  expect(nested(kept.files)).toMatchObject({
    heat_template_version: '2013-05-23',
    resources: { Data: { properties: { size: 10 }, deletion_policy: 'Retain' }, Boot: { properties: { size: 5 } } },
  });
  expect(JSON.stringify(nested(kept.files)).match(/Retain/g)).toHaveLength(1);
  expect(kept.template).toBe(TEMPLATES.template);
  expect(kept.files['other.yaml']).toBe(TEMPLATES.files['other.yaml']);
  expect([deletedVolumes(TEMPLATES), deletedVolumes(kept)]).toEqual([['Data'], []]);
});

it('a new stack uses the volumes that are there, in a version of templates that can say so', () => {
  const { files } = adoptVolumes(retainVolumes(TEMPLATES), { Data: 'v1' });
  expect(nested(files)).toMatchObject({
    heat_template_version: '2016-10-14',
    resources: { Data: { type: 'OS::Cinder::Volume', external_id: 'v1' }, Boot: { properties: { image: 'ubuntu' } } },
  });
  expect(nested(retainVolumes({ ...TEMPLATES, files }).files)).toEqual(nested(files));
});
