// Converts what a tool returned or threw to a well-formed result. `readToolAnswer` keeps texts of any length. `fitResult` shortens them
// to what fits a row, after longer texts were stored as files. The bounds and the texts of errors are settings of a run.

import { z } from "zod";

import { attachmentLimit, attachmentRefSchema } from "#contract/attachment.ts";
import type { ToolResult } from "#contract/call-result.ts";
import { jsonSchema } from "#contract/json.ts";
import { cutText, jsonBytes, errorMessage } from "#lib/cut-text.ts";
import { textOrJson } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import type { ToolAnswer } from "../record/awaited.ts";
import { errorResult, threadErrorTexts } from "./error-results.ts";
import type { CallErrorTexts } from "./error-results.ts";
import { readContent } from "./result-content.ts";

/**
 * The maximum number of bytes of JSON of a result's text. A row has at most 2 MiB, and contains the text up to three times: as the
 * message's text, as `result` and as `error`.
 */
export const resultLimit = 300_000;

/** The maximum number of bytes of JSON for each part of a tool's result, and the texts of error results. */
export interface ResultSettings {
  /** The bound of `result` and of `error`. Longer text is shortened. */
  text: number;
  /** The bound of `details`. Larger ones are dropped, because an object cannot be shortened. */
  details: number;
  /** The bound of an error's stack. The log row of a step holds the stacks of all its calls. */
  stack: number;
  /** Whether the call's message contains the bytes of images and files. A row does not: it refers to files of the thread. */
  keepsBytes: boolean;
  errors: CallErrorTexts;
}

/** The settings of results that are stored in rows of a thread. */
export const threadResults: ResultSettings = {
  text: resultLimit,
  details: 200_000,
  stack: 4096,
  keepsBytes: false,
  errors: threadErrorTexts,
};

/** The settings of results that are not stored in a row: there are no bounds. */
export const unboundedResults: ResultSettings = {
  text: Infinity,
  details: Infinity,
  stack: Infinity,
  keepsBytes: true,
  errors: threadErrorTexts,
};

const answerSchema = z.object({
  status: z.enum(["success", "error"]),
  result: z.string().nullish(),
  error: z.string().nullish(),
  stack: z.string().nullish(),
  details: z.unknown().optional(),
  attachments: z.unknown().optional(),
  content: z.unknown().optional(),
  value: z.unknown().optional(),
});

/**
 * The result with texts of any length and unchecked attachments, to which the texts and files of its `content` are added. Contract: never
 * throws.
 */
export function readToolAnswer(returned: unknown, settings: ResultSettings = threadResults): ToolAnswer {
  const answer = parse(returned);
  if (answer === null) return errorResult(settings.errors.noResult());
  const { status, stack, details, attachments, value } = answer;
  const { texts, files, notes } = readContent(answer.content);
  const list: readonly unknown[] = attachments == null ? [] : Array.isArray(attachments) ? attachments : [attachments];
  const isError = status === "error";
  const returnedText = (isError ? (answer.error ?? answer.result) : answer.result) ?? undefined;
  const json = value === undefined ? undefined : textOf(value);
  const given = texts.length === 0 ? returnedText : [returnedText, ...texts].filter(Boolean).join("\n");
  // The JSON of the value is the text if nothing else of the result can be read. An image or a file can be read.
  const isReadable = list.length + files.length > 0 || (given !== undefined && isVisible(given));
  const shown = isReadable || json === undefined ? given : json;
  if (shown === null) return errorResult(settings.errors.noJson());
  const text = notes.length === 0 ? shown : [shown, ...notes].filter(Boolean).join("\n");
  const result = isError ? (answer.result ?? undefined) : text;
  return {
    status,
    ...(result === undefined ? {} : { result: result.toWellFormed() }),
    ...(isError ? { error: errorText(text) ?? settings.errors.noReason() } : {}),
    ...(stack == null ? {} : { stack: cutText(stack, settings.stack) }),
    // A value whose JSON is the text already is not stored twice.
    ...keptDetails(details === undefined && json !== text ? value : details, settings),
    ...(list.length + files.length === 0 ? {} : { attachments: [...list, ...files] }),
    ...(value === undefined ? {} : { value }),
  };
}

/** The text of an error as well-formed text; null if there is none that can be read. */
function errorText(text: string | undefined): string | null {
  return text === undefined || !isVisible(text) ? null : text.toWellFormed();
}

/** The result within its bounds: longer text is cut, and attachments that are not files of the thread are dropped. Never throws. */
export function fitResult(answer: unknown, settings: ResultSettings = threadResults): ToolResult & { stack?: string } {
  const { status, result, error, stack, details, attachments } = readToolAnswer(answer, settings);
  const refs = (attachments ?? []).flatMap((one) => attachmentRefSchema.safeParse(one).data ?? []);
  return {
    status,
    ...(result === undefined ? {} : { result: cutText(result, settings.text) }),
    ...(error === undefined ? {} : { error: cutText(error, settings.text) }),
    ...(stack === undefined ? {} : { stack }),
    ...(details === undefined ? {} : { details }),
    ...(refs.length === 0 ? {} : { attachments: refs.slice(0, attachmentLimit) }),
  };
}

/** Parses a returned value as a result; null for any other value. A getter of the value may throw. */
function parse(returned: unknown): z.infer<typeof answerSchema> | null {
  try {
    return answerSchema.safeParse(returned).data ?? null;
  } catch {
    return null;
  }
}

/** A text, or the JSON of a value; null for a value that has no JSON. */
function textOf(value: unknown): string | null {
  try {
    // JSON.stringify returns undefined for a function or a symbol.
    return (textOrJson(value) as string | undefined) ?? null;
  } catch {
    return null;
  }
}

function keptDetails(details: unknown, bounds: ResultSettings): Pick<ToolAnswer, "details"> {
  if (details === undefined) return {};
  try {
    const json = jsonSchema.safeParse(details);
    return json.success && jsonBytes(json.data) <= bounds.details ? { details: json.data } : {};
  } catch {
    // A circular value, or one nested deeper than the stack, has no JSON.
    return {};
  }
}

/** The error result of a tool that threw. */
export function thrownResult(thrown: unknown, settings: ResultSettings = threadResults): ToolAnswer {
  const message = errorMessage(thrown);
  const error = thrown instanceof Error ? message : settings.errors.threw(message);
  return errorResult(cutText(error, settings.text), stackOf(thrown, settings));
}

/** The property `stack` of an error may have any type, or throw. */
function stackOf(thrown: unknown, bounds: ResultSettings): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === "string" ? cutText(stack, bounds.stack) : undefined;
  } catch {
    return undefined;
  }
}
