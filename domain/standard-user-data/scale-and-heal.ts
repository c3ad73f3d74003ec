import { mergePatch } from '../merge-patch.ts';
import { writeYaml } from '../safe-yaml.ts';
import { filledNfv, readTopHot, type StackContent, type UserDataInput } from '../standard-user-data.ts';
import { withExtManagedVirtualLinks } from './ext-managed-links.ts';
import { readHot } from './hot.ts';
import { withIndexedVdus } from './indexed-vdus.ts';
import { checkNfv, type Nfv } from './nfv.ts';

/** The stack as Heat has it now. */
export interface CurrentStack {
  /** The top HOT as Heat returns it, as YAML or JSON text. */
  readonly template: string;
  readonly nfv: unknown;
}

/**
 * The stack with the instances from the current counts up to `counts`. Those that are there stay as they are.
 * @param input `counts`: afterwards; `request.extVirtualLinks`: of the instance, as they are now
 */
export function scaleOutUserData(
  input: UserDataInput,
  current: CurrentStack & { readonly counts: Readonly<Record<string, number>> },
): Omit<StackContent, 'files'> {
  const ranges = input.flavour.vdus.map(({ id }) => ({
    vduId: id,
    first: current.counts[id] ?? 0,
    end: input.counts[id] ?? 0,
  }));
  const indexed = withIndexedVdus(readTopHot(input), ranges, input.topHot.name);
  const added = withExtManagedVirtualLinks(indexed, input.request.extManagedVirtualLinks ?? []);
  const addedNfv = filledNfv(added, input);
  checkNfv(addedNfv, input.topHot.name);
  const now = readHot({ name: 'the template of the stack', text: current.template });
  return {
    template: writeYaml({ ...now, resources: { ...now.resources, ...added.resources } }),
    parameters: { nfv: mergePatch(current.nfv, addedNfv) as Nfv },
  };
}

/**
 * The stack without some instances; also the rollback of a scale out. The parameters stay: keys that no resource reads
 * do no harm.
 * @param remove for example `workerNode-2`
 */
export function scaleInUserData(
  current: Pick<CurrentStack, 'template'>,
  remove: readonly string[],
): { template: string } {
  const now = readHot({ name: 'the template of the stack', text: current.template });
  const gone = new Set(remove);
  const kept = Object.entries(now.resources).filter(([name]) => !gone.has(name));
  return { template: writeYaml({ ...now, resources: Object.fromEntries(kept) }) };
}

/**
 * The parameters for a heal: as they are, but for images that the grant names anew.
 * @param softwareImages image id per VDU @param heal the instances to heal, for example `workerNode-1`
 */
export function healUserData(
  current: Pick<CurrentStack, 'nfv'>,
  softwareImages: Readonly<Record<string, string>>,
  heal: readonly string[],
): { parameters: StackContent['parameters'] } {
  const images = heal.flatMap((name) => {
    const image = softwareImages[name.replace(/-\d+$/, '')];
    return image === undefined ? [] : [[name, { vcImageId: image }] as const];
  });
  return { parameters: { nfv: mergePatch(current.nfv, { VDU: Object.fromEntries(images) }) as Nfv } };
}
