// What people and clients say, against the schemas of the calls' tools: arguments that were changed, results of tools that say what
// theirs are made of. Told while it can be put right, not by a call that fails.

import { refuse } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import type { MessageRecord } from "#core/record.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/bounded-json.ts";
import { readTool } from "#spec/index.ts";
import type { ToolParts } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";
import type { PostedAnswer } from "./posted-answer.ts";

/**
 * The answers, with results as their tools' schemas read them. Rejects for what does not fit the tool of its call. What answers a
 * call that is not open, or was answered before, is as it was given: it is compared with what is known.
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
  const { said } = one;
  const given = said.kind === "approval" ? said.decision.args : said.given;
  if (given === undefined || name === null || !definitions.has("tools", name)) return one;
  await faults.at("results.check-values");
  const { schema, options } = readTool(await definitions.tool(name));
  if (said.kind === "approval") {
    fitting(one, { name, schema, value: said.decision.args ?? null, field: "args" });
    return one;
  }
  // A client's own tool is not the project's, whose name it may have come to share.
  const isClients = live.record.setup?.tools.some((tool) => tool.name === name) === true;
  if (options.resultSchema === undefined || said.given === undefined || isClients) return one;
  const { value, field } = said.given;
  const read = fitting(one, { name, schema: options.resultSchema, value: jsonIn(value), field });
  return { ...one, said: { ...said, answer: { ...said.answer, result: JSON.stringify(read).toWellFormed() } } };
}

interface Given {
  name: string;
  schema: ToolParts["schema"];
  value: Json;
  field: string;
}

/** What the schema makes of it. */
function fitting({ id, at }: PostedAnswer, { name, schema, value, field }: Given): Json {
  const checked = checkArguments(schema, value);
  if (checked.ok) return checked.args;
  const what = field === "args" ? "arguments of" : "result of";
  const does = field === "args" ? "do" : "does";
  throw refuse("invalid_request", `The ${what} the call "${id}" ${does} not fit "${name}". ${checked.problem}`, {
    field: `results.${at}.${field}`,
  });
}

/** Some clients have only text to answer with. */
function jsonIn(value: Json): Json {
  if (typeof value !== "string") return value;
  try {
    return parseBoundedJson(value, bodyBounds) as Json;
  } catch (thrown) {
    if (!(thrown instanceof JsonBoundError)) return value;
    const { bound, limit, message } = thrown;
    throw refuse(bound === "values" ? "too_large" : "invalid_request", `A result ${message}.`, { bound, limit });
  }
}
