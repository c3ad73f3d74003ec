import { z } from 'zod';
import { VnflowError } from '../../problems.ts';

/** Key in additionalParams of a heal by which a client agrees that the registry loses what cannot be kept. */
export const ACCEPT_CONTENT_LOSS = 'accept_content_loss';
/** Key in additionalParams of a heal that names the container of Swift for the copy of the contents. */
export const COPY_CONTAINER = 'content_copy_container';
/** The value of `accept_content_loss` by which only what cannot be read may be lost. It is how version 1 heals. */
export const IF_UNREADABLE = 'if_unreadable';

const MIB = 1024 * 1024;

/** What the registry has, as far as it can be read before a heal. */
export const ContentsSurvey = z.object({
  /** Why its contents cannot be read. Undefined when they can. */
  problem: z.string().optional(),
  /** Number of tags. */
  images: z.number(),
  /** Bytes of a copy. */
  bytes: z.number(),
  /** Images that cannot be copied, with the reason. */
  unreadable: z.array(z.string()),
  /** Bytes that the store keeps at most. */
  limitBytes: z.number(),
  /** The copy of an earlier heal that was never put back. */
  kept: z.object({ images: z.number(), container: z.string().optional() }).optional(),
});
export type ContentsSurvey = z.infer<typeof ContentsSurvey>;

/** The parameters of a heal that are about contents. */
const HealParameters = z.object({
  [ACCEPT_CONTENT_LOSS]: z
    .union([z.boolean(), z.literal(IF_UNREADABLE)], 'must be true, false or "if_unreadable"')
    .default(false),
  [COPY_CONTAINER]: z
    .string('must be the name of a container of Swift')
    .regex(/^[^/]{1,256}$/, 'must be the name of a container of Swift: 1 to 256 characters, no slash')
    .optional(),
});

/** How a heal treats the contents of the registry. */
export type ContentsPlan =
  /** They are on a volume, which stays. */
  | { readonly by: 'volume'; readonly recreated: boolean }
  /** They are copied out before the server is replaced, and back afterwards. */
  | { readonly by: 'copy'; readonly container?: string; readonly lossAccepted: boolean }
  /** The server cannot be read, and an earlier heal has left a copy, which is put back. */
  | { readonly by: 'earlierCopy' }
  /** They are lost. */
  | { readonly by: 'nothing' };

interface ContentsFacts {
  readonly hasVolume: boolean;
  /** Whether the stack is deleted and created again. Otherwise only the server is replaced. */
  readonly recreated: boolean;
  readonly additionalParams: Readonly<Record<string, unknown>>;
  /** Undefined when the registry was not asked: then it counts as one whose contents can be copied. */
  readonly survey: ContentsSurvey | undefined;
}

/** @throws VnflowError BAD_REQUEST naming the member and what may stand there */
export function checkHealParameters(additionalParams: Readonly<Record<string, unknown>>): void {
  readParameters(additionalParams);
}

function readParameters(additionalParams: Readonly<Record<string, unknown>>): z.infer<typeof HealParameters> {
  const parsed = HealParameters.safeParse(additionalParams);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new VnflowError('BAD_REQUEST', {
    detail: `additionalParams.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}.`,
  });
}

/**
 * Decides how a heal treats the contents of a registry. What can be kept is kept, also when the request agrees to lose
 * it.
 * @throws VnflowError CONTENT_LOSS, CONTENT_TOO_LARGE or CONTENT_UNREADABLE when something would be lost and the request
 * does not agree
 */
export function planContents({ hasVolume, recreated, additionalParams, survey }: ContentsFacts): ContentsPlan {
  const { [ACCEPT_CONTENT_LOSS]: accepted, [COPY_CONTAINER]: given } = readParameters(additionalParams);
  if (hasVolume) {
    // Tacker's `all` together with a VNFC: its storage is replaced, too
    if (recreated || additionalParams['all'] !== true) return { by: 'volume', recreated };
    if (accepted === true) return { by: 'nothing' };
    throw createLossProblem(
      'The request replaces the volume, too (additionalParams.all with a VNFC): leave `all` out.',
    );
  }
  const container = given ?? survey?.kept?.container;
  const copy = {
    by: 'copy',
    ...(container === undefined ? {} : { container }),
    lossAccepted: accepted === true,
  } as const;
  if (!survey) return copy;
  if (survey.problem !== undefined) {
    if (survey.kept) return { by: 'earlierCopy' };
    if (accepted === false) {
      throw createLossProblem(
        `They are on the disk of its server, which is replaced, and cannot be read: ${survey.problem}`,
      );
    }
    return { by: 'nothing' };
  }
  checkUnreadable(survey, accepted === true);
  if (container !== undefined || survey.bytes <= survey.limitBytes) return copy;
  if (accepted === true) return { by: 'nothing' };
  throw createSizeProblem(survey);
}

/** @throws VnflowError CONTENT_UNREADABLE */
export function checkUnreadable(
  { unreadable }: { readonly unreadable: readonly string[] },
  lossAccepted: boolean,
): void {
  if (lossAccepted || unreadable.length === 0) return;
  throw new VnflowError('CONTENT_UNREADABLE', {
    detail: `The server was not touched: these images of the registry cannot be copied: ${unreadable.slice(0, 10).join(', ')}${unreadable.length > 10 ? ` and ${unreadable.length - 10} more` : ''}.`,
  });
}

/** @throws VnflowError CONTENT_TOO_LARGE when the store does not keep a copy of so many bytes */
export function checkSize(survey: Pick<ContentsSurvey, 'bytes' | 'limitBytes'>): void {
  if (survey.bytes > survey.limitBytes) throw createSizeProblem(survey);
}

function createLossProblem(problem: string): VnflowError {
  return new VnflowError('CONTENT_LOSS', {
    detail: `Nothing was touched: the heal would lose all images of the registry. ${problem}`,
  });
}

function createSizeProblem({ bytes, limitBytes }: Pick<ContentsSurvey, 'bytes' | 'limitBytes'>): VnflowError {
  return new VnflowError('CONTENT_TOO_LARGE', {
    detail: `The server was not touched: a copy of the registry has ${mebibytes(bytes)} MiB, and vnflow keeps at most ${mebibytes(limitBytes)} MiB (VNFLOW_REGISTRY_COPY_MIB). Name a container of Swift for it in additionalParams.${COPY_CONTAINER}.`,
  });
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / MIB);
}
