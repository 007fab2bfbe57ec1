// The run and log routes of a thread.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { refuse } from "#contract/error.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { Page } from "#contract/list-page.ts";
import type { Log } from "#contract/log-entry.ts";
import type { ListLogs } from "#contract/log-route.ts";
import type { ListRuns } from "#contract/run-route.ts";
import type { Run } from "#contract/run.ts";
import { toolCallEntries } from "#core/record/log-entries.ts";
import { logPage } from "#core/record/log-page.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { toLog, toRun, toMessage } from "#core/record/view.ts";
import { earlierMessages } from "#flow/request/history.ts";
import { sectionSources, systemPrompt } from "#flow/request/system-prompt.ts";
import { sha256Hex } from "#lib/sha256.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

import { pageBytes } from "../bounded-page.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { threadSkills } from "../run/thread-tool-sources.ts";
import type { SkillContext } from "../run/thread-tool-sources.ts";
import type { MethodGroup } from "./method-call.ts";

/**
 * The number of rows that each query after the first one reads. An input that joined another run is not listed, so the first read may not
 * fill the page.
 */
const batch = 100;

export const recordMethods: MethodGroup<"listRuns" | "getRun" | "listLogs" | "getLog"> = {
  listRuns: ({ thread }, query) => listRuns(thread().live, query),
  getRun: ({ thread }, id) => getRun(thread().live, id),
  listLogs: ({ thread }, query) => listLogs(thread().live, query),
  getLog: ({ thread }, id) => getLog(thread(), id),
};

/** A page of runs, including queued ones. An input that joined another run is not a run of its own and is not listed. */
function listRuns(live: LiveThread, query: ListRuns): Page<Run> {
  const { order, limit } = query;
  const rows: RunRecord[] = [];
  let beyond = query.cursor === undefined ? undefined : decodeCursor(query.cursor, "runs");
  for (let asked = limit + 1; rows.length <= limit; asked = batch) {
    const next = live.store.runs({ order, limit: asked, beyond });
    rows.push(...next.filter(({ joined }) => joined === undefined));
    beyond = next.at(-1)?.id;
    if (next.length < asked) break;
  }
  return page(rows, limit, { list: "runs", view: (run) => toRun(present(live, run)) });
}

/** Returns a run. Throws `run_not_found`, also for an input that joined another run. */
function getRun(live: LiveThread, id: string): Run {
  const run = live.store.run(id);
  if (run === null) throw refuse("run_not_found", `There is no run "${id}" in this thread.`);
  const { joined } = run;
  if (joined !== undefined) {
    throw refuse("run_not_found", `The input "${id}" began no run: it joined the run "${joined}".`, { run_id: joined });
  }
  return toRun(present(live, run));
}

/** The current state of a run. While a run is executed its row is outdated: the row is written when the run is suspended or ends. */
function present({ runState }: Pick<LiveThread, "runState">, run: RunRecord): RunRecord {
  const executed = runState.run;
  if (executed?.id !== run.id) return run;
  const { steps, usage, cost, spent } = executed;
  return { ...run, steps, usage, cost, spent };
}

/** A page of log entries. The row of a step contains its tool calls, so rows of all types are read for these. */
function listLogs(live: LiveThread, query: ListLogs): Page<Log> {
  const { order, limit, run_id: runId } = query;
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, "logs");
  const type = query.type === "tool_call" ? undefined : query.type;
  const { entries, next } = logPage((beyond, rows) => live.store.logs({ order, limit: rows, beyond, type, runId }), {
    order,
    limit,
    size: pageBytes,
    type: query.type,
    after,
  });
  return { items: entries.map(toLog), next_cursor: next === null ? null : encodeCursor(next, "logs") };
}

/** A log entry. For a model request it includes the request, which is rebuilt from the row. */
async function getLog(context: SkillContext, id: string): Promise<Log> {
  const [rowId = "", callId] = id.split(".", 2);
  const row = context.live.store.log(rowId);
  const missing = refuse("log_not_found", `There is no log entry "${id}" in this thread.`);
  if (row === null) throw missing;
  if (callId !== undefined) {
    const call = toolCallEntries(row).find((log) => log.id === id);
    if (call === undefined) throw missing;
    return toLog(call);
  }
  if (row.type !== "llm_request") return toLog(row);
  return toLog({ ...row, data: { ...row.data, rebuilt: await rebuiltRequest(context, row) } });
}

function page<R extends { id: string }, T>(
  rows: R[],
  limit: number,
  { list, view }: { list: string; view: (row: R) => T },
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > items.length && last !== undefined;
  return { items: items.map(view), next_cursor: more ? encodeCursor(last.id, list) : null };
}

/**
 * Builds a logged model request again: the messages from their rows, the system prompt from the definitions if its fingerprint still
 * matches. If the system prompt has changed, the result states that and does not contain it.
 */
async function rebuiltRequest(context: SkillContext, row: LogRecord): Promise<JsonObject> {
  const request = row.data["request"];
  if (typeof request !== "object" || request === null || Array.isArray(request)) return {};
  const prompt = await context.definitions.prompt(text(request["prompt"])).catch(() => null);
  const sections = sectionSources(context.definitions, threadSkills(context).section);
  const system = prompt === null ? null : await systemPrompt(prompt, sections).catch(() => null);
  const same = system !== null && (await sha256Hex(system)) === request["system_hash"];
  const messages = sentMessages(context.live, { row, request, prompt });
  return {
    system: same ? system : null,
    ...(same ? {} : { system_changed: "This request had another system prompt than the definitions give now." }),
    messages: messages as unknown as Json,
    tools: request["tools"] ?? [],
  };
}

function sentMessages(
  live: LiveThread,
  { row, request, prompt }: { row: LogRecord; request: JsonObject; prompt: AnyPromptDefinition | null },
) {
  const sent = request["messages"];
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return [];
  const first = live.store.message(text(sent["first"]));
  const last = live.store.message(text(sent["last"]));
  if (first === null || last === null) return [];
  const leftOut = new Set(Array.isArray(sent["left_out"]) ? sent["left_out"] : []);
  const head = new Set(Array.isArray(sent["head"]) ? sent["head"] : []);
  const dropped = text(sent["dropped_before"]);
  const after = live.store
    .messagesAfter(first.branch, first.position)
    .filter(({ id, position }) => position <= last.position && (position >= dropped || head.has(id)));
  const range = [first, ...after].filter((message) => !leftOut.has(message.id));
  const isOwn = (message: MessageRecord) => message.run_id === row.run_id;
  const own = range.filter(isOwn);
  const earlier = range.filter((message) => !isOwn(message));
  const kept = prompt === null ? earlier : earlierMessages(earlier, prompt, own);
  return [...kept, ...own].map(toMessage);
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
