// Checks the parts that a function of a project yields, and converts them to parts of the AI SDK. Invariants: a part has only the fields of its
// type, with values of their types; the function yields nothing after `finish`; each part is in the log.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import { fromBase64 } from "#lib/base64.ts";
import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";
import type { ProviderPart } from "#spec/index.ts";

import { RefusedRequest } from "../../refused-request.ts";
import type { ChunkFacts } from "../provider-profile.ts";
import { DistinctIds } from "./distinct-ids.ts";
import { ownError, textOf } from "./own-error.ts";

type PartType = ProviderPart["type"];
type PartOf<T extends PartType> = Extract<ProviderPart, { type: T }>;

/** The longest id of a call, and the longest name of a tool. */
const longestName = 1_000;

const isText = (value: unknown): boolean => typeof value === "string";
const isName = (value: unknown): boolean => typeof value === "string" && value !== "" && value.length <= longestName;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isCost = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** A check of a field, and what the field has to be. */
interface FieldRule {
  fits: (value: unknown) => boolean;
  expected: string;
  optional?: true;
}

const text: FieldRule = { fits: isText, expected: "a string" };
const named: FieldRule = { fits: isName, expected: `a string of 1 to ${longestName} characters` };
const count: FieldRule = { fits: isCount, expected: "a whole number that is not negative", optional: true };

const reasons = {
  stop: "stop",
  tool_calls: "tool-calls",
  length: "length",
  content_filter: "content-filter",
} as const satisfies Record<PartOf<"finish">["reason"], string>;

/** The fields of each part. TypeScript requires an entry for each field. */
const rules: { readonly [T in PartType]: Readonly<Record<Exclude<keyof PartOf<T>, "type">, FieldRule>> } = {
  text: { text },
  thinking: { text },
  tool_call: {
    id: named,
    name: named,
    arguments: { fits: (value) => isText(value) || isObject(value), expected: "an object, or a string with its JSON" },
  },
  image: {
    mimeType: {
      fits: (value) => typeof value === "string" && /^image\/[\w.+-]{1,100}$/.test(value),
      expected: "the media type of an image, such as image/png",
    },
    data: {
      fits: (value) => typeof value === "string" && value !== "" && fromBase64(value) !== null,
      expected: "base64",
    },
  },
  usage: {
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    cost: { fits: isCost, expected: "a number that is not negative", optional: true },
  },
  finish: {
    reason: {
      fits: (value) => typeof value === "string" && Object.hasOwn(reasons, value),
      expected: `one of ${Object.keys(reasons).join(", ")}`,
    },
    detail: { ...text, optional: true },
    model: { ...named, optional: true },
  },
};

/** A checked copy of a part with its known fields. Throws a RefusedRequest for any other value. */
function readPart(value: unknown): ProviderPart {
  const type = isObject(value) ? value["type"] : undefined;
  if (!isObject(value) || typeof type !== "string" || !Object.hasOwn(rules, type)) {
    const found = isObject(value) ? `a part of the type ${textOf(type)}` : textOf(value);
    throw new RefusedRequest(
      `The function \`stream\` yielded ${found}. The types are ${Object.keys(rules).join(", ")}.`,
    );
  }
  const fields: Readonly<Record<string, FieldRule>> = rules[type as PartType];
  const part: Record<string, unknown> = { type };
  for (const [name, given] of Object.entries(value)) {
    if (name === "type" || given === undefined) continue;
    if (!Object.hasOwn(fields, name))
      throw new RefusedRequest(
        `The function \`stream\` yielded the field ${textOf(name)} in a part "${type}", whose fields are ${Object.keys(fields).join(", ")}.`,
      );
    part[name] = given;
  }
  for (const [name, { fits, expected, optional }] of Object.entries(fields)) {
    const given = part[name];
    if ((given === undefined && optional === true) || fits(given)) continue;
    throw new RefusedRequest(
      `The function \`stream\` yielded a part "${type}" whose ${name} is ${textOf(given)}; it has to be ${expected}.`,
    );
  }
  return part as unknown as ProviderPart;
}

