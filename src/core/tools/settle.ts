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

/** Bytes of JSON that `details` may take; larger ones are left out, since half an object is none. */
const detailsLimit = 200_000;

/** Bytes of JSON that a stack may take. Every call of a step has its stack in the one log row of that step. */
const stackLimit = 4096;

const answerSchema = z.object({
  status: z.enum(["success", "error"]),
  result: z.string().nullish(),
  error: z.string().nullish(),
  stack: z.string().nullish(),
  details: z.unknown().optional(),
  attachments: z.unknown().optional(),
});

/** What a tool said, whole: texts of any length, attachments as it gave them. Contract: never throws. */
export function readAnswer(said: unknown): ToolAnswer {
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
    ...(stack == null ? {} : { stack: cutText(stack, stackLimit) }),
    ...keptDetails(details),
    ...(offered.length === 0 ? {} : { attachments: offered }),
  };
}

/** An answer that fits a row: long text cut, and of the attachments those that are files of the thread. Never throws. */
export function settle(said: unknown): ToolResult & { stack?: string } {
  const { status, result, error, stack, details, attachments } = readAnswer(said);
  const refs = (attachments ?? []).flatMap((one) => attachmentRefSchema.safeParse(one).data ?? []);
  return {
    status,
    ...(result === undefined ? {} : { result: cutText(result, resultLimit) }),
    ...(error === undefined ? {} : { error: cutText(error, resultLimit) }),
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

function keptDetails(details: unknown): Pick<ToolAnswer, "details"> {
  if (details === undefined) return {};
  try {
    const json = jsonSchema.safeParse(details);
    return json.success && jsonBytes(json.data) <= detailsLimit ? { details: json.data } : {};
  } catch {
    // A circle, or nested deeper than the stack: no JSON either.
    return {};
  }
}

/** Turns anything thrown into an answer. */
export function settleThrown(thrown: unknown): ToolAnswer {
  const words = wordsOf(thrown);
  const said = thrown instanceof Error ? words : `The tool threw: ${words}`;
  return failed(cutText(said, resultLimit), stackOf(thrown));
}

/** An error may claim anything for its stack. */
function stackOf(thrown: unknown): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === "string" ? cutText(stack, stackLimit) : undefined;
  } catch {
    return undefined;
  }
}
