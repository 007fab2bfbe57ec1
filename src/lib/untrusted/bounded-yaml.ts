// Parses YAML from outside within bounds. The tokens of the text and its nesting are counted while the parser reads it, and the first error
// ends it: the parser of the package builds several objects for each token and keeps an error for each mistake.

import { Composer, Lexer, Parser, type CST, type Document } from "yaml";

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
  if (text.length > bounds.units) throw new YamlBoundError("units", bounds.units);
  const composer = new Composer({ schema: "core", logLevel: "error", prettyErrors: false, uniqueKeys });
  // The composer would keep an error for each mistake. It calls this function, which its type does not show.
  const onError = (...[, , message, isWarning]: [unknown, string, string, boolean?]) => {
    if (isWarning !== true) throw new YamlSyntaxError(message);
  };
  Object.assign(composer, { onError });
  const documents: Document.Parsed[] = [];
  for (const token of boundedTokens(text, bounds)) {
    if (token.type === "error") throw new YamlSyntaxError(token.message);
    documents.push(...composer.next(token));
    if (documents.length > 1) break;
  }
  documents.push(...composer.end(false, text.length));
  const [document, another] = documents;
  if (another !== undefined) throw new YamlSyntaxError("The text has several documents.");
  // The package refuses aliases whose values would grow exponentially.
  return document === undefined ? null : document.toJS();
}

/** The number of first tokens of a text with too many in which a mistake or a level above the bound is still found. */
const inspectedTokens = 5000;

/**
 * The nodes of the parser. A node is complete when it is yielded, so tokens and levels are counted before. The tokens are counted before the
 * first one is parsed, because the lexer takes a third of the parser's time.
 */
function* boundedTokens(text: string, bounds: YamlBounds): Generator<CST.Token, void> {
  const parser = new Parser();
  const lexemes = firstLexemes(text, bounds.tokens + 1);
  const isCut = lexemes.length > bounds.tokens;
  for (const lexeme of isCut ? lexemes.slice(0, inspectedTokens) : lexemes) {
    yield* parser.next(lexeme);
    if (parser.stack.length > bounds.depth + otherNodes) throw new YamlBoundError("depth", bounds.depth);
  }
  if (isCut) throw new YamlBoundError("tokens", bounds.tokens);
  yield* parser.end();
}

function firstLexemes(text: string, most: number): string[] {
  const lexemes: string[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    lexemes.push(lexeme);
    if (lexemes.length === most) break;
  }
  return lexemes;
}
