import { expect, it } from 'vitest';
import { withKnownParameters } from '../known-parameters.ts';
import { declaredParameters } from './declared-parameters.ts';
import { readDefinitions } from './tosca.ts';

const VNFD = `
tosca_definitions_version: tosca_simple_yaml_1_2
data_types:
  company.datatypes.nfv.Params:
    derived_from: tosca.datatypes.nfv.VnfOperationAdditionalParameters
    properties:
      colour: { type: string }
      labels: { type: map, entry_schema: { type: string } }
  company.datatypes.nfv.HealParams:
    derived_from: company.datatypes.nfv.Params
    properties: { reason: { type: string } }
  company.datatypes.nfv.Metadata:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributesMetadata
    properties: { zone: { type: string } }
  company.datatypes.nfv.Circle: { derived_from: company.datatypes.nfv.Circle, properties: { x: {} } }
  company.datatypes.Other: { derived_from: tosca.datatypes.Root, properties: { other: {} } }
  company.datatypes.Odd: 7
`;

it('finds what data types derived from those of SOL001 declare, and a reader sees it', () => {
  const declared = declaredParameters([readDefinitions('vnfd.yaml', VNFD)]);
  expect(declared).toEqual({
    additionalParams: { colour: 'value', labels: 'map', reason: 'value' },
    metadata: { zone: 'value' },
    extensions: {},
    vnfConfigurableProperties: {},
  });
  const additionalParams = {
    colour: 'red',
    labels: { a: 'b', c: { d: 'e' } },
    reason: { x: 1 },
    other: 'o',
    all: true,
  };
  expect(withKnownParameters({ additionalParams, metadata: { zone: 'a', colour: 'red' } }, declared)).toEqual({
    additionalParams: { colour: 'red', labels: { a: 'b', c: '***' }, reason: '***', other: '***', all: true },
    metadata: { zone: 'a', colour: '***' },
  });
});
