import { createHash } from 'node:crypto';
import type { TransformPlugin } from 'just-bash';
import { readLiteral, rewrite } from './rewrite.ts';
import { readsStandardInput } from './standard-input.ts';
import { type ParsedScript, parse } from './syntax.ts';

/** A script that was parsed and rewritten once for all machines. */
export interface Script {
  /** The placeholder text that just-bash receives; the plugin replaces it by the parsed script. */
  readonly stand: string;
  readonly ast: ParsedScript;
  readonly readsInput: boolean;
  /** True when the script consists of one command, so that bash replaces itself by it instead of starting it. */
  readonly isOneCommand: boolean;
}

const STAND = '__vnflow_script';
const KEPT = 200;
const known = new Map<string, Script>();

/**
 * Parses a script, or takes it from the cache.
 * @param live whether commands are marked for live output
 * @throws an Error named ParseException
 */
export function scriptOf(text: string, live: boolean): Script {
  const id = createHash('sha1')
    .update(live ? 'live ' : 'plain ')
    .update(text)
    .digest('hex');
  const found = known.get(id);
  if (found) {
    known.delete(id);
    known.set(id, found);
    return found;
  }
  const parsed = parse(text);
  const [statement, ...more] = parsed.statements;
  const script: Script = {
    stand: `: ${STAND} ${id}`,
    ast: rewrite(parsed, { live }),
    readsInput: readsStandardInput(parsed),
    isOneCommand:
      more.length === 0 &&
      statement?.pipelines.length === 1 &&
      statement.pipelines[0]?.commands.length === 1 &&
      statement.pipelines[0].commands[0]?.type === 'SimpleCommand',
  };
  known.set(id, script);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return script;
}

/**
 * Makes a plugin that replaces the placeholder by the parsed script. The plugin keeps the script, because the cache may
 * drop it before it runs.
 */
export function putInPlace(script: Script): TransformPlugin {
  return {
    name: 'vnflow-simulator',
    transform: ({ ast }) => {
      const [statement] = ast.statements;
      const command = statement?.pipelines[0]?.commands[0];
      const isStand =
        ast.statements.length === 1 &&
        command?.type === 'SimpleCommand' &&
        readLiteral(command.args[0]) === STAND &&
        script.stand.endsWith(` ${readLiteral(command.args[1])}`);
      return { ast: isStand ? script.ast : rewrite(ast, { live: false }) };
    },
  };
}
