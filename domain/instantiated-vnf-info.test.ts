import { expect, it } from 'vitest';
import { linksOf } from './ext-virtual-links.ts';
import { instantiatedVnfInfo } from './instantiated-vnf-info.ts';

/** The guide's simple cluster (seeds/000, "Check after Operation" of the simple flavour), with its own ids. */
const MASTER = 'ebe3b84b-dd2f-4f5a-83e6-4b8e8e589ded';
const WORKER1 = 'ea9875b6-ff85-4d36-a559-913e424963d5';
const WORKER0 = 'bed06f84-ad08-4c5d-bc5e-92126338fc19';
const PORTS = {
  [MASTER]: 'ae1688fc-6a57-4be5-9556-9436d46827a2',
  [WORKER1]: '6d57c7b2-85c9-4c35-9e37-23ebdb9f9172',
  [WORKER0]: '63f4daeb-ab7b-4e2f-a1d8-d9fa7288ae85',
};
const NETWORK = 'bbc012e1-6619-4fe6-aaac-0668a4974313';
const STACK = 'vnf-14c5406b-f627-4391-b91b-440f242623ac';

const vnfc = (
  vdu: string,
  index: number,
  {
    server,
    creationTime,
    stack,
  }: { server: keyof typeof PORTS; creationTime: string; stack: { name: string; id: string } },
) => [
  {
    name: vdu,
    type: 'OS::Nova::Server',
    physicalId: server,
    creationTime,
    stack,
    parent: `${vdu}-${index}`,
    place: { index },
  },
  {
    name: `${vdu}_CP1`,
    type: 'OS::Neutron::Port',
    physicalId: PORTS[server] ?? '',
    creationTime,
    stack,
    parent: `${vdu}-${index}`,
  },
  {
    name: `${vdu}_CP1_floating_ip`,
    type: 'OS::Neutron::FloatingIP',
    physicalId: 'f',
    creationTime,
    stack,
    parent: `${vdu}-${index}`,
  },
];
const link = (id: string, cpdId: string, cpConfigId: string) => ({
  id,
  resourceId: NETWORK,
  extCps: [
    {
      cpdId,
      cpConfig: {
        [cpConfigId]: {
          cpProtocolData: [
            {
              layerProtocol: 'IP_OVER_ETHERNET' as const,
              ipOverEthernet: { ipAddresses: [{ type: 'IPV4' as const, numDynamicAddresses: 1 }] },
            },
          ],
        },
      },
    },
  ],
});
const nfv = {
  VDU: {
    'masterNode-0': { computeFlavourId: 'm1.medium', vcImageId: 'f9766b26-6876-427d-a745-d6a83606d5bb' },
    'workerNode-0': { computeFlavourId: 'm1.medium', vcImageId: '529f058a-6097-463b-bda0-f25a4356d62f' },
    'workerNode-1': { computeFlavourId: 'm1.medium', vcImageId: '529f058a-6097-463b-bda0-f25a4356d62f' },
  },
  CP: { 'masterNode_CP1-0': { network: NETWORK } },
};
const facts = {
  flavourId: 'simple',
  vdus: [
    { id: 'masterNode', cpdIds: ['masterNode_CP1'] },
    { id: 'workerNode', cpdIds: ['workerNode_CP1'] },
  ],
  resources: [
    ...vnfc('workerNode', 0, {
      server: WORKER0,
      creationTime: '2024-04-16T04:53:43Z',
      stack: { name: `${STACK}-workerNode-0-qi6uhdjwtdux`, id: '134dfd69' },
    }),
    ...vnfc('masterNode', 0, {
      server: MASTER,
      creationTime: '2024-04-16T04:53:44Z',
      stack: { name: `${STACK}-masterNode-0-nido6vmrnvkx`, id: '6184e70f' },
    }),
    ...vnfc('workerNode', 1, {
      server: WORKER1,
      creationTime: '2024-04-16T04:53:45Z',
      stack: { name: `${STACK}-workerNode-1-kzucycjp37uz`, id: '44c28eaf' },
    }),
  ],
  extManagedVirtualLinks: [],
  storageIds: [],
  virtualLinks: [],
  rootStackId: 'bb1fa0a7-f4d0-4205-b77c-b0f22506c0b4',
  nfv,
  extVirtualLinks: [
    link('net0_master', 'masterNode_CP1', 'Master_CP1'),
    link('net0_worker', 'workerNode_CP1', 'WorkerCP1'),
  ],
  vimConnectionId: 'vim1',
  tenant: 'nfv',
  scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 0 }],
  maxScaleLevels: [{ aspectId: 'workerNode_scale', scaleLevel: 2 }],
};

