// Parses YAML from outside within bounds. The tokens of the text and its nesting are counted while the parser reads it, and the first error
// ends it: the parser of the package builds several objects for each token and keeps an error for each mistake.

import { Composer, Lexer, Parser, type CST, type Document } from "yaml";

import { WorkSlices } from "../work-slices.ts";

/** Bounds of a YAML text. */
export interface YamlBounds {
  /** The number of UTF-16 units. */
  units: number;
  /** The number of tokens: values, indicators, white space between them and line breaks. A document has about three for each value. */
  tokens: number;
  /** The levels of lists and mappings inside one another. */
  depth: number;
}

/** A text that exceeds one of its bounds. */
export class YamlBoundError extends Error {
  override readonly name = "YamlBoundError";
  readonly bound: keyof YamlBounds;

  constructor(bound: keyof YamlBounds, limit: number) {
    super(
      bound === "depth"
        ? `is nested more than ${limit} levels deep`
        : `has more than ${limit} ${bound === "units" ? "characters" : bound}`,
    );
    this.bound = bound;
  }
}

/** A text that is not one YAML document. */
class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
}

/** The nodes of the parser that are open besides the collections: the document and a value. */
const otherNodes = 2;

/**
 * Parses one document of YAML 1.2 with the core schema. Throws a `YamlBoundError` or a `YamlSyntaxError`. A check for equal keys takes
 * quadratic time, so it is for short texts.
 */
export function parseBoundedYaml(text: string, bounds: YamlBounds, { uniqueKeys = false } = {}): unknown {
  const parsing = parsingOf(text, bounds, uniqueKeys);
  for (;;) {
    const step = parsing.next();
    if (step.done === true) return step.value;
  }
}

/** The same in several tasks of the event loop, so that other requests are served while a long text is parsed. */
export async function parseBoundedYamlInSlices(text: string, bounds: YamlBounds): Promise<unknown> {
  const parsing = parsingOf(text, bounds, false);
  const slices = new WorkSlices(tokensOfSlice);
  for (;;) {
    const step = parsing.next();
    if (step.done === true) return step.value;
    if (slices.count(step.value)) await slices.next();
  }
}

/** The number of tokens that are read in one piece. */
const tokensOfSlice = 30_000;

/** Parses a text. Yields the number of tokens that it has read since it yielded last. */
function* parsingOf(text: string, bounds: YamlBounds, uniqueKeys: boolean): Generator<number, unknown, void> {
  if (text.length > bounds.units) throw new YamlBoundError("units", bounds.units);
  const composer = new Composer({ schema: "core", logLevel: "error", prettyErrors: false, uniqueKeys });
  // The composer would keep an error for each mistake. It calls this function, which its type does not show.
  const onError = (...[, , message, isWarning]: [unknown, string, string, boolean?]) => {
    if (isWarning !== true) throw new YamlSyntaxError(message);
  };
  Object.assign(composer, { onError });
  const documents: Document.Parsed[] = [];
  for (const token of boundedTokens(text, bounds)) {
    if (typeof token === "number") {
      yield token;
      continue;
    }
    if (token.type === "error") throw new YamlSyntaxError(token.message);
    documents.push(...composer.next(token));
    yield tokensOfSlice;
    if (documents.length > 1) break;
  }
  documents.push(...composer.end(false, text.length));
  const [document, another] = documents;
  if (another !== undefined) throw new YamlSyntaxError("The text has several documents.");
  // The package refuses aliases whose values would grow exponentially.
  return document === undefined ? null : (document.toJS() as unknown);
}

/** The number of first tokens of a text with too many in which a mistake or a level above the bound is still found. */
const inspectedTokens = 5000;

/**
 * The nodes of the parser, and the numbers of tokens that were read before. A node is complete when it is yielded, so tokens and levels are counted before. The tokens are counted before the
 * first one is parsed, because the lexer takes a third of the parser's time.
 */
function* boundedTokens(text: string, bounds: YamlBounds): Generator<CST.Token | number, void> {
  const parser = new Parser();
  const lexemes: string[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    lexemes.push(lexeme);
    if (lexemes.length > bounds.tokens) break;
    yield 1;
  }
  const isCut = lexemes.length > bounds.tokens;
  for (const lexeme of isCut ? lexemes.slice(0, inspectedTokens) : lexemes) {
    yield* parser.next(lexeme);
    yield 1;
    if (parser.stack.length > bounds.depth + otherNodes) throw new YamlBoundError("depth", bounds.depth);
  }
  if (isCut) throw new YamlBoundError("tokens", bounds.tokens);
  // The composer reads all tokens when the document's node is complete.
  yield lexemes.length;
  yield* parser.end();
}
