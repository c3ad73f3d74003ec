import { expect, it } from 'vitest';
import { derivedId } from './derived-id.ts';
import { instantiatedVnfInfoView } from './instantiated-vnf-info-view.ts';

const handle = (resourceId: string, vimLevelResourceType: string) => ({
  vimConnectionId: 'c1',
  resourceId,
  vimLevelResourceType,
});

it('shows networks and volumes of the stack beside the links of the request', () => {
  const view = instantiatedVnfInfoView(
    {
      flavourId: 'simple',
      vnfState: 'STARTED',
      extVirtualLinkInfo: [{ id: 'net0', resourceHandle: { resourceId: 'theirs' } }],
      vnfcResourceInfo: [
        {
          id: 'server1',
          vduId: 'VDU1',
          computeResource: handle('server1', 'OS::Nova::Server'),
          storageResourceIds: ['volume1'],
          vnfcCpInfo: [{ id: 'CP1-server1', cpdId: 'CP1', vnfLinkPortId: 'port1' }],
        },
      ],
      vnfVirtualLinkResourceInfo: [
        {
          id: 'network1',
          vnfVirtualLinkDescId: 'internal',
          networkResource: handle('network1', 'OS::Neutron::Net'),
          vnfLinkPorts: [
            { id: 'port1', resourceHandle: handle('port1', 'OS::Neutron::Port'), cpInstanceId: 'CP1-server1' },
          ],
        },
      ],
      virtualStorageResourceInfo: [
        { id: 'volume1', virtualStorageDescId: 'disk', storageResource: handle('volume1', 'OS::Cinder::Volume') },
      ],
    },
    { vimIdOf: (id) => `vim of ${id}` },
  );
  const seen = (resourceId: string, type: string) => ({ ...handle(resourceId, type), vimConnectionId: 'vim of c1' });
  expect(view['virtualStorageResourceInfo']).toEqual([
    { id: 'volume1', virtualStorageDescId: 'disk', storageResource: seen('volume1', 'OS::Cinder::Volume') },
  ]);
  const [cp] =
    (view['vnfcResourceInfo'] as { vnfcCpInfo: { id: string; vnfLinkPortId: string }[] }[])[0]?.vnfcCpInfo ?? [];
  expect(view['vnfVirtualLinkResourceInfo']).toMatchObject([
    { vnfVirtualLinkDescId: 'net0', vnfLinkPorts: [] },
    {
      id: derivedId('virtual link network1'),
      vnfVirtualLinkDescId: 'internal',
      networkResource: seen('network1', 'OS::Neutron::Net'),
      vnfLinkPorts: [
        { id: cp?.vnfLinkPortId, resourceHandle: seen('port1', 'OS::Neutron::Port'), cpInstanceId: cp?.id },
      ],
    },
  ]);
});