const cp = (server: keyof typeof PORTS, vdu: string, cpConfigId: string) => ({
  id: `cp-${PORTS[server]}`,
  cpdId: `${vdu}_CP1`,
  cpConfigId,
  cpProtocolInfo: [
    { layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [{ type: 'IPV4', isDynamic: true }] } },
  ],
  extLinkPortId: PORTS[server],
  associatedVnfcCpId: `${vdu}_CP1-${server}`,
});
const linkPort = (server: keyof typeof PORTS) => ({
  id: PORTS[server],
  resourceHandle: { vimConnectionId: 'vim1', resourceId: PORTS[server], vimLevelResourceType: 'OS::Neutron::Port' },
  cpInstanceId: `cp-${PORTS[server]}`,
});
const resource = (server: keyof typeof PORTS, vdu: string, metadata: object) => ({
  id: server,
  vduId: vdu,
  computeResource: { vimConnectionId: 'vim1', resourceId: server, vimLevelResourceType: 'OS::Nova::Server' },
  vnfcCpInfo: [{ id: `${vdu}_CP1-${server}`, cpdId: `${vdu}_CP1`, vnfExtCpId: `cp-${PORTS[server]}` }],
  metadata,
});

it('an external connection point has the address of its port, beside what the request says', () => {
  const addresses = new Map([
    [PORTS[MASTER], '10.10.0.17'],
    [PORTS[WORKER0], '10.10.0.51'],
  ]);
  const of = (info: Record<string, unknown>) =>
    (info['extCpInfo'] as { cpProtocolInfo: { ipOverEthernet: { ipAddresses: unknown } }[] }[]).map(
      ({ cpProtocolInfo }) => cpProtocolInfo?.[0]?.ipOverEthernet.ipAddresses,
    );
  expect(of(instantiatedVnfInfo({ ...facts, portAddresses: addresses }))).toEqual([
    [{ type: 'IPV4', isDynamic: true, addresses: ['10.10.0.17'] }],
    [{ type: 'IPV4', isDynamic: true }],
    [{ type: 'IPV4', isDynamic: true, addresses: ['10.10.0.51'] }],
  ]);
  const bare = {
    ...facts,
    extVirtualLinks: [{ ...link('net0', 'masterNode_CP1', 'cp'), extCps: [{ cpdId: 'masterNode_CP1', cpConfig: {} }] }],
  };
  expect(of(instantiatedVnfInfo({ ...bare, portAddresses: addresses }))).toEqual([
    [{ type: 'IPV4', addresses: ['10.10.0.17'] }],
  ]);
});

it("builds the guide's instance to the letter", () => {
  expect(instantiatedVnfInfo(facts)).toEqual({
    flavourId: 'simple',
    vnfState: 'STARTED',
    scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 0 }],
    maxScaleLevels: [{ aspectId: 'workerNode_scale', scaleLevel: 2 }],
    extCpInfo: [
      cp(MASTER, 'masterNode', 'Master_CP1'),
      cp(WORKER1, 'workerNode', 'WorkerCP1'),
      cp(WORKER0, 'workerNode', 'WorkerCP1'),
    ],
    extVirtualLinkInfo: [
      {
        id: 'net0_master',
        resourceHandle: { resourceId: NETWORK },
        extLinkPorts: [linkPort(MASTER)],
        currentVnfExtCpData: facts.extVirtualLinks[0]?.extCps,
      },
      {
        id: 'net0_worker',
        resourceHandle: { resourceId: NETWORK },
        extLinkPorts: [linkPort(WORKER1), linkPort(WORKER0)],
        currentVnfExtCpData: facts.extVirtualLinks[1]?.extCps,
      },
    ],
    vnfcResourceInfo: [
      resource(WORKER1, 'workerNode', {
        creation_time: '2024-04-16T04:53:45Z',
        stack_id: `${STACK}-workerNode-1-kzucycjp37uz/44c28eaf`,
        vdu_idx: 1,
        flavor: 'm1.medium',
        'image-workerNode-1': '529f058a-6097-463b-bda0-f25a4356d62f',
      }),
      resource(MASTER, 'masterNode', {
        creation_time: '2024-04-16T04:53:44Z',
        stack_id: `${STACK}-masterNode-0-nido6vmrnvkx/6184e70f`,
        vdu_idx: 0,
        flavor: 'm1.medium',
        'image-masterNode-0': 'f9766b26-6876-427d-a745-d6a83606d5bb',
      }),
      resource(WORKER0, 'workerNode', {
        creation_time: '2024-04-16T04:53:43Z',
        stack_id: `${STACK}-workerNode-0-qi6uhdjwtdux/134dfd69`,
        vdu_idx: 0,
        flavor: 'm1.medium',
        'image-workerNode-0': '529f058a-6097-463b-bda0-f25a4356d62f',
      }),
    ],
    vnfcInfo: [
      { id: `workerNode-${WORKER1}`, vduId: 'workerNode', vnfcResourceInfoId: WORKER1, vnfcState: 'STARTED' },
      { id: `masterNode-${MASTER}`, vduId: 'masterNode', vnfcResourceInfoId: MASTER, vnfcState: 'STARTED' },
      { id: `workerNode-${WORKER0}`, vduId: 'workerNode', vnfcResourceInfoId: WORKER0, vnfcState: 'STARTED' },
    ],
    metadata: { stack_id: 'bb1fa0a7-f4d0-4205-b77c-b0f22506c0b4', nfv, tenant: 'nfv' },
  });
});

