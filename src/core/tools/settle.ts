// Makes a well-formed answer of whatever a tool said: first one that may be of any size, then, once its files are stored,
// one that fits a row. Text that is still over the limit then is cut and says so.

import { z } from "zod";

import { attachmentLimit, attachmentRefSchema } from "#contract/attachment.ts";
import { jsonSchema } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";

import { cutText, jsonBytes, wordsOf } from "../cut-text.ts";
import type { ToolAnswer } from "../ports/tool-port.ts";
import { failed } from "./outcome.ts";

/**
 * Bytes of JSON that a text of a result may take. A row holds 2 MiB at most and carries the text up to three times: as the
 * message's words, as `result` and as `error`.
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

/** What a tool said, whole: texts of any length, attachments as it gave them. Contract: never throws. */
export function readAnswer(said: unknown, bounds: ResultBounds = rowBounds): ToolAnswer {
  const answer = read(said);
  if (answer === null) {
    return failed('The tool returned no result. It must return {status: "success" | "error", …}.');
  }
  const { status, result, error, stack, details, attachments } = answer;
  const offered: readonly unknown[] =
    attachments == null ? [] : Array.isArray(attachments) ? attachments : [attachments];
  return {
    status,
    ...(result == null ? {} : { result: result.toWellFormed() }),
    ...(status === "error" ? { error: (error ?? result ?? "The tool failed without saying why.").toWellFormed() } : {}),
    ...(stack == null ? {} : { stack: cutText(stack, bounds.stack) }),
    ...keptDetails(details, bounds),
    ...(offered.length === 0 ? {} : { attachments: offered }),
  };
}

/** An answer that fits its bounds: long text cut, and of the attachments those that are files of the thread. Never throws. */
export function settle(said: unknown, bounds: ResultBounds = rowBounds): ToolResult & { stack?: string } {
  const { status, result, error, stack, details, attachments } = readAnswer(said, bounds);
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

/** Null for what is no answer. A getter may throw while it is read. */
function read(said: unknown): z.infer<typeof answerSchema> | null {
  try {
    return answerSchema.safeParse(said).data ?? null;
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
    // A circle, or nested deeper than the stack: no JSON either.
    return {};
  }
}

/** Turns anything thrown into an answer. */
export function settleThrown(thrown: unknown, bounds: ResultBounds = rowBounds): ToolAnswer {
  const words = wordsOf(thrown);
  const said = thrown instanceof Error ? words : `The tool threw: ${words}`;
  return failed(cutText(said, bounds.text), stackOf(thrown, bounds));
}

/** An error may claim anything for its stack. */
function stackOf(thrown: unknown, bounds: ResultBounds): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === "string" ? cutText(stack, bounds.stack) : undefined;
  } catch {
    return undefined;
  }
}
