// Checks the parts of a stream that a model of the AI SDK sends, as far as the conversion relies on them: a model of a project is not one of the
// packages that this package is tested with. Parts of a newer type are left out. Invariants: metadata are JSON within a bound; the log has
// each part of a model that sends no raw chunks.

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";

import { jsonCopy } from "#core/json-copy.ts";
import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";

import { RefusedRequest } from "../../refused-request.ts";
import { textOf } from "./own-error.ts";

/** The kinds of values that fields of parts have. */
const isText = (value: unknown): boolean => typeof value === "string";
const isList = (value: unknown): boolean => Array.isArray(value);

/** A tool call without an id cannot be matched with its result. */
const isId = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The fields of each part that the conversion reads without a check. */
const rules: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  "stream-start": { warnings: isList },
  "response-metadata": { modelId: (value) => value === undefined || isText(value) },
  "text-start": { id: isText },
  "text-delta": { id: isText, delta: isText },
  "text-end": { id: isText },
  "reasoning-start": { id: isText },
  "reasoning-delta": { id: isText, delta: isText },
  "reasoning-end": { id: isText },
  "tool-input-start": { id: isId, toolName: isText },
  "tool-input-delta": { id: isId, delta: isText },
  "tool-input-end": { id: isId },
  "tool-call": { toolCallId: isId, toolName: isText, input: isText },
  "tool-result": {},
  "tool-approval-request": {},
  file: { mediaType: isText, data: (value) => typeof value === "string" || value instanceof Uint8Array },
  source: { sourceType: isText },
  raw: {},
  error: {},
  finish: {
    usage: (value) => isObject(fieldsOf(value)["inputTokens"]) && isObject(fieldsOf(value)["outputTokens"]),
    finishReason: (value) => typeof fieldsOf(value)["unified"] === "string",
  },
};

/** The longest metadata of a part, in characters. */
const longestMetadata = 256 * 1024;

/** The parts of one answer. */
export class SdkAnswer {
  #isFinished = false;
  #hasRaw = false;

  /** Whether the answer has its part `finish`. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Checks the next part. Throws a RefusedRequest for a part that breaks a rule. */
  take(value: unknown): LanguageModelV3StreamPart[] {
    const type = isObject(value) ? value["type"] : undefined;
    if (!isObject(value) || typeof type !== "string")
      throw new RefusedRequest(`The model's stream has ${textOf(value)} in place of a part of the AI SDK.`);
    if (this.#isFinished) throw new RefusedRequest(`The model's stream has a part "${type}" after the part "finish".`);
    const fields = Object.hasOwn(rules, type) ? rules[type] : undefined;
    if (fields === undefined) return [];
    for (const [name, fits] of Object.entries(fields)) {
      if (fits(value[name])) continue;
      throw new RefusedRequest(
        `The model's stream has a part "${type}" whose ${name} is ${textOf(value[name])}, which the AI SDK's specification "v3" does not allow.`,
      );
    }
    this.#isFinished = type === "finish";
    this.#hasRaw ||= type === "raw";
    const part = withJsonMetadata(value) as unknown as LanguageModelV3StreamPart;
    const isLogged = this.#hasRaw || type === "stream-start" || type === "error";
    return isLogged ? [part] : [{ type: "raw", rawValue: type === "file" ? withoutData(value) : value }, part];
  }
}

/** A file for the log. Its bytes would be a number each. */
function withoutData({ data: _data, ...others }: Fields): Fields {
  return others;
}

/** The part with a copy of its metadata, which are stored with the answer. */
function withJsonMetadata(part: Fields): Fields {
  const { providerMetadata: given } = part;
  if (given === undefined) return part;
  const { copy } = isObject(given) ? jsonCopy(given, longestMetadata) : { copy: null };
  if (copy === null)
    throw new RefusedRequest(
      `The model's stream has a part "${String(part["type"])}" whose providerMetadata are too long, or no object.`,
    );
  return { ...part, providerMetadata: copy as unknown as SharedV3ProviderMetadata };
}
