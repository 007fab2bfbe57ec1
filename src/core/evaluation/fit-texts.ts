// Fits the texts that a judge compares to its budget. The earlier conversation is shortened first, and the responses only if that is not
// enough, because the judge decides between the responses. Every function is pure.

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** The texts that a judge reads besides the query. */
export interface JudgedTexts {
  /** The conversation before the query; empty if there is none. */
  context: string;
  responses: readonly string[];
}

/** The maximum number of lines of a text at the first tier. */
const mostLines = 80;

/** The number of tokens to which a text is cut at least. A judge cannot compare less of a response. */
const fewestTokensOfText = 50;

/**
 * The texts within a budget of tokens, or as near to it as the tiers reach: each text is reduced to its last lines, then to its first and
 * last paragraph, then to its share of the budget. `fits` is false if the texts still exceed the budget.
 */
export function fitTexts(
  { context, responses }: JudgedTexts,
  budget: number,
  tokensOf: CountTokens,
): JudgedTexts & { fits: boolean } {
  const sum = (texts: readonly string[]): number => texts.reduce((tokens, text) => tokens + tokensOf(text), 0);
  const ofResponses = sum(responses);
  const fitContext = shorten([context], Math.max(fewestTokensOfText, budget - ofResponses), tokensOf);
  const [shortContext = ""] = fitContext;
  const remaining = Math.max(fewestTokensOfText * responses.length, budget - tokensOf(shortContext));
  const shortResponses = shorten(responses, remaining, tokensOf);
  return {
    context: shortContext,
    responses: shortResponses,
    fits: tokensOf(shortContext) + sum(shortResponses) <= budget,
  };
}

/** Applies the tiers to all texts, until their sum is within the budget. */
function shorten(texts: readonly string[], budget: number, tokensOf: CountTokens): readonly string[] {
  const share = Math.floor(budget / Math.max(1, texts.length));
  const tiers = [lastLines, outerParagraphs, (text: string) => beginning(text, share, tokensOf)];
  let current = texts;
  for (const tier of tiers) {
    if (current.reduce((tokens, text) => tokens + tokensOf(text), 0) <= budget) return current;
    current = current.map(tier);
  }
  return current;
}

function lastLines(text: string): string {
  const lines = text.split("\n");
  return lines.length <= mostLines ? text : lines.slice(-mostLines).join("\n");
}

/** The first and the last paragraph. A text of one paragraph stays as it is. */
function outerParagraphs(text: string): string {
  const paragraphs = text.split(/\n[^\S\n]*\n/).filter((paragraph) => paragraph.trim() !== "");
  const [first = text, ...others] = paragraphs;
  const last = others.at(-1);
  if (last === undefined) return first;
  return others.length === 1 ? `${first}\n\n${last}` : `${first}\n\n...\n\n${last}`;
}

/** The beginning of a text, with a mark at its end if something was cut. */
function beginning(text: string, tokens: number, tokensOf: CountTokens): string {
  if (tokensOf(text) <= tokens) return text;
  let length = Math.min(text.length - 1, tokens * 4);
  for (;;) {
    // Half of a character outside of the first plane is not sent.
    const cut = `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}...`;
    const used = tokensOf(cut);
    if (used <= tokens || length === 0) return cut;
    length = Math.max(0, Math.min(length - 1, Math.floor((length * tokens) / used)));
  }
}
