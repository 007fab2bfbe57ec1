// Converts what a tool returned or threw to a well-formed result. `readToolAnswer` keeps texts of any length. `fitResult` shortens them
// to what fits a row, after longer texts were stored as files.

import { z } from "zod";

import { attachmentLimit, attachmentRefSchema } from "#contract/attachment.ts";
import type { ToolResult } from "#contract/call-result.ts";
import { jsonSchema } from "#contract/json.ts";

import { cutText, jsonBytes, errorMessage } from "../cut-text.ts";
import type { ToolAnswer } from "../ports/tool-port.ts";
import { errorResult } from "./error-results.ts";

/**
 * The most bytes of JSON of a result's text. A row has at most 2 MiB, and contains the text up to three times: as the message's text,
 * as `result` and as `error`.
 */
export const resultLimit = 300_000;

/** The most bytes of JSON for each part of a tool's result. */
export interface ResultBounds {
  /** The bound of `result` and of `error`. Longer text is shortened. */
  text: number;
  /** The bound of `details`. Larger ones are dropped, because an object cannot be shortened. */
  details: number;
  /** The bound of an error's stack. The log row of a step holds the stacks of all its calls. */
  stack: number;
}

/** The bounds of results that are stored in rows of a thread. */
const rowBounds: ResultBounds = { text: resultLimit, details: 200_000, stack: 4096 };

/** No bounds, for results that are not stored in a row. */
export const noResultBounds: ResultBounds = { text: Infinity, details: Infinity, stack: Infinity };

const answerSchema = z.object({
  status: z.enum(["success", "error"]),
  result: z.string().nullish(),
  error: z.string().nullish(),
  stack: z.string().nullish(),
  details: z.unknown().optional(),
  attachments: z.unknown().optional(),
});

/** The result with texts of any length and unchecked attachments. Contract: never throws. */
export function readToolAnswer(returned: unknown, bounds: ResultBounds = rowBounds): ToolAnswer {
  const answer = parse(returned);
  if (answer === null) {
    return errorResult('The tool returned no result. It must return {status: "success" | "error", …}.');
  }
  const { status, result, error, stack, details, attachments } = answer;
  const list: readonly unknown[] = attachments == null ? [] : Array.isArray(attachments) ? attachments : [attachments];
  return {
    status,
    ...(result == null ? {} : { result: result.toWellFormed() }),
    ...(status === "error" ? { error: (error ?? result ?? "The tool failed without saying why.").toWellFormed() } : {}),
    ...(stack == null ? {} : { stack: cutText(stack, bounds.stack) }),
    ...keptDetails(details, bounds),
    ...(list.length === 0 ? {} : { attachments: list }),
  };
}

/** The result within its bounds: longer text is cut, and attachments that are not files of the thread are dropped. Never throws. */
export function fitResult(answer: unknown, bounds: ResultBounds = rowBounds): ToolResult & { stack?: string } {
  const { status, result, error, stack, details, attachments } = readToolAnswer(answer, bounds);
  const refs = (attachments ?? []).flatMap((one) => attachmentRefSchema.safeParse(one).data ?? []);
  return {
    status,
    ...(result === undefined ? {} : { result: cutText(result, bounds.text) }),
    ...(error === undefined ? {} : { error: cutText(error, bounds.text) }),
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

function keptDetails(details: unknown, bounds: ResultBounds): Pick<ToolAnswer, "details"> {
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
export function thrownResult(thrown: unknown, bounds: ResultBounds = rowBounds): ToolAnswer {
  const message = errorMessage(thrown);
  const error = thrown instanceof Error ? message : `The tool threw: ${message}`;
  return errorResult(cutText(error, bounds.text), stackOf(thrown, bounds));
}

/** The property `stack` of an error may have any type, or throw. */
function stackOf(thrown: unknown, bounds: ResultBounds): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === "string" ? cutText(stack, bounds.stack) : undefined;
  } catch {
    return undefined;
  }
}
