import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { Vnf, VnfKind } from '../vnf-kind.ts';
import { discoverServers } from './discovery.ts';

/** Adds no steps inside the servers: the stack is all that this kind has. */
const nothingInside: InsideServers = {
  afterStackCreated() {},
  afterServersAdded() {},
  beforeServersRemoved: () => [],
  afterServersRemoved() {},
  beforeStackRecreated: () => [],
  reconfigure() {},
  replaceServers(drawing, slots) {
    drawing.replaceServers([], { servers: slots });
  },
};

const plainVnf: Vnf = {
  kept: undefined,
  installScript: undefined,
  runsPackageHooks: true,
  vimName: undefined,
  checkNew() {},
  checkRequest() {},
  checkScaled() {},
  surveyBeforeHeal: () => undefined,
  discover: (stack) => ({ nodes: discoverServers(stack), facts: {} }),
  inside: () => nothingInside,
  checkPlan() {},
  reconfigured: () => undefined,
};

/** A VNF without a management driver: a stack, and nothing that vnflow does inside its servers. */
export const plain: VnfKind = {
  name: 'plain',
  managementDrivers: ['vnflcm_noop'],
  parameters: undefined,
  readVnf: () => plainVnf,
  checkPackage() {},
};
