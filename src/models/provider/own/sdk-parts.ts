// Checks the parts of a stream that a model of the AI SDK sends, as far as the conversion relies on them: a model of a project is not one of the
// packages that this package is tested with. Parts of a newer type are left out. Invariants: metadata and what is logged are JSON within a
// bound; the log has each part of a model that sends no raw chunks; calls of one answer have different ids.

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";

import { jsonCopy } from "#core/record/json-copy.ts";
import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { RefusedRequest } from "../../refused-request.ts";
import { DistinctIds } from "./distinct-ids.ts";
import { ownError, textOf } from "./own-error.ts";

/** The kinds of values that fields of parts have. */
const isText = (value: unknown): boolean => typeof value === "string";
const isList = (value: unknown): boolean => Array.isArray(value);

/** The longest name of a tool, of a model and of a call. They are stored with the answer. */
const longestName = 1_000;
const isName = (value: unknown): boolean => typeof value === "string" && value.length <= longestName;

/** A tool call without an id cannot be matched with its result. */
const isId = (value: unknown): boolean => isName(value) && value !== "";

/** The fields of each part that the conversion reads without a check. */
const rules: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  "stream-start": { warnings: isList },
  "response-metadata": { modelId: (value) => value === undefined || isName(value) },
  "text-start": { id: isText },
  "text-delta": { id: isText, delta: isText },
  "text-end": { id: isText },
  "reasoning-start": { id: isText },
  "reasoning-delta": { id: isText, delta: isText },
  "reasoning-end": { id: isText },
  "tool-input-start": { id: isId, toolName: isName },
  "tool-input-delta": { id: isId, delta: isText },
  "tool-input-end": { id: isId },
  "tool-call": { toolCallId: isId, toolName: isName, input: isText },
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

/** The longest metadata of a part, and of all parts of an answer, in characters. */
const longestMetadata = 256 * 1024;
const longestOfAnswer = 8 * 1024 * 1024;

/** The longest chunk in the log, in characters. */
const longestChunk = 512 * 1024;

/** The parts of one answer. */
export class SdkAnswer {
  #isFinished = false;
  #hasRaw = false;
  #remaining = longestOfAnswer;
  readonly #ids = new DistinctIds();

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
    const part = this.#convert(value, type) as unknown as LanguageModelV3StreamPart;
    const isLogged = this.#hasRaw || type === "stream-start" || type === "error";
    if (isLogged) return [part];
    return [{ type: "raw", rawValue: loggedValue(type === "file" ? withoutData(value) : value) }, part];
  }

  #convert(given: Fields, type: string): Fields {
    const part = this.#withJsonMetadata(given);
    if (type === "error") return { type, error: reportedError(part["error"]) };
    if (type === "raw") return { type, rawValue: loggedValue(part["rawValue"]) };
    if (type === "stream-start") return { type, warnings: loggedValue(part["warnings"]) ?? [] };
    if (type === "tool-call") return { ...part, toolCallId: this.#ids.close(String(part["toolCallId"])) };
    return type.startsWith("tool-input-") ? { ...part, id: this.#ids.open(String(part["id"])) } : part;
  }

  /** The part with a copy of its metadata, which are stored with the answer. */
  #withJsonMetadata(part: Fields): Fields {
    const { providerMetadata: given } = part;
    if (given === undefined) return part;
    const limit = Math.min(longestMetadata, this.#remaining);
    const { copy } = isObject(given) ? jsonCopy(given, limit) : { copy: null };
    if (copy === null)
      throw new RefusedRequest(
        `The model's stream has a part "${String(part["type"])}" whose providerMetadata are too long, or no object.`,
      );
    this.#remaining -= JSON.stringify(copy).length;
    return { ...part, providerMetadata: copy as unknown as SharedV3ProviderMetadata };
  }
}

/** The error that a stream reports: an error of the program, or the JSON that its server sent. */
function reportedError(given: unknown): unknown {
  if (given instanceof Error) return ownError(given);
  return typeof given === "string" ? given : loggedValue(given);
}

/** The JSON of a value for the log; null for a value that is no JSON, or too long. The log never ends an answer. */
function loggedValue(value: unknown): unknown {
  try {
    const json = parseOwnJson(JSON.stringify(value));
    return jsonCopy({ json }, longestChunk).copy?.["json"] ?? null;
  } catch {
    return null;
  }
}

/** A file for the log. Its bytes would be a number each. */
function withoutData({ data: _data, ...others }: Fields): Fields {
  return others;
}
