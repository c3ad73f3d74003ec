/**
 * Indents the lines that continue a flow collection (`[…]`, `{…}`) or a quoted scalar. PyYAML ignores the indentation
 * of such lines; the YAML specification and the library `yaml` do not. ETSI's own SOL001 type files have lists that go
 * on in the first column. Additional spaces at the start of such a line never change the value.
 * @param text YAML that the parser has refused; other YAML needs no repair
 */
export function indentContinuationLines(text: string): string {
  const scanner = new LineScanner();
  return text
    .split('\n')
    .map((line) => {
      const indented = scanner.continues && line.trim() !== '' ? ' '.repeat(scanner.openColumn + 1) + line : line;
      scanner.scan(line);
      return indented;
    })
    .join('\n');
}

type Quote = '"' | "'";

const REST_OF_QUOTED: Readonly<Record<Quote, RegExp>> = { '"': /(?:[^"\\]|\\.)*"/y, "'": /(?:[^']|'')*'(?!')/y };
const SPACE = /\s+/y;
const COMMENT = /(?<=^|\s)#/y;
const VALUE_INDICATOR = /:(?=\s|$)/y;
const ENTRY_INDICATOR = /[-?](?=\s|$)/y;
const TAG_OR_ANCHOR = /[&!]\S*/y;
const BLOCK_SCALAR = /[|>][-+0-9]*\s*(?:#.*)?$/y;
const KEY = /[^#]*?:(?=\s|$)/y;

/**
 * Reads no more of YAML than is needed to know where flow collections, quoted scalars and block scalars begin and end.
 */
class LineScanner {
  /** Column of the first character of the outermost flow collection, or of the quoted scalar. */
  openColumn = 0;
  #flowDepth = 0;
  #quote: Quote | undefined;
  /** The indentation that the lines of the open block scalar exceed. */
  #blockScalarParent: number | undefined;
  #line = '';
  #at = 0;
  /** Column of the last `-` or mapping key of the line: a block scalar is indented more than that. */
  #parent = -1;
  #valueMayBegin = true;

  /** Does the next line continue a flow collection or a quoted scalar? */
  get continues(): boolean {
    return this.#flowDepth > 0 || this.#quote !== undefined;
  }

  scan(line: string): void {
    const indent = line.length - line.trimStart().length;
    if (this.#blockScalarParent !== undefined) {
      if (line.trim() === '' || indent > this.#blockScalarParent) return;
      this.#blockScalarParent = undefined;
    }
    this.#line = line;
    this.#at = 0;
    this.#parent = indent - 1;
    this.#valueMayBegin = true;
    if (this.#quote !== undefined) this.#readQuoted(this.#quote);
    while (this.#at < line.length && this.#readToken());
  }

  /** @returns false when nothing after it on the line matters */
  #readToken(): boolean {
    if (this.#matches(SPACE)) return true;
    if (this.#matches(COMMENT)) return false;
    if (this.#matches(VALUE_INDICATOR)) this.#valueMayBegin = true;
    else if (this.#flowDepth > 0 && /[\]},]/.test(this.#character())) this.#readFlowIndicator();
    else if (!this.#valueMayBegin) this.#at += 1;
    else return this.#readStartOfValue();
    return true;
  }

  #readFlowIndicator(): void {
    this.#valueMayBegin = this.#character() === ',';
    if (!this.#valueMayBegin) this.#flowDepth -= 1;
    this.#at += 1;
  }

  #readStartOfValue(): boolean {
    const first = this.#character();
    const start = this.#at;
    if (first === '[' || first === '{') {
      if (this.#flowDepth === 0) this.openColumn = start;
      this.#flowDepth += 1;
      this.#at += 1;
      return true;
    }
    if (this.#flowDepth === 0) {
      if (this.#matches(BLOCK_SCALAR)) {
        this.#blockScalarParent = this.#parent;
        return false;
      }
      if (this.#matches(ENTRY_INDICATOR)) {
        this.#parent = start;
        return true;
      }
    }
    if (this.#matches(TAG_OR_ANCHOR)) return true;
    if (this.#flowDepth === 0 && this.#looksAt(KEY)) this.#parent = start;
    this.#valueMayBegin = false;
    this.#at += 1;
    if (first === '"' || first === "'") {
      if (this.#flowDepth === 0) this.openColumn = start;
      this.#readQuoted(first);
    }
    return true;
  }

  #readQuoted(quote: Quote): void {
    const ends = this.#matches(REST_OF_QUOTED[quote]);
    this.#quote = ends ? undefined : quote;
    this.#valueMayBegin = false;
    if (!ends) this.#at = this.#line.length;
  }

  #character(): string {
    return this.#line[this.#at] ?? '';
  }

  #matches(pattern: RegExp): boolean {
    if (!this.#looksAt(pattern)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#line);
  }
}
