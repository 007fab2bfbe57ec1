// Makes the row of a model from its entry in models.dev. A figure that the tables cannot express is left out, and one that is impossible is
// refused.

/** @typedef {[number | null, number | null, number | null, (number | null)[] | null, string, (number | null)[]?]} Row */

/** Models that do not answer in a conversation. */
const noChat =
  /(?:^|[/._-])(?:embed|embedding|embeddings|whisper|tts|realtime|live|moderation|guard|safeguard|safety|rerank|reranker|transcribe|translate|ocr|parse|retriever|detector)(?:[/._-]|$|\d)/;

/** An id as providers write them. */
const validId = /^[\w@.:/~+-]{1,200}$/;

const mostTokens = 1_000_000_000;
const highestPrice = 100_000;

/**
 * The row of a model; null for one that does not answer with text.
 * @param {string} provider
 * @param {string} id
 * @param {any} model
 * @param {import("./tables.mjs").Table} table
 * @returns {Row | null}
 */
export function modelRow(provider, id, model, table) {
  const name = `The model "${id}" of ${provider}`;
  if (!validId.test(id))
    throw new Error(`${name} has an id with other characters than letters, digits and @ . : / ~ + -.`);
  const { modalities, limit, cost } = fieldsOf(model, name);
  const input = listOf(fieldsOf(modalities, `${name}: modalities`).input, `${name}: modalities.input`);
  const output = listOf(modalities.output, `${name}: modalities.output`);
  const isOther = table.only?.test(id) === false || table.without?.includes(id) === true;
  if (!input.includes("text") || output.join() !== "text" || noChat.test(id) || isOther) return null;
  const { context, input: prompt, output: answer } = fieldsOf(limit, `${name}: limit`);
  const window = tokensOf(context, `${name}: limit.context`);
  // A limit above the window contradicts it, so that one of the two is wrong.
  const below = (value, field) => {
    const tokens = tokensOf(value, `${name}: limit.${field}`);
    return tokens !== null && window !== null && tokens <= window ? tokens : null;
  };
  const isInput = table.inputIsWindow?.test(id) === true;
  const letters = lettersOf(model, input, name);
  const prices = table.withoutPrices === undefined && cost !== undefined ? pricesOf(cost, name) : null;
  /** @type {Row} */
  const row = [
    window,
    isInput ? window : below(prompt, "input"),
    below(answer, "output"),
    prices?.base ?? null,
    letters,
  ];
  return prices?.long === undefined ? row : [row[0], row[1], row[2], row[3], row[4], prices.long];
}

function lettersOf(model, input, name) {
  const letter = (value, capital, field) => {
    if (value === undefined) return "";
    if (typeof value !== "boolean") throw new Error(`${name}: ${field} has to be true or false.`);
    return value ? capital : capital.toLowerCase();
  };
  return [
    input.includes("image") ? "V" : "v",
    letter(model.tool_call, "T", "tool_call"),
    letter(model.structured_output, "S", "structured_output"),
    letter(model.reasoning, "R", "reasoning"),
    model.status === "deprecated" ? "X" : "",
  ].join("");
}

/**
 * The prices of a model. Null: they are 0, which models.dev states also for models without a price list, or they depend on something else
 * than one bound of the prompt.
 */
function pricesOf(cost, name) {
  const base = fourPrices(cost, name);
  const tiers = cost.tiers === undefined ? [] : listOf(cost.tiers, `${name}: cost.tiers`);
  const hasOtherTier = tiers.length > 1 || (tiers.length === 0 && cost.context_over_200k !== undefined);
  const isFree = base[0] === 0 && base[1] === 0;
  if (isFree || hasOtherTier || hasThinkingPrice(cost)) return null;
  const [tier] = tiers;
  if (tier === undefined) return { base };
  const { size, type = "context" } = fieldsOf(tier.tier, `${name}: cost.tiers.tier`);
  const above = tokensOf(size, `${name}: cost.tiers.tier.size`);
  if (type !== "context" || above === null || hasThinkingPrice(tier)) return null;
  return { base, long: [above, ...fourPrices(tier, name)] };
}

/** A price of thinking that differs from that of the answer: token counts do not tell them apart. */
function hasThinkingPrice({ reasoning, output }) {
  return reasoning !== undefined && reasoning !== output;
}

function fourPrices(cost, name) {
  const price = (field, isNeeded) => {
    const value = fieldsOf(cost, `${name}: cost`)[field];
    if (value === undefined && !isNeeded) return null;
    if (typeof value !== "number" || !(value >= 0 && value <= highestPrice))
      throw new Error(
        `${name}: the price ${field} is ${String(value)}. A price is a number from 0 to ${highestPrice}.`,
      );
    return value;
  };
  // models.dev states 0 for caches without a price of their own. The price of the prompt applies to them.
  const cachePrice = (field) => price(field) || null;
  return [price("input", true), price("output", true), cachePrice("cache_read"), cachePrice("cache_write")];
}

/** Null: not stated, or 0, which models.dev states for an unknown limit. */
function tokensOf(value, name) {
  if (value === undefined || value === 0) return null;
  if (!Number.isInteger(value) || value < 0 || value > mostTokens)
    throw new Error(`${name} is ${String(value)}. A limit is a whole number of tokens up to ${mostTokens}.`);
  return value;
}

function fieldsOf(value, name) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${name} has to be a table of fields.`);
  return value;
}

function listOf(value, name) {
  if (!Array.isArray(value)) throw new Error(`${name} has to be a list.`);
  return value;
}
