// The title that a thread makes from the first message of a user.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";

import { gate, scripts } from "../worker/definitions.ts";
import { exported, linesOf, replaced, sealed } from "./archive-client.ts";
import { begun, latch, panelWaitingFor } from "./team-driver.ts";
import { admin, crash, evict, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const titleOf = async (id: string): Promise<string | null> => (await value(stubOf(id).call("describe", admin))).title;
const say = async (id: string, text: string, extra: object = {}): Promise<string> =>
  (await value(stubOf(id).call("postMessage", admin, message(text, { run: false, ...extra }), null))).message?.id ?? "";
/** Sends a message. Returns all events of the thread from there to the end of the run. */
async function converse(id: string, text: string): Promise<ThreadEvent[]> {
  const { last_seq } = await value(stubOf(id).call("describe", admin));
  const reader = await follow(id, { after: String(last_seq) });
  const { run } = await value(stubOf(id).call("postMessage", admin, message(text), null));
  await reader.until((event) => event.type === "run_end" && event.run_id === run?.id);
  return reader.events;
}
const titles = (events: readonly ThreadEvent[]): (string | null)[] =>
  events.flatMap((event) => (event.type === "thread_updated" ? [event.thread.title] : []));

describe("titles", () => {
  it("TITLE1 The first message of a user gives its thread a title, which readers receive with the message and on replay", async () => {
    const id = await newThread("parallel");
    const events = await converse(id, "  Where is\n\n my   order? ");
    expect(await titleOf(id)).toBe("Where is my order?");
    expect(titles(events)).toEqual(["Where is my order?"]);
    expect(types(events).indexOf("thread_updated")).toBe(types(events).indexOf("message_end") + 1);
    await evict(id);
    expect(await titleOf(id)).toBe("Where is my order?");
    const again = await follow(id, { after: "0" });
    await again.until((event) => event.type === "run_end");
    expect(titles(again.events)).toEqual(["Where is my order?"]);
    await converse(id, "And another thing");
    expect(await titleOf(id)).toBe("Where is my order?");
  });

  it("TITLE1 The event that names a thread shows the run as active, because the message begins it", async () => {
    const id = await newThread("parallel");
    const events = await converse(id, "Hello");
    const named = events.find((event) => event.type === "thread_updated");
    expect(named).toMatchObject({ thread: { status: "running", message_count: 1, last_message: "Hello" } });
    expect(named?.type === "thread_updated" && named.thread.active_run_id).toBe(
      events.find((event) => event.type === "run_start")?.run_id,
    );
  });

  it.each([
    ["a".repeat(200), `${"a".repeat(79)}…`],
    [`${"a".repeat(77)} b c`, `${"a".repeat(77)} b…`],
    [`${"a".repeat(78)}😀😀😀`, `${"a".repeat(78)}😀…`],
    [`${"a".repeat(76)}👩‍👩‍👧‍👦 and more`, `${"a".repeat(76)}…`],
    [`${"a".repeat(78)}e\u0301 and more`, `${"a".repeat(78)}…`],
    [`${" ".repeat(3000)}late`, null],
    ["\u200B\u2060", null],
  ])("TITLE1 The text %j makes the title %j", async (text, title) => {
    const id = await newThread("parallel");
    await say(id, text);
    expect(await titleOf(id)).toBe(title);
  });

  it("The text of a thread in lists ends with a whole character", async () => {
    const id = await newThread("parallel");
    await say(id, `${"a".repeat(298)}👩‍👩‍👧‍👦 and more`);
    expect((await value(stubOf(id).call("describe", admin))).last_message).toBe("a".repeat(298));
  });

  it("TITLE1 Initial messages name a thread by its first user, and silent messages and answers do not", async () => {
    const initial_messages = [
      { role: "assistant", content: "How can I help?" },
      { role: "user", content: "hidden", silent: true },
      { role: "user", content: "A broken lamp" },
      { role: "user", content: "And a chair" },
    ];
    expect(await titleOf(await newThread("parallel", { initial_messages }))).toBe("A broken lamp");
    expect(await titleOf(await newThread("parallel", { initial_messages: initial_messages.slice(0, 2) }))).toBeNull();
  });

  it("TITLE1 A title that the thread is created with stays", async () => {
    const id = await newThread("parallel", { title: "Own" });
    expect(titles(await converse(id, "Hello"))).toEqual([]);
    expect(await titleOf(id)).toBe("Own");
  });

  it("TITLE2 A title follows its message, and the next message of a user names the thread after a deletion", async () => {
    const id = await newThread("parallel");
    const first = await say(id, "my card is 4111");
    const reader = await follow(id);
    await value(stubOf(id).call("patchMessage", admin, first, { content: "my card is [removed]" }));
    expect(await titleOf(id)).toBe("my card is [removed]");
    await value(stubOf(id).call("deleteMessage", admin, first));
    expect(await titleOf(id)).toBeNull();
    await say(id, "something else");
    expect(await titleOf(id)).toBe("something else");
    await reader.until((event) => event.type === "thread_updated" && event.thread.title === "something else");
    expect(titles(reader.events)).toEqual(["my card is [removed]", null, "something else"]);
    await crash(id);
    expect(await titleOf(id)).toBe("something else");
  });

  it("TITLE2 No row, replay and export has the earlier text of a message that named a thread", async () => {
    const id = await newThread("parallel");
    const first = await say(id, "my card is 4111");
    await value(stubOf(id).call("patch", admin, { tags: ["a"] }));
    await value(stubOf(id).call("patchMessage", admin, first, { content: "my card is [removed]" }));
    const reader = await follow(id, { after: "0" });
    await reader.until((event) => event.type === "message_updated");
    expect(JSON.stringify(reader.events)).not.toContain("4111");
    const named = reader.events.find((event) => event.type === "thread_updated");
    expect(named).toMatchObject({ thread: { title: "my card is [removed]", last_seq: (named?.seq ?? 0) - 1 } });
    expect(await exported(id)).not.toContain("4111");
    const rows = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) =>
      ["thread", "message", "event"].flatMap((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(JSON.stringify(rows)).not.toContain("4111");
  });

  it("TITLE2 An imported thread keeps a title that a caller set, also none, and one of a message follows it", async () => {
    const one = await newThread("parallel");
    const first = await say(one, "one");
    await replaced(one, await exported(one));
    await value(stubOf(one).call("patchMessage", admin, first, { content: "changed" }));
    expect(await titleOf(one)).toBe("changed");
    await value(stubOf(one).call("patch", admin, { title: null }));
    await replaced(one, await exported(one));
    await say(one, "two");
    expect(await titleOf(one)).toBeNull();
  });

  it.each(["Mine", null])("TITLE2 The title %j of a caller stays, whatever messages do", async (title) => {
    const id = await newThread("parallel");
    const first = await say(id, "one");
    await value(stubOf(id).call("patch", admin, { title }));
    await value(stubOf(id).call("patchMessage", admin, first, { content: "changed" }));
    expect(await titleOf(id)).toBe(title);
    await value(stubOf(id).call("deleteMessage", admin, first));
    await say(id, "two");
    expect(await titleOf(id)).toBe(title);
  });

  it("TITLE1 The title is made of the text that a before_create_message hook returns", async () => {
    const id = await newThread("parallel");
    expect(titles(await converse(id, "please shout"))).toEqual(["PLEASE SHOUT"]);
    expect(await titleOf(id)).toBe("PLEASE SHOUT");
  });

  it("TITLE1 A steering message names a thread whose run began without a visible message, when it joins the run", async () => {
    const { reached, open } = gate("title_gate");
    scripts.set("title_silent", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "title_gate" } }] } : { text: "done" },
    );
    const id = await newThread("parallel");
    const reader = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("title_silent", { silent: true }), null));
    await reached;
    await value(stubOf(id).call("postMessage", admin, message("Use the blue one", { when: "steer" }), null));
    expect(await titleOf(id)).toBeNull();
    open();
    await reader.until(({ type }) => type === "run_end");
    expect(await titleOf(id)).toBe("Use the blue one");
    expect(titles(reader.events)).toEqual(["Use the blue one"]);
  });

  it("TITLE1 A child thread has the task that its parent gave as title, and the parent that of its own message", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    const { items } = await value(
      stubOf(child).call("listMessages", admin, { limit: 1, order: "asc", include_silent: false }),
    );
    expect(items[0]?.content).not.toBe("go");
    expect([await titleOf(id), await titleOf(child)]).toEqual(["go", items[0]?.content]);
    open();
    await following.until(({ type }) => type === "run_end");
  });

  it("TITLE1 The next message names a thread of a deployment that made no titles, also after an import of its export", async () => {
    const id = await newThread("parallel");
    await converse(id, "old");
    // Such a thread has neither field in its row and its export, and no event of a title.
    const lines = linesOf(await exported(id)).filter(({ event }) => event?.type !== "thread_updated");
    for (const { type, thread } of lines)
      if (type === "thread") Object.assign(thread, { title: null, titled_by: undefined });
    await replaced(id, await sealed(lines));
    expect(await titleOf(id)).toBeNull();
    expect(titles(await converse(id, "new"))).toEqual(["new"]);
    expect(await titleOf(id)).toBe("new");
  });
});

