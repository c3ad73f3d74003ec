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

it('refuses a VNFD with drivers of two kinds, and a request with parameters of two', () => {
  const of = (more: { managementDrivers?: string[]; parameterKeys?: string[] }) => () =>
    vnfKindOf({ managementDrivers: [], hooks: [], parameterKeys: [], ...more }).name;
  const managementDrivers = ['mgmt-drivers-kubernetes', 'private_registry_mgmt.py'];
  expect(of({ managementDrivers })).toThrow(
    expect.objectContaining({
      code: 'VNFD_NOT_USABLE',
      message: expect.stringContaining(managementDrivers.join(' and ')),
    }),
  );
  const keys = ['k8s_cluster_installation_param', 'private_registry_installation_param'];
  expect(of({ parameterKeys: keys })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(keys.join(' and ')) }),
  );
  expect(of({ managementDrivers, parameterKeys: keys.slice(1) })()).toBe('private-registry');
  expect(of({ managementDrivers: ['vnflcm_noop', 'mgmt-drivers-kubernetes'] })()).toBe('kubernetes-cluster');
});