it('shows volumes and networks of the stack itself: with the server that has them, and the ports in them', () => {
  const [stack] = facts.resources.map((resource) => resource.stack);
  const own = { creationTime: '2024-04-16T04:53:43Z', parent: 'workerNode-0', stack: stack ?? { name: '', id: '' } };
  const root = { ...own, parent: undefined, stack: { name: STACK, id: 'root' } };
  const info = instantiatedVnfInfo({
    ...facts,
    storageIds: ['disk'],
    virtualLinks: [
      { id: 'internal', cpdIds: ['workerNode_CP1', 'masterNode_CP1'] },
      { id: 'of the request', cpdIds: ['masterNode_CP1'] },
    ],
    extVirtualLinks: [link('net0_master', 'masterNode_CP1', 'Master_CP1')],
    resources: [
      ...facts.resources,
      { ...own, name: 'disk', type: 'OS::Cinder::Volume', physicalId: 'volume1' },
      { ...own, name: 'another', type: 'OS::Cinder::Volume', physicalId: 'volume2' },
      { ...root, name: 'internal', type: 'OS::Neutron::Net', physicalId: 'network1' },
    ],
  });
  const handle = (resourceId: string | undefined, vimLevelResourceType: string) => ({
    vimConnectionId: 'vim1',
    resourceId,
    vimLevelResourceType,
  });
  expect(info['virtualStorageResourceInfo']).toEqual([
    {
      id: 'volume1',
      virtualStorageDescId: 'disk',
      storageResource: handle('volume1', 'OS::Cinder::Volume'),
      metadata: { stack_id: `${stack?.name}/${stack?.id}` },
    },
  ]);
  const port = (server: keyof typeof PORTS) => ({
    id: PORTS[server],
    resourceHandle: handle(PORTS[server], 'OS::Neutron::Port'),
    cpInstanceId: `workerNode_CP1-${server}`,
    cpInstanceType: 'VNFC_CP',
  });
  expect(info['vnfVirtualLinkResourceInfo']).toEqual([
    {
      id: 'network1',
      vnfVirtualLinkDescId: 'internal',
      networkResource: handle('network1', 'OS::Neutron::Net'),
      vnfLinkPorts: [port(WORKER1), port(WORKER0)],
    },
  ]);
  expect(info['vnfcResourceInfo']).toMatchObject([
    { id: WORKER1, vnfcCpInfo: [{ vnfLinkPortId: PORTS[WORKER1] }] },
    { id: MASTER, vnfcCpInfo: [{ vnfExtCpId: `cp-${PORTS[MASTER]}` }] },
    { id: WORKER0, storageResourceIds: ['volume1'], vnfcCpInfo: [{ vnfLinkPortId: PORTS[WORKER0] }] },
  ]);
});

it('shows the networks that the request has in place of its own, and gives all links back for later operations', () => {
  const extManagedVirtualLinks = [
    { id: 'm1', vnfVirtualLinkDescId: 'internal', resourceId: 'theirs', vimConnectionId: 'vim1' },
  ];
  const info = instantiatedVnfInfo({
    ...facts,
    virtualLinks: [{ id: 'internal', cpdIds: ['masterNode_CP1'] }],
    extVirtualLinks: facts.extVirtualLinks.slice(1),
    extManagedVirtualLinks,
  });
  expect(info['vnfVirtualLinkResourceInfo']).toBeUndefined();
  expect(info['extManagedVirtualLinkInfo']).toMatchObject([
    {
      id: 'm1',
      vnfVirtualLinkDescId: 'internal',
      networkResource: { resourceId: 'theirs', vimConnectionId: 'vim1' },
      vnfLinkPorts: [{ id: PORTS[MASTER], cpInstanceId: `masterNode_CP1-${MASTER}` }],
    },
  ]);
  expect(linksOf(info)).toEqual({ extVirtualLinks: facts.extVirtualLinks.slice(1), extManagedVirtualLinks });
});
