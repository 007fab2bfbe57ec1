// Writes the transcript of a play as text: its requests and answers, events, rows, and what the API returns after it.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";

import type { Json } from "#contract/json.ts";
import { dayOf } from "#store/catalog/run-total.ts";

import { testClock } from "../worker/clock.ts";
import { EventReader } from "./event-reader.ts";
import { eventSections, PublishedEvents } from "./events.ts";
import { asText, line, Names, sorted } from "./normal-form.ts";
import { once } from "./once.ts";
import { requestLines } from "./request-lines.ts";
import type { Stage } from "./stage.ts";

type Row = Record<string, Json>;

/** Rows of one table. */
interface Table {
  name: string;
  rows: Row[];
}

/** Response headers that the transcript shows. The content type is left out if it is the usual JSON. */
const answerHeaders = [
  "content-type",
  "location",
  "retry-after",
  "x-session-id",
  "content-disposition",
  "content-range",
];

/** Fields of responses that hold a list of items. */
const lists = new Set(["messages", "runs", "logs", "queue", "entries", "threads", "usage"]);

/** Returns the transcript of a finished play, and ends its readers. */
export async function transcriptOf(stage: Stage): Promise<string> {
  await addChildren(stage);
  const names = new Names();
  for (const server of ["modelServer", "outboundServer", "effectServer"] as const)
    names.giveText(new URL(inject(server)).host, `<${server}>`);
  const stored = await Promise.all(stage.threads.map((id) => tablesOf(id)));
  giveNames(names, stage.threads, stored);
  const published = new PublishedEvents();
  const events = await eventSections(stage, published);
  const sections = [
    ["# requests to the API", ...stage.exchanges.flatMap(exchangeLines)],
    ["# requests to models", ...(await requestLines(stage))],
    ["# rows written and read, alarms set", ...turnLines(stage)],
    ...events,
    ["# feed: the first and the last frame", ...feedLines(stage)],
    ...stored.map((tables, at) => {
      const id = stage.threads[at] ?? "";
      const named = tables.map(({ name, rows }) => ({
        name,
        rows: rows.map((row) => published.named(id, row) as Row),
      }));
      return [`# rows of ${id}`, ...named.flatMap(rowLines)];
    }),
    ["# catalog", ...(await catalogTables(stage)).flatMap(rowLines)],
    ...(await answerSections(stage, published)),
  ];
  return `${once(sections.map((lines) => lines.map((text) => names.in(text))))}\n`;
}

/** Adds the child threads to the threads of the play. */
async function addChildren(stage: Stage): Promise<void> {
  for (const id of stage.threads) {
    const reader = new EventReader(
      await stage.send("GET", `/api/threads/${id}/events?after=0&until=idle&types=subagent_start`),
    );
    await reader.ended;
    for (const { child_thread_id: child } of reader.events)
      if (typeof child === "string" && !stage.threads.includes(child)) stage.threads.push(child);
  }
  await stage.settled();
}

function exchangeLines({ method, path, body, status, answer, headers }: Stage["exchanges"][number]): string[] {
  const head = `${method} ${path}`;
  const shown = answerHeaders
    .filter((name) => headers[name] !== undefined && headers[name] !== "application/json; charset=utf-8")
    .map((name) => ` ${name}: ${headers[name] ?? ""}`);
  return [
    body === undefined ? head : typeof body === "string" ? `${head} ${JSON.stringify(body)}` : line(head, body),
    ...answerLines(`  ${String(status)}${shown.join(";")}`, answer),
  ];
}

/** A response body: one line for JSON, and one more for each item of its list. Text becomes one line for each of its lines. */
function answerLines(head: string, answer: string, as: (value: Json) => Json = (value) => value): string[] {
  if (answer === "") return [head];
  const parsed = parsedJson(answer);
  if (parsed === undefined) return [head, ...answer.split("\n").flatMap((text) => textLine(text, as))];
  const list = Object.entries(parsed ?? {}).find((entry): entry is [string, Json[]] => lists.has(entry[0]));
  if (list === undefined || !Array.isArray(list[1])) return [line(head, parsed)];
  const [name, items] = list;
  return [line(head, { ...(parsed as Row), [name]: items.length }), ...items.map((item) => line(`    ${name}`, item))];
}

