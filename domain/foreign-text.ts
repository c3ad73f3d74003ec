/**
 * Control characters but tab and line end; the characters that change the direction of text, with which a line shows
 * something else than it says; halves of characters.
 */
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Like `HARMFUL`, for a test: without the flag that makes `test` remember its place. */
const HAS_HARM = new RegExp(HARMFUL.source, 'u');

/**
 * Escape sequences of terminals (ECMA-48): strings that a terminator ends (OSC, DCS, SOS, PM, APC), control sequences
 * (CSI), and the short ones. No string contains the beginning of another one, so that the time is linear: Node's
 * `stripVTControlCharacters` needs ten seconds for 120 kB of unterminated OSCs.
 */
const ESCAPE_SEQUENCES =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

/**
 * Makes text of OpenStack, of a node or of a package fit for the store, for Temporal and for a terminal. Escape
 * sequences of terminals and all that `HARMFUL` names are removed; a carriage return becomes a line end.
 */
export function foreignText(text: string): string {
  if (!HAS_HARM.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCES, '').replace(/\r\n?/g, '\n').replace(HARMFUL, '');
}

/** A value as JSON has it, with `foreignText` for all its strings and names. It must be of limited depth. */
export function foreignValue(value: unknown): unknown {
  if (typeof value === 'string') return foreignText(value);
  if (Array.isArray(value)) return value.map(foreignValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [foreignText(name), foreignValue(member)]));
}

/** In JSON, also of a string: does it contain, as it is or escaped, what `foreignText` removes? */
const HAS_HARM_IN_JSON = /\\u(?:00[0189][0-9a-f]|007f|061c|200[ef]|202[a-e]|206[6-9]|d[89a-f])|\\[bfr]/i;

/** Whether the text of a JSON document may hold strings that `foreignText` changes. */
export function mayHoldHarm(jsonText: string): boolean {
  return HAS_HARM_IN_JSON.test(jsonText) || HAS_HARM.test(jsonText);
}
