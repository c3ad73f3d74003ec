import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { NodeContext } from '../node/node-session.ts';

/** No proxy stands between the server and itself. `--fail` makes an answer of 400 or more an exit code. */
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '10'];
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MOST_REPOSITORIES = 1000;

const Catalog = z.object({ repositories: z.array(z.string()) });
/** A repository whose tags were all deleted has null. */
const Tags = z.object({ name: z.string(), tags: z.array(z.string()).nullable() });

/**
 * Asks the registry on the server of the session, over HTTP.
 * @param origin `host:port` @param paths after `/v2/`
 * @returns the bodies of the answers, one after another
 * @throws VnflowError REGISTRY_NOT_READY when it does not answer each with a status below 400
 */
export async function askRegistry(
  { session, signal }: NodeContext,
  origin: string,
  paths: readonly string[],
): Promise<string> {
  const command = commandLine([...CURL, ...paths.map((path) => `http://${origin}/v2/${path}`)]);
  const { code, stdout, stderr } = await session.exec(command, {
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  if (code === 0) return stdout;
  throw new VnflowError('REGISTRY_NOT_READY', {
    detail: `The registry does not answer at http://${origin}/v2/, as seen from ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}

/**
 * Names every image of the registry on the server of the session.
 * @returns `repository:tag`, in order
 * @throws VnflowError REGISTRY_NOT_READY; NODE_PROTOCOL for an answer that is not of the registry API
 */
export async function listImages(node: NodeContext, port: number): Promise<string[]> {
  const origin = `127.0.0.1:${port}`;
  const catalog = await askRegistry(node, origin, [`_catalog?n=${MOST_REPOSITORIES}`]);
  const { repositories } = parseAnswer(Catalog, catalog, node);
  if (repositories.length === 0) return [];
  const answers = await askRegistry(
    node,
    origin,
    repositories.map((name) => `${name}/tags/list`),
  );
  // a registry ends each answer with a line break
  const lists = answers.split('\n').filter((line) => line.trim() !== '');
  return lists.flatMap((line) => {
    const { name, tags } = parseAnswer(Tags, line, node);
    return (tags ?? []).map((tag) => `${name}:${tag}`);
  });
}

function parseAnswer<T>(schema: z.ZodType<T>, text: string, { session }: NodeContext): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `What answers as the registry on ${session.label} does not speak the registry API.`,
      seen: text.slice(0, 1000),
      cause,
    });
  }
}