/** A line of text. The part after its first word may be JSON. */
function textLine(text: string, as: (value: Json) => Json): string[] {
  if (text === "" || text.startsWith(": ")) return [];
  const at = text.startsWith("{") ? 0 : text.indexOf(" ");
  const parsed = at === -1 ? undefined : parsedJson(text.slice(at));
  return [parsed === undefined ? `    ${JSON.stringify(text)}` : line(`    ${text.slice(0, at)}`, as(parsed))];
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function turnLines({ turns, play }: Stage): string[] {
  return turns.map(({ name, written, read, alarms, alarm }) => {
    const counts = play.uncounted === true ? "not counted" : `${written} written, ${read} read, ${alarms} alarms`;
    return `${name}: ${counts}${alarm ? ", an alarm is set" : ""}`;
  });
}

/** The first and the last frame of each thread. The feed merges frames in between, and which ones depends on timing. */
function feedLines({ feed, threads }: Stage): string[] {
  const frames = (feed?.events ?? []).map((event) => ({ ...event, seq: 0 }));
  return threads.flatMap((id) => {
    const own = frames.filter(
      (event) => ("thread" in event ? event.thread.id : "thread_id" in event && event.thread_id) === id,
    );
    const shown = own.length > 1 ? [own[0], own.at(-1)] : own;
    return shown.map((frame) => line(id, frame));
  });
}

/** The tables of an object, with their rows in the order of the keys. */
async function tablesOf(id: string): Promise<Table[]> {
  const stub = env.THREADS.get(env.THREADS.idFromName(id));
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
      )
      .toArray();
    return tables.map(({ name }) => ({
      name,
      rows: sql
        .exec(`SELECT * FROM "${name}" ORDER BY 1, 2`)
        .toArray()
        .map((row) => Object.fromEntries(Object.entries(row).map(([field, value]) => [field, columnOf(value)]))),
    }));
  });
}

function columnOf(value: unknown): Json {
  if (value instanceof ArrayBuffer) return `${String(value.byteLength)} bytes`;
  return typeof value === "string" && value.startsWith("{") ? (parsedJson(value) ?? value) : (value as Json);
}

/** The row without the columns whose values its body repeats. */
function withoutRepeated(row: Row): Row {
  const body = row["body"];
  if (typeof body !== "object" || body === null || Array.isArray(body)) return row;
  return Object.fromEntries(Object.entries(row).filter(([field, value]) => field === "body" || body[field] !== value));
}

function rowLines({ name, rows }: Table): string[] {
  return rows.map((row) => line(name, sorted(withoutRepeated(row))));
}

/** Names ids by their place: the threads of the play, then the runs, messages and log rows of each. */
function giveNames(names: Names, threads: readonly string[], stored: readonly Table[][]): void {
  for (const id of threads) names.give("thread", id);
  for (const tables of stored)
    for (const kind of ["branch", "run", "message", "log"])
      for (const row of tables.find(({ name }) => name === kind)?.rows ?? []) names.give(kind, asText(row["id"]));
}

async function catalogTables({ owner, threads }: Stage): Promise<Table[]> {
  const list = threads.map(() => "?").join();
  const queries: [name: string, query: string, values: string[]][] = [
    ["thread", `SELECT * FROM thread WHERE id IN (${list}) ORDER BY id`, threads],
    ["removed_thread", `SELECT * FROM removed_thread WHERE id IN (${list}) ORDER BY id`, threads],
    ["run_total", `SELECT * FROM run_total WHERE thread_id IN (${list}) ORDER BY run_id, model`, threads],
    ["creation", "SELECT * FROM creation WHERE owner = ? ORDER BY key", [owner]],
  ];
  const order = new Map(threads.map((id, at) => [id, at]));
  const placeOf = (row: Row): number => order.get(asText(row["thread_id"] ?? row["id"])) ?? 0;
  return Promise.all(
    queries.map(async ([name, query, values]) => {
      const { results } = await env.CATALOG.prepare(query)
        .bind(...values)
        .all<Row>();
      const rows = results.map((row) =>
        Object.fromEntries(Object.entries(row).map(([field, value]) => [field, columnOf(value)])),
      );
      return { name, rows: rows.toSorted((left, right) => placeOf(left) - placeOf(right)) };
    }),
  );
}

/** The list of logs in the order of storing. The route orders them by time, and two entries of one millisecond have no fixed order. */
function logsById(text: string): string {
  const list = JSON.parse(text) as { logs?: { id: string }[] };
  if (list.logs === undefined) return text;
  const keyOf = ({ id }: { id: string }): string =>
    id.replace(/\.(\d+)$/, (_, index: string) => `.${index.padStart(4, "0")}`);
  return JSON.stringify({ ...list, logs: list.logs.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)) });
}

async function answerSections(stage: Stage, published: PublishedEvents): Promise<string[][]> {
  if (stage.threads.length === 0) return [];
  const of = async (path: string, query = "", read = (text: string) => text): Promise<string[]> => {
    const response = await stage.send("GET", path + query);
    const text = read(new TextDecoder().decode(await response.arrayBuffer()));
    return answerLines(`GET ${path} ${String(response.status)}`, text, (value) => published.named(stage.id, value));
  };
  const thread = `/api/threads/${stage.id}`;
  // The clock of a play is ahead of the report's, which ends today: in the last hour of a day the runs are of tomorrow.
  const untilNow = `?to=${dayOf(testClock.now())}`;
  const requested = [
    "",
    "/messages?include_silent=true&limit=1000",
    "/runs?order=asc",
    "/queue",
    "/files",
    "/files-stats",
  ];
  const lines = await Promise.all(requested.map((path) => of(thread + path)));
  return [
    ["# answers after the play", ...lines.flat(), ...(await of("/api/threads")), ...(await of("/api/usage", untilNow))],
    ["# logs", ...(await of(`${thread}/logs?limit=1000`, "", logsById))],
    ["# export", ...(await of(`${thread}/export?files=true`))],
  ];
}
