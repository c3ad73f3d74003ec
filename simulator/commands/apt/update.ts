import {
  describeSource,
  hostOf,
  isReachable,
  listPath,
  repositoryAt,
  type Source,
  signatureProblem,
  sourcesOf,
} from '../../world/apt/sources.ts';
import { FileError, parentOf } from '../../world/files/tree.ts';
import type { ProxyClient } from '../../world/internet/proxy-client.ts';
import type { SimNode } from '../../world/world.ts';
import { failure, type Output } from '../shell/command.ts';
import { findDownloadRefusal } from './download.ts';

interface Fetched {
  readonly line: string;
  readonly warning?: string;
  /** Makes the whole update fail. */
  readonly error?: string;
  readonly list?: string;
}

const INSECURE =
  "N: Updating from such a repository can't be done securely, and is therefore disabled by default.\nN: See apt-secure(8) manpage for repository creation and user configuration details.\n";

function fetchList(node: SimNode, source: Source, client: ProxyClient): Fetched {
  const name = describeSource(source);
  if (!isReachable(source)) {
    const reason = `Temporary failure resolving '${hostOf(source)}'`;
    return {
      line: `Err: ${name} InRelease\n  ${reason}`,
      warning: `W: Failed to fetch ${source.uri}/${source.suite === '/' ? '' : `dists/${source.suite}/`}InRelease  ${reason}\n`,
    };
  }
  const list = `${source.uri}/${source.suite === '/' ? '' : `dists/${source.suite}/`}InRelease`;
  const refusal = findDownloadRefusal(node, list, client);
  if (refusal !== undefined) {
    const text = `Failed to fetch ${list}  ${refusal.reason}\n`;
    const line = `Err: ${name} InRelease\n  ${refusal.reason}`;
    if (!refusal.isAnswer) return { line, warning: `W: ${text}` };
    return { line, error: `E: ${text}E: The repository '${name} InRelease' is not signed.\n${INSECURE}` };
  }
  const repository = repositoryAt(source);
  if (!repository) {
    return {
      line: `Err: ${name} Release\n  404  Not Found`,
      error: `E: The repository '${name} Release' does not have a Release file.\n${INSECURE}`,
    };
  }
  const unsigned = signatureProblem(node, source, repository.key);
  if (unsigned !== undefined) {
    const text = `The following signatures couldn't be verified because the public key is not available: ${unsigned}`;
    return {
      line: `Err: ${name} InRelease\n  ${text}`,
      warning: `W: GPG error: ${name} InRelease: ${text}\n`,
      error: `E: The repository '${name} InRelease' is not signed.\n${INSECURE}`,
    };
  }
  const known = node.root.exists(listPath(source));
  return { line: `${known ? 'Hit' : 'Get'}: ${name} InRelease`, list: listPath(source) };
}

/**
 * Fetches the lists of all configured repositories. Like apt, it succeeds when some repositories were only unreachable.
 */
export function updateLists(node: SimNode, client: ProxyClient): Output {
  const sources = sourcesOf(node);
  const fetched = sources.map((source) => fetchList(node, source, client));
  let stdout = '';
  fetched.forEach(({ line }, index) => {
    stdout += `${line.replace(/^(Hit|Get|Err):/, `$1:${index + 1}`)}\n`;
  });
  try {
    keepLists(
      node,
      fetched.flatMap(({ list }) => (list === undefined ? [] : [list])),
      sources.map(listPath),
    );
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOSPC') throw error;
    return failure(
      100,
      'E: Write error - write (28: No space left on device)\nE: IO Error saving source cache\nE: The package lists or status file could not be parsed or opened.',
      stdout,
    );
  }
  const warnings = fetched.map(({ warning }) => warning ?? '').join('');
  const errors = fetched.map(({ error }) => error ?? '').join('');
  if (errors !== '') return failure(100, warnings + errors, `${stdout}Reading package lists...\n`);
  const ignored =
    warnings === ''
      ? ''
      : 'W: Some index files failed to download. They have been ignored, or old ones used instead.\n';
  return { stdout: `${stdout}Reading package lists...\n`, stderr: warnings + ignored, exitCode: 0 };
}

/** Writes the fetched lists and removes those of repositories that are no longer configured. */
function keepLists({ root }: SimNode, came: readonly string[], configured: readonly string[]): void {
  const [first] = configured;
  if (first === undefined) return;
  const directory = parentOf(first);
  root.makeDirectory(directory, true);
  for (const path of came) root.write(path, `Package list, ${path.slice(directory.length + 1)}\n`);
  for (const name of root.list(directory)) {
    const path = `${directory}/${name}`;
    if (name.endsWith('_Packages') && !configured.includes(path)) root.remove(path, { recursive: false, force: true });
  }
}
