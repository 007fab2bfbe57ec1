// Collects from the chunks of one stream what the AI SDK's provider packages drop: the model that answered, the arguments of tool calls as
// the model wrote them, the explanation of a stop, and the tokens that an interrupted model request had used, which are billed too.

import type { LanguageModelV3Usage } from "@ai-sdk/provider";

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnswerSource } from "#core/ports/model-port.ts";
import { fieldsOf } from "#lib/json-value.ts";

import type { ChunkFacts, ChunkUsage, ThinkingField } from "./provider/provider-profile.ts";

/** Merges the token counts of a chunk into the earlier ones. Most servers of Chat Completions send counts only at the end. */
function updateUsage(before: Usage | null, { input, output, cache_read, cache_write }: ChunkUsage): Usage | null {
  if (input === null && output === null) return before;
  const known = before ?? zeroUsage;
  const usage = {
    input: input ?? known.input,
    output: output ?? known.output,
    cache_read: cache_read ?? known.cache_read,
    cache_write: cache_write ?? known.cache_write,
  };
  const total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write;
  return { ...usage, total_tokens };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** Tokens of the answer with its reasoning. Some providers count reasoning separately, which their total shows. */
function answerTokens(usage: LanguageModelV3Usage): number {
  const total = count(usage.outputTokens.total);
  const reasoning = count(usage.outputTokens.reasoning);
  const reported = count(usage.raw?.["total_tokens"]);
  const isSeparate = reasoning > total || reported === count(usage.inputTokens.total) + total + reasoning;
  return isSeparate ? total + reasoning : total;
}

/**
 * Converts the token counts of one model request. Missing counts are zero. `input` counts uncached prompt tokens only, `output` includes
 * reasoning, no count is negative, and the total is the sum of the four (decision 20: how tokens are counted).
 */
function convertUsage(usage: LanguageModelV3Usage): Usage {
  const cache_read = count(usage.inputTokens.cacheRead);
  const cache_write = count(usage.inputTokens.cacheWrite);
  const total = usage.inputTokens.total;
  // The AI SDK's packages differ in whether `noCache` includes the tokens written to the cache. The total always includes them.
  const input = total === undefined ? count(usage.inputTokens.noCache) : count(total - cache_read - cache_write);
  const output = answerTokens(usage);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}

/** The higher one of two counts of the same tokens, each by itself. Counts rise while an answer is read. */
function higher(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const count = (name: keyof Usage): number => Math.max(one[name], other[name]);
  const [input, output] = [count("input"), count("output")];
  const [cache_read, cache_write] = [count("cache_read"), count("cache_write")];
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}

/** Reads the chunks of one stream. */
export class ChunkReader {
  readonly sources = new AnswerSources();
  /** The model that answered; null if no chunk names it. */
  modelId: string | null = null;
  /** The provider's explanation of its stop reason. */
  stopDetail: string | null = null;
  /** The provider's stop reason, if its package may drop it. */
  stopReason: string | null = null;
  #usage: Usage | null = null;
  /** Returns the tokens of all requests of a turn that was continued; null for any other turn. The chunks have only those of the first. */
  turnUsage: () => Usage | null = () => null;
  /** The field that last held thinking, in Chat Completions; null if there was none. */
  thinkingField: ThinkingField | null = null;
  // Tool calls by their number in the chunks, because two tool calls of one answer may have the same id.
  readonly #calls = new Map<unknown, { text: string }>();
  /** The calls by id; null for an id that several calls have. */
  readonly #byId = new Map<string, { text: string } | null>();

  /** Tokens used so far; null before the first counts. */
  get usage(): Usage | null {
    return higher(this.#usage, this.turnUsage());
  }

  /** Adds the facts of a chunk. Returns the chunk's piece of a spoken answer; undefined if it has none. */
  read(facts: ChunkFacts): ChunkFacts["speech"] {
    const { modelId, usage, stopDetail, stopReason, thinkingField, calls = [], sources = [], speech } = facts;
    if (modelId !== undefined && modelId !== "") this.modelId = modelId;
    if (usage !== undefined && usage !== null) this.#usage = updateUsage(this.#usage, usage);
    this.stopDetail = stopDetail ?? this.stopDetail;
    this.stopReason = stopReason ?? this.stopReason;
    this.thinkingField = thinkingField ?? this.thinkingField;
    for (const call of calls) this.#readCall(call);
    for (const { url, title } of sources) this.sources.add(url, title);
    return speech;
  }

  /**
   * Returns the token counts of a complete answer. The counts that the provider's package reports take precedence. Without them, the counts
   * from the chunks are used, because the package reads only the fields that its protocol documents.
   */
  finalUsage(reported: LanguageModelV3Usage): Usage {
    const converted = convertUsage(reported);
    if (converted.total_tokens === 0) return this.usage ?? converted;
    // Some servers report cached tokens in a field that the package does not read.
    const cached = converted.cache_read === 0 ? Math.min(this.usage?.cache_read ?? 0, converted.input) : 0;
    const read = { ...converted, input: converted.input - cached, cache_read: converted.cache_read + cached };
    // The package knows only the first request of a continued turn whose last response has no counts.
    return higher(read, this.turnUsage()) ?? read;
  }

  /** The arguments of a tool call as the server sent them; null if no tool call or several have this id. `callId` is the provider's id. */
  argumentsOf(callId: string): string | null {
    return this.#byId.get(callId)?.text ?? null;
  }

  #readCall(value: unknown): void {
    const { index, id, function: called } = fieldsOf(value);
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = { text: "" };
      this.#calls.set(index, call);
      const name = typeof id === "string" ? id : "";
      this.#byId.set(name, this.#byId.has(name) ? null : call);
    }
    const text = fieldsOf(called)["arguments"];
    if (typeof text === "string") call.text += text;
  }
}

const mostSources = 100;
const longestTitle = 300;
const longestUrl = 2_000;

function isAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** The pages that an answer cites, from the package and from the chunks: each address once, in order of arrival, at most a hundred. */
class AnswerSources {
  readonly #byUrl = new Map<string, AnswerSource>();

  add(url: unknown, title?: unknown): void {
    if (typeof url !== "string" || url.length > longestUrl) return;
    const known = this.#byUrl.get(url);
    // An answer may have thousands of addresses, so those above the maximum are not parsed.
    if (known === undefined && (this.#byUrl.size >= mostSources || !isAddress(url))) return;
    const named = typeof title === "string" && title !== "" ? { title: title.slice(0, longestTitle) } : {};
    this.#byUrl.set(url, { url, ...known, ...named });
  }

  all(): AnswerSource[] {
    return [...this.#byUrl.values()];
  }
}
