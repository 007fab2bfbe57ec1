// Opens threads that earlier releases stored or exported.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { Message } from "#contract/thread-message.ts";
import type { PendingCall, Thread } from "#contract/thread.ts";

import { linesOf, replaced } from "../thread/archive-client.ts";
import { quietly } from "../thread/fault-stage.ts";
import { admin, message, stubOf, value } from "../thread/thread-driver.ts";
import { setClockRight, skip, testClock } from "../worker/clock.ts";
import { ownerFetch } from "./stage.ts";
import { fromLines, keptFile, keptPaths, restore } from "./stored-thread.ts";
import type { StoredThread } from "./stored-thread.ts";

const files = await (await fetch(keptFile())).json<string[]>();
const stored = files.filter((name) => name.endsWith(".rows.jsonl"));
const exports = files.filter((name) => name.endsWith(".export.ndjson"));

let quiet: ReturnType<typeof quietly>;

beforeAll(() => {
  quiet = quietly();
});

afterAll(() => quiet.loud());

const textOf = async (name: string): Promise<string> => (await fetch(keptFile(name))).text();

/** Restores a thread, and sets the clock to the time at which it was stored. */
async function opened(name: string): Promise<StoredThread> {
  const thread = fromLines(await textOf(name));
  setClockRight();
  skip(thread.at - testClock.now() / 1000);
  // A test before may have restored the same thread.
  await stubOf(thread.id).call("remove", admin);
  await restore(thread);
  return thread;
}

const page = { limit: 1000, order: "asc" as const, include_silent: true };

/** Removes the fields that a restart changes while a run is active: event numbers are reserved, and `updated_at` is not yet in the row. */
function withoutClocks(answers: Record<string, unknown>): Record<string, unknown> {
  const thread = { ...(answers[""] as Partial<Thread> | undefined) };
  if (thread.active_run_id !== null) {
    delete thread.last_seq;
    delete thread.updated_at;
  }
  return { ...answers, "": thread };
}

/** Answers pending calls and fires the alarm until no run is active. */
async function finished(id: string): Promise<Thread> {
  await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
  return vi.waitUntil(
    async () => {
      const thread = await value(stubOf(id).call("describe", admin));
      const [call] = thread.pending_tool_calls;
      if (call !== undefined) await answered(id, call);
      else if (thread.active_run_id !== null) {
        skip(61_000);
        await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
      }
      return thread.status === "idle" && thread.active_run_id === null && thread;
    },
    { timeout: 20_000, interval: 5 },
  ) as Promise<Thread>;
}

async function answered(id: string, { id: tool_call_id, kind }: PendingCall): Promise<void> {
  if (kind === "limit") {
    await stubOf(id).call("postRun", admin, { kind: "continue", limits: { steps: 50 } }, null);
    return;
  }
  const result = kind === "approval" ? { tool_call_id, approved: false } : { tool_call_id, error: "No answer." };
  await stubOf(id).call("postToolResults", admin, { results: [result] });
}

const messagesOf = async (id: string): Promise<Message[]> =>
  (await value(stubOf(id).call("listMessages", admin, page))).items;

describe.each(stored)("%s", (name) => {
  it("The API returns the same responses for a thread that an earlier release stored as that release did", async () => {
    const { id, owner, answers } = await opened(name);
    const read: Record<string, unknown> = {};
    if (Object.keys(answers).length > 0)
      for (const path of keptPaths) read[path] = await (await ownerFetch(owner, `/api/threads/${id}${path}`)).json();
    // A later release may add fields.
    expect(withoutClocks(read)).toMatchObject(withoutClocks(answers));
  });

  it("A thread from an earlier release completes its runs and answers the next message", async () => {
    const { id } = await opened(name);
    await finished(id);
    const before = await messagesOf(id);
    const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 100, order: "asc" }));
    expect(items.map(({ status }) => status)).toEqual(items.map(() => "completed"));
    await value(stubOf(id).call("postMessage", admin, message("And now?"), null));
    await finished(id);
    const after = await messagesOf(id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ role: "assistant", status: "complete" });
  });
});

it.each(exports)(
  "An export of an earlier release is imported with its messages, and the imported thread answers the next message: %s",
  async (name) => {
    const text = await textOf(name);
    const thread = await opened(name.replace(".export.ndjson", ".rows.jsonl"));
    await replaced(thread.id, text);
    const kept = linesOf(text).flatMap((line) => (line["type"] === "message" ? [line["message"] as Message] : []));
    const messages = await messagesOf(thread.id);
    expect(messages.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    // An import ends the active run, and settles its open calls with an error.
    const shown = (thread.answers["/messages?include_silent=true"] as { messages: Message[] }).messages;
    const settled = shown.filter(({ status }) => status === "complete");
    expect(messages).toEqual(
      expect.arrayContaining(settled.map(({ id, content, parts }) => expect.objectContaining({ id, content, parts }))),
    );
    await value(stubOf(thread.id).call("postMessage", admin, message("And now?"), null));
    await finished(thread.id);
    expect((await messagesOf(thread.id)).at(-1)).toMatchObject({ role: "assistant", status: "complete" });
  },
);

it("The stored threads of schema 2 have a file for every scenario", () => {
  for (const name of [
    "at-rest",
    "steered",
    "waits-for-approval",
    "waits-for-its-client",
    "waits-at-its-limit",
    "waits-a-minute",
    "session-that-waits",
    "with-files",
  ])
    expect(files).toEqual(expect.arrayContaining([`schema-2.${name}.rows.jsonl`, `schema-2.${name}.export.ndjson`]));
  for (const name of ["cut-in-an-answer", "cut-in-a-tool"]) expect(files).toContain(`schema-2.${name}.rows.jsonl`);
});
