import { createHash } from 'node:crypto';
import type { TransformPlugin } from 'just-bash';
import { literal, rewrite } from './rewrite.ts';
import { readsStandardInput } from './standard-input.ts';
import { type ParsedScript, parse } from './syntax.ts';

/** A script that was parsed and rewritten once, for all machines that run it. */
export interface Script {
  /** What just-bash is asked to run; the plugin puts the parsed script in its place. */
  readonly stand: string;
  readonly ast: ParsedScript;
  readonly readsInput: boolean;
  /** It consists of one command, so that bash would become this command instead of starting it. */
  readonly isOneCommand: boolean;
}

const STAND = '__vnflow_script';
const KEPT = 200;
const known = new Map<string, Script>();

/** @param live whether commands are marked for live output @throws an Error named ParseException */
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

/** Puts the parsed script in the place of its stand-in. The script is held here: hundreds of others may be read before it runs. */
export function putInPlace(script: Script): TransformPlugin {
  return {
    name: 'vnflow-simulator',
    transform: ({ ast }) => {
      const [statement] = ast.statements;
      const command = statement?.pipelines[0]?.commands[0];
      const isStand =
        ast.statements.length === 1 &&
        command?.type === 'SimpleCommand' &&
        literal(command.args[0]) === STAND &&
        script.stand.endsWith(` ${literal(command.args[1])}`);
      return { ast: isStand ? script.ast : rewrite(ast, { live: false }) };
    },
  };
}
