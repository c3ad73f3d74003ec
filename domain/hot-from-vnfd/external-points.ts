import type { ConnectionPoint } from '../vnfd/model.ts';
import type { TemplateRequest } from './fragment.ts';

/** Does an external virtual link of the request connect the connection point? */
export function isExternal({ id }: ConnectionPoint, { extVirtualLinks = [] }: TemplateRequest): boolean {
  return extVirtualLinks.some(({ extCps }) => extCps.some(({ cpdId }) => cpdId === id));
}
