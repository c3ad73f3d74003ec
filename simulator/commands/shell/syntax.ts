import { parse as parseScript, serialize as serializeScript } from 'just-bash';

export type ParsedScript = ReturnType<typeof parseScript>;

/** Parses a script. @throws an Error named ParseException */
export function parse(text: string): ParsedScript {
  const body = text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
  return parseScript(body);
}

export function serialize(script: ParsedScript): string {
  return serializeScript(script);
}
