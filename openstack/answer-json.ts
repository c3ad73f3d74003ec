import { foreignValue, mayHoldHarm } from '../domain/foreign-text.ts';

/** Answers of OpenStack are five levels deep, stacks with nested parameters some more. */
const DEEPEST = 64;
/** 500 servers with all their resources are about 60,000 values. */
const MOST_VALUES = 200_000;

/**
 * Parses the JSON of an answer. What is nested too deep or has too many values is not parsed: a few megabytes of
 * brackets would take seconds and hundreds of megabytes. Its strings are as `foreignText` makes them.
 * @returns undefined when the text is no JSON or beyond these limits
 */
export function parseAnswer(text: string): unknown {
  if (!isParsable(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return mayHoldHarm(text) ? foreignValue(value) : value;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

function isParsable(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (OPENING.includes(code)) depth += 1;
    else if (CLOSING.includes(code)) depth -= 1;
    else if (code !== COMMA) continue;
    values += 1;
    if (depth > DEEPEST || values > MOST_VALUES) return false;
  }
  return true;
}

/** @returns the place of the quotation mark that ends a string, or the end of the text */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