describe("the status in a folded view", () => {
  const statusOf = ({ thread }: ReturnType<typeof foldAll>) => [thread?.status, thread?.active_run_id];
  const isRest = ({ type }: ThreadEvent) => type === "awaiting_tool_execution";
  const isEnd = ({ type }: ThreadEvent) => type === "run_end";

  it.each([
    ["parallel", "Hello", isEnd, "idle"],
    ["parallel", "fails_for_good", isEnd, "error"],
    ["asker", "asks", isRest, "awaiting_tool_execution"],
  ] as const)(
    "FOLLOW9 The folded view of a new thread of %s has the status of the thread after its first run, live and by replay: %s",
    async (agent, text, isReached, status) => {
      scripts.set("fails_for_good", () => ({ error: { kind: "auth", message: "no" } }));
      scripts.set("asks", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "ask", arguments: { q: "which?" } }] } : { text: "Thanks." },
      );
      const id = await newThread(agent);
      const live = await follow(id, { after: "0" });
      const fromSnapshot = await follow(id);
      await value(stubOf(id).call("postMessage", admin, message(text), null));
      for (const reader of [live, fromSnapshot]) await reader.until(isReached);
      const thread = await value(stubOf(id).call("describe", admin));
      const expected = [thread.status, thread.active_run_id];
      expect(thread.status).toBe(status);
      expect(statusOf(foldAll(live.events))).toEqual(expected);
      expect(statusOf(foldAll(fromSnapshot.events))).toEqual(expected);
      await evict(id);
      const replayed = await follow(id, { after: "0" });
      await replayed.until(isReached);
      expect(statusOf(foldAll(replayed.events))).toEqual(expected);
    },
  );
});
