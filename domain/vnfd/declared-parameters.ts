import { z } from 'zod';
import type { Definitions } from './tosca.ts';

/** The data types of SOL001 (6.2) from which a VNFD derives its own, by the map of a request whose members they declare. */
const BASES = {
  additionalParams: 'tosca.datatypes.nfv.VnfOperationAdditionalParameters',
  metadata: 'tosca.datatypes.nfv.VnfInfoModifiableAttributesMetadata',
  extensions: 'tosca.datatypes.nfv.VnfInfoModifiableAttributesExtensions',
  vnfConfigurableProperties: 'tosca.datatypes.nfv.VnfAdditionalConfigurableProperties',
} as const;

/** Whether a parameter is a plain value (or a list of them), or a map of plain values. */
type DeclaredForm = 'value' | 'map';

/** The parameters that a VNFD declares, by map and name. */
export type DeclaredParameters = { readonly [map in keyof typeof BASES]: Readonly<Record<string, DeclaredForm>> };

const DataType = z.object({
  derived_from: z.string().nullish(),
  properties: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});

/** A chain of types longer than this is a circle. */
const MAX_LEVELS = 20;

/** Finds the parameters that the data types of a VNFD declare. A data type that cannot be read declares nothing. */
export function declaredParameters(definitions: readonly Definitions[]): DeclaredParameters {
  const types = new Map(
    definitions.flatMap(({ template }) =>
      Object.entries(template.data_types ?? {}).flatMap(([name, type]) => {
        const read = DataType.safeParse(type);
        return read.success ? [[name, read.data] as const] : [];
      }),
    ),
  );
  const isA = (type: string, base: string): boolean => {
    let name: string | null | undefined = type;
    for (let level = 0; level < MAX_LEVELS && name; level++) {
      if (name === base) return true;
      name = types.get(name)?.derived_from;
    }
    return false;
  };
  const declaredBy = (base: string) =>
    Object.fromEntries(
      [...types].flatMap(([name, { properties }]) =>
        isA(name, base) ? Object.entries(properties ?? {}).map(([member, of]) => [member, formOf(of)] as const) : [],
      ),
    );
  return {
    additionalParams: declaredBy(BASES.additionalParams),
    metadata: declaredBy(BASES.metadata),
    extensions: declaredBy(BASES.extensions),
    vnfConfigurableProperties: declaredBy(BASES.vnfConfigurableProperties),
  };
}

function formOf(property: unknown): DeclaredForm {
  return z.object({ type: z.literal('map') }).safeParse(property).success ? 'map' : 'value';
}