/** The JSON of the arguments of a call. */
function argumentsOf(given: string | Record<string, unknown>): string {
  if (typeof given === "string") return given;
  const refuse = (reason: string): never => {
    throw new RefusedRequest(`The function \`stream\` yielded a tool call whose arguments are no JSON: ${reason}.`);
  };
  let json: unknown;
  try {
    json = JSON.stringify(given);
  } catch (thrown) {
    return refuse(ownError(thrown).message);
  }
  // `toJSON` of an object may return any value.
  return typeof json === "string" && json.startsWith("{") ? json : refuse("their toJSON returns no object");
}

/** The namespace of the metadata in which a finish part has the cost. */
const costName = "threadhold";

/** The parts of one answer. */
export class FunctionAnswer {
  /** The open block of text or thinking. */
  #open: { kind: "text" | "reasoning"; id: string } | null = null;
  #blocks = 0;
  #usage: Omit<PartOf<"usage">, "type"> = {};
  #isFinished = false;
  readonly #ids = new DistinctIds();

  /** Whether the answer has its part `finish`. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Checks and converts the next part. Throws a RefusedRequest for a part that breaks a rule. */
  take(value: unknown): LanguageModelV3StreamPart[] {
    const part = readPart(value);
    if (this.#isFinished)
      throw new RefusedRequest(`The function \`stream\` yielded a part "${part.type}" after the part "finish".`);
    return [...this.#convert(part)];
  }

  *#convert(part: ProviderPart): Generator<LanguageModelV3StreamPart> {
    switch (part.type) {
      case "text":
      case "thinking":
        yield { type: "raw", rawValue: part };
        yield* this.#piece(part.type === "text" ? "text" : "reasoning", part.text);
        return;
      case "tool_call": {
        const input = argumentsOf(part.arguments);
        yield { type: "raw", rawValue: { ...part, arguments: input } };
        yield* this.#end();
        yield { type: "tool-call", toolCallId: this.#ids.close(part.id), toolName: part.name, input };
        return;
      }
      case "image":
        // The log has no bytes of files.
        yield { type: "raw", rawValue: { type: part.type, mimeType: part.mimeType } };
        yield* this.#end();
        yield { type: "file", mediaType: part.mimeType, data: part.data };
        return;
      case "usage": {
        const { type: _type, ...counts } = part;
        this.#usage = { ...this.#usage, ...counts };
        yield { type: "raw", rawValue: { type: part.type, ...this.#usage } };
        return;
      }
      case "finish": {
        const { cost } = this.#usage;
        this.#isFinished = true;
        yield { type: "raw", rawValue: part };
        yield* this.#end();
        yield {
          type: "finish",
          finishReason: { unified: reasons[part.reason], raw: part.reason },
          usage: sdkUsage(this.#usage),
          ...(cost === undefined ? {} : { providerMetadata: { [costName]: { cost } } }),
        };
      }
    }
  }

  *#piece(kind: "text" | "reasoning", delta: string): Generator<LanguageModelV3StreamPart> {
    if (this.#open?.kind !== kind) {
      yield* this.#end();
      this.#open = { kind, id: String(this.#blocks++) };
      yield { type: `${kind}-start`, id: this.#open.id };
    }
    yield { type: `${kind}-delta`, id: this.#open.id, delta };
  }

  *#end(): Generator<LanguageModelV3StreamPart> {
    const open = this.#open;
    this.#open = null;
    if (open !== null) yield { type: `${open.kind}-end`, id: open.id };
  }
}

function sdkUsage({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Omit<PartOf<"usage">, "type">) {
  return {
    inputTokens: { total: input + cacheRead + cacheWrite, noCache: input, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  } satisfies LanguageModelV3Usage;
}

/** The facts of a part in the log that the AI SDK's parts do not have. */
export function factsOfPart(part: Fields): ChunkFacts {
  const number = (name: string): number | null => (typeof part[name] === "number" ? part[name] : null);
  if (part["type"] === "usage") {
    const [cache_read, cache_write] = [number("cacheRead"), number("cacheWrite")];
    return { usage: { input: number("input"), output: number("output"), cache_read, cache_write } };
  }
  if (part["type"] !== "finish") return {};
  const { detail, model } = part;
  return {
    ...(typeof model === "string" ? { modelId: model } : {}),
    ...(typeof detail === "string" ? { stopDetail: detail } : {}),
  };
}

/** The cost that a finish part has, in USD; null if the function reported none. */
export function reportedCostOf(metadata: JsonObject): number | null {
  const { cost } = fieldsOf(metadata[costName]);
  return typeof cost === "number" ? cost : null;
}
