import { expect, it } from 'vitest';
import { driverNames } from '../vnfd/management-drivers.ts';
import { isBuiltIn, vnfKindOf } from './index.ts';

const kindOf = (implementation: string, script?: string) => {
  const hook = { name: 'instantiate_end', implementation, ...(script === undefined ? {} : { script }) };
  const managementDrivers = driverNames(hook);
  return { name: vnfKindOf({ managementDrivers, hooks: [hook], parameterKeys: [] }).name, builtIn: isBuiltIn(hook) };
};

it("knows Tacker's drivers for Kubernetes by their name or by the file of their script, and runs neither", () => {
  const cluster = { name: 'kubernetes-cluster', builtIn: true };
  expect(kindOf('mgmt-drivers-kubernetes')).toEqual(cluster);
  expect(kindOf('mgmt-drivers-kubernetes', 'Scripts/other.py')).toEqual(cluster);
  expect(kindOf('our-driver', 'Scripts/kubernetes_mgmt_v2.py')).toEqual(cluster);
  expect(kindOf('our-driver', 'Scripts/kubernetes_mgmt.py')).toEqual(cluster);
});

it('takes other scripts of a package for its own code', () => {
  expect(kindOf('our-driver', 'Scripts/my_kubernetes_mgmt.py')).toEqual({ name: 'plain', builtIn: false });
});
