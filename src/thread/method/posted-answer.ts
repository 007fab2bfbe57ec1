// One answer of a `tool-results` request, read: what it says, how large it is, what tells it from another one.

import { refuse } from "#contract/error.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { Approval } from "#core/awaited.ts";
import { jsonBytes } from "#core/cut-text.ts";
import { readToolAnswer } from "#core/tools/read-result.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { sha256Hex } from "#lib/sha256.ts";

/** Bytes of JSON of one answer: its row holds 2 MiB with everything else in it. */
const answerLimit = 1_000_000;

/**
 * Bytes of JSON of changed arguments, and of the reason of a decline: both stay in the row beside what the tool answers, the
 * reason up to three times.
 */
const decisionLimits = { args: 400_000, error: 64_000 };

/** An answer to a remote call, or a decision about one that asks for it. */
export interface PostedAnswer {
  /** Of the call. */
  id: string;
  /** Its place in the request. */
  at: number;
  /** A result also as it was `given`, and in which field. */
  said:
    | { kind: "remote"; answer: ToolResult; given?: { value: Json; field: "result" | "content" } }
    | { kind: "approval"; decision: Omit<Approval, "by" | "at"> };
  /** The same for the same answer. */
  fingerprint: string;
}

/** Reads the one at `index` of its request. Rejects for one that is too large. */
export async function readPosted(posted: PostedResult, index: number): Promise<PostedAnswer> {
  const { tool_call_id: id, approved } = posted;
  const given = approved === undefined ? answerGiven(posted) : decisionGiven(approved, posted);
  const bytes = jsonBytes(given);
  if (bytes > answerLimit) {
    const message =
      `The answer to "${id}" has ${bytes} bytes; at most ${answerLimit} are taken. ` +
      "Put it into a file of the thread and answer its path.";
    throw refuse("too_large", message, { field: `results.${index}`, limit: answerLimit });
  }
  for (const [field, limit] of Object.entries(decisionLimits) as ["args" | "error", number][]) {
    if (approved === undefined || jsonBytes(posted[field] ?? null) <= limit) continue;
    const message = `\`${field}\` of the decision about "${id}" takes more than ${limit} bytes.`;
    throw refuse("too_large", message, { field: `results.${index}.${field}`, limit });
  }
  const fingerprint = await sha256Hex(canonicalJson(given as JsonObject));
  if ("approved" in given) return { id, at: index, said: { kind: "approval", decision: given }, fingerprint };
  const { attachments: _, stack: __, ...answer } = readToolAnswer(given);
  const value = posted.error === undefined ? valueOf(posted) : undefined;
  const field = posted.content === undefined ? "result" : "content";
  const said = {
    kind: "remote" as const,
    answer,
    ...(value === undefined ? {} : { given: { value, field } as const }),
  };
  return { id, at: index, said, fingerprint };
}

function answerGiven(posted: PostedResult): ToolResult {
  const { error, details } = posted;
  const more = details === undefined ? {} : { details };
  if (error !== undefined) return { status: "error", error, ...more };
  const said = valueOf(posted);
  return { status: "success", result: typeof said === "string" ? said : JSON.stringify(said), ...more };
}

/** A result as it was given. */
function valueOf({ result, content }: PostedResult): Json | undefined {
  if (content === undefined) return result;
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

function decisionGiven(approved: boolean, { args, error }: PostedResult): Omit<Approval, "by" | "at"> {
  return {
    approved,
    ...(args === undefined ? {} : { args }),
    ...(error === undefined ? {} : { reason: error.toWellFormed() }),
  };
}
