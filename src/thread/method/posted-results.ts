// Reads the results and approvals of a request: checks their size, and checks them against the schemas of their tools. Nothing is stored
// before, so a client can correct an invalid one and send it again.

import { refuse } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { Approval, ToolAnswer } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { readToolAnswer } from "#core/tools/read-result.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { sha256Hex } from "#lib/sha256.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import { readTool } from "#spec/index.ts";
import type { ToolParts } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";

/** The maximum number of bytes of JSON of one result. The call's row has at most 2 MiB and contains other data too. */
const resultLimit = 1_000_000;

/**
 * The maximum number of bytes of JSON of changed arguments, and of the reason of a declined call. The row stores both in addition to the
 * tool's result, and the reason up to three times.
 */
const approvalLimits = { args: 400_000, error: 64_000 };

/** The result of a remote call, or the decision about a call that needs an approval. */
export interface PostedAnswer {
  /** The id of the call. */
  id: string;
  /** The index of the answer in the request. */
  at: number;
  /** `given` is a successful result before its conversion to text, with the name of the field that contained it. */
  content:
    | { kind: "remote"; answer: ToolAnswer; given?: { value: Json; field: "result" | "content" } }
    | { kind: "approval"; decision: Omit<Approval, "by" | "at"> };
  /** A hash that is equal for equal answers. It identifies a repeated request. */
  fingerprint: string;
}

/** Reads the answer at `index` of its request. Rejects if it is too large. */
export async function readPosted(posted: PostedResult, index: number): Promise<PostedAnswer> {
  const { tool_call_id: id, approved } = posted;
  const given = approved === undefined ? resultIn(posted) : decisionIn(approved, posted);
  const bytes = jsonBytes(given);
  if (bytes > resultLimit) {
    const message =
      `The answer to "${id}" has ${bytes} bytes; at most ${resultLimit} are taken. ` +
      "Put it into a file of the thread and answer its path.";
    throw refuse("too_large", message, { field: `results.${index}`, tool_call_id: id, limit: resultLimit });
  }
  for (const [field, limit] of Object.entries(approvalLimits) as ["args" | "error", number][]) {
    if (approved === undefined || jsonBytes(posted[field] ?? null) <= limit) continue;
    const message = `\`${field}\` of the decision about "${id}" takes more than ${limit} bytes.`;
    throw refuse("too_large", message, { field: `results.${index}.${field}`, tool_call_id: id, limit });
  }
  const fingerprint = await sha256Hex(canonicalJson(given as JsonObject));
  if ("approved" in given) return { id, at: index, content: { kind: "approval", decision: given }, fingerprint };
  const { stack: _, ...answer } = readToolAnswer(given);
  const value = posted.error === undefined ? valueOf(posted) : undefined;
  const field = posted.content === undefined ? "result" : "content";
  const content = {
    kind: "remote" as const,
    answer,
    ...(value === undefined ? {} : { given: { value, field } as const }),
  };
  return { id, at: index, content, fingerprint };
}

function resultIn(posted: PostedResult): ToolAnswer {
  const { error, details } = posted;
  const more = details === undefined ? {} : { details };
  if (error !== undefined) return { status: "error", error, ...more };
  const value = valueOf(posted);
  const attachments = attachmentsIn(posted);
  return {
    status: "success",
    result: typeof value === "string" ? value : JSON.stringify(value),
    ...more,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** The images and files of a result, in the form of a tool's attachments. */
function attachmentsIn({ content }: PostedResult): JsonObject[] {
  if (content === undefined || typeof content === "string") return [];
  return content.flatMap((part): JsonObject[] => {
    if (part.type === "text") return [];
    const { name = "", mime_type: mimeType, data, path } = part;
    if (path !== undefined) return [{ path }];
    return data === undefined ? [] : [{ name, mimeType, data }];
  });
}

/** A result before it is converted to text. */
function valueOf({ result, content }: PostedResult): Json | undefined {
  if (content === undefined) return result;
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function decisionIn(approved: boolean, { args, error }: PostedResult): Omit<Approval, "by" | "at"> {
  return {
    approved,
    ...(args === undefined ? {} : { args }),
    ...(error === undefined ? {} : { reason: error.toWellFormed() }),
  };
}

/**
 * Checks the answers to open calls: changed arguments against the tool's schema, results against its result schema, if it has one. Returns
 * results as the schema parsed them. Refuses invalid ones. Answers to other calls are not checked, only compared with the stored ones.
 */
export async function checkedValues(
  context: ObjectContext,
  posted: readonly PostedAnswer[],
  open: readonly MessageRecord[],
): Promise<PostedAnswer[]> {
  const checked: PostedAnswer[] = [];
  for (const one of posted) {
    const row = open.find(({ tool_call_id }) => tool_call_id === one.id);
    checked.push(row?.answered === undefined ? await checkedValue(context, one, row?.name ?? null) : one);
  }
  return checked;
}

async function checkedValue(
  { definitions, faults, live }: ObjectContext,
  one: PostedAnswer,
  name: string | null,
): Promise<PostedAnswer> {
  const { content } = one;
  const given = content.kind === "approval" ? content.decision.args : content.given;
  if (given === undefined || name === null || !definitions.has("tools", name)) return one;
  await faults.at("results.check-values");
  const { schema, options } = readTool(await definitions.tool(name));
  if (content.kind === "approval") {
    parse(one, { name, schema, value: content.decision.args ?? null, field: "args" });
    return one;
  }
  // A tool of the thread's client may have the name of a tool of the project, whose schema is not the client's.
  const isClients = live.record.setup?.tools.some((tool) => tool.name === name) === true;
  if (options.resultSchema === undefined || content.given === undefined || isClients) return one;
  const { value, field } = content.given;
  const parsed = parse(one, { name, schema: options.resultSchema, value: jsonIn(value, one, field), field });
  return {
    ...one,
    content: { ...content, answer: { ...content.answer, result: JSON.stringify(parsed).toWellFormed() } },
  };
}

interface CheckedField {
  name: string;
  schema: ToolParts["schema"];
  value: Json;
  field: string;
}

function parse({ id, at }: PostedAnswer, { name, schema, value, field }: CheckedField): Json {
  const checked = checkArguments(schema, value);
  if (checked.ok) return checked.args;
  const what = field === "args" ? "arguments of" : "result of";
  const does = field === "args" ? "do" : "does";
  throw refuse("invalid_request", `The ${what} the call "${id}" ${does} not fit "${name}". ${checked.problem}`, {
    field: `results.${at}.${field}`,
    tool_call_id: id,
  });
}

/** The JSON in a text, because some clients can only send text. Other text is returned as it is. */
function jsonIn(value: Json, { id, at }: PostedAnswer, name: string): Json {
  if (typeof value !== "string") return value;
  try {
    return parseBoundedJson(value, bodyBounds) as Json;
  } catch (thrown) {
    if (!(thrown instanceof JsonBoundError)) return value;
    const { bound, limit, message } = thrown;
    const details = { field: `results.${at}.${name}`, tool_call_id: id, bound, limit };
    throw refuse(
      bound === "values" ? "too_large" : "invalid_request",
      `The result of the call "${id}" ${message}.`,
      details,
    );
  }
}
