// A thread that is exported, deleted and imported is the same thread: in what it shows, in its replay, and in how it continues.

import { beforeEach, describe, expect, it } from "vitest";

import { sha256Hex } from "#lib/sha256.ts";

import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { comparable, exported, linesOf, listed, replaced } from "./archive-client.ts";
import { admin, alarmOf, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
});

/** Everything that the API shows of a thread except its files. */
async function shown(id: string) {
  const stub = stubOf(id);
  return {
    thread: await value(stub.call("describe", admin)),
    messages: await value(stub.call("listMessages", admin, page)),
    runs: await value(stub.call("listRuns", admin, { limit: 200, order: "asc" })),
    logs: await value(stub.call("listLogs", admin, { limit: 1000, order: "asc" })),
  };
}

/** The events that a reader receives after a number. */
async function emitted(id: string, after: number) {
  const following = await follow(id, { after: String(after), until: "idle", include_silent: "true" });
  await following.closed;
  return following.events.map((event) => ({ ...event, prev: 0 }));
}

/** A thread with records of every kind. */
async function eventful(): Promise<string> {
  const id = await newThread("boss", {
    user_id: "ada",
    title: "Ünï\u0000code 😀",
    tags: ["a", "b"],
    metadata: { deep: { list: [1, null, "x"] } },
    initial_messages: [{ role: "system", content: "be kind", silent: true }],
  });
  scriptedAnswers.set("boss", ({ step, lastUser }) => {
    if (lastUser !== "work" || step > 0) return { text: `done with ${lastUser}`, thinking: "hm" };
    return {
      toolCalls: [
        { name: "helper", arguments: { task: "look" } },
        { name: "act", arguments: { key: "k" } },
        { name: "nothing", arguments: {} },
      ],
    };
  });
  scriptedAnswers.set("helper", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] } : { text: "helped" },
  );
  toolEffects.set("k", () => ({ acted: true }));
  await converse(id, "hello");
  await converse(id, "work");
  await value(stubOf(id).call("postMessage", admin, message("a note", { run: false, metadata: { from: "me" } }), null));
  await converse(id, "again");
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  await value(stubOf(id).call("patchMessage", admin, items[1]?.id ?? "", { content: "hello, edited" }));
  await value(stubOf(id).call("deleteMessage", admin, items.at(-1)?.id ?? ""));
  await value(stubOf(id).call("patch", admin, { title: "renamed" }));
  return id;
}

describe("an exported thread", () => {
  it("EXPORT1 An export has a first line that names its format, a line for each record, and a last line with counts and a hash", async () => {
    const id = await eventful();
    const text = await exported(id);
    const lines = linesOf(text);
    expect(lines[0]).toMatchObject({
      type: "header",
      format: "threadhold-thread",
      version: 2,
      thread_id: id,
      files: true,
      counts: { messages: lines.filter(({ type }) => type === "message").length, files: 0, file_bytes: 0 },
    });
    const order = lines.map(({ type }) => String(type)).filter((type, at, all) => type !== all[at - 1]);
    expect(order).toEqual(["header", "thread", "branch", "run", "message", "log", "event", "end"]);
    const end = lines.at(-1);
    const before = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
    expect(end?.["sha256"]).toBe(await sha256Hex(before));
    for (const kind of ["run", "message", "log", "event"]) {
      expect(end?.["counts"][`${kind}s`]).toBe(lines.filter(({ type }) => type === kind).length);
    }
  });

  it("EXPORT2 An imported thread equals the original: thread, messages, runs, logs and every replay", async () => {
    const id = await eventful();
    const before = await shown(id);
    const replays = await Promise.all([0, 1, 5, 17, 40].map((after) => emitted(id, after)));
    await replaced(id, await exported(id));
    expect(await shown(id)).toEqual(before);
    expect(await Promise.all([0, 1, 5, 17, 40].map((after) => emitted(id, after)))).toEqual(replays);
    expect(replays[0]?.length).toBeGreaterThan(40);
    expect(await alarmOf(id)).toBeNull();
    expect(await listed(id)).toBe(true);
  });

  it("EXPORT2 An export of an imported thread has the same lines as the export that was imported", async () => {
    const id = await eventful();
    const text = await exported(id);
    await replaced(id, text);
    expect(comparable(await exported(id))).toEqual(comparable(text));
  });

  it("EXPORT4 An imported thread continues event numbers, message counts and totals where the original ended", async () => {
    const id = await eventful();
    await replaced(id, await exported(id));
    const before = await shown(id);
    const events = await converse(id, "and now");
    const after = await shown(id);
    expect(events[0]?.seq).toBe(before.thread.last_seq + 1);
    expect(after.messages.items.slice(0, -2)).toEqual(before.messages.items);
    expect(after.messages.items.at(-1)?.content).toBe("done with and now");
    expect(after.messages.total).toBe((before.messages.total ?? 0) + 2);
    expect(after.thread.usage.input).toBeGreaterThan(before.thread.usage.input);
    expect(after.thread.message_count).toBe(before.thread.message_count + 2);
  });

  it("EXPORT5 An export with files contains them byte for byte, with folders, types, sizes and times", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const large = new Uint8Array(3_000_001).map((_, at) => (at * 31) % 251);
    const bucket = new Uint8Array(9 * 1024 * 1024).map((_, at) => (at * 17) % 253);
    await files.put("/a/b/large.bin", large, { "content-type": "application/x-own" });
    await files.put("/in-the-bucket", bucket);
    await files.put("/empty", "");
    await files.put("/ünï 😀.txt", "text");
    await files.ask("PUT", "/files/made/by/hand?mkdir");
    const stats = async () =>
      Promise.all(
        ["/a/b/large.bin", "/in-the-bucket", "/empty", "/made/by/hand", "/a", "/%C3%BCn%C3%AF%20%F0%9F%98%80.txt"].map(
          async (path) => (await files.get(`${path}?stat`)).json(),
        ),
      );
    const before = await stats();
    const text = await exported(id);
    expect(linesOf(text)[0]?.["counts"]).toMatchObject({ files: 4, file_bytes: large.length + bucket.length + 4 });
    await replaced(id, text);
    expect(await stats()).toEqual(before);
    const same = async (path: string, bytes: Uint8Array) =>
      Buffer.from(await (await files.get(path)).arrayBuffer()).equals(bytes);
    expect(await same("/a/b/large.bin", large)).toBe(true);
    expect(await same("/in-the-bucket", bucket)).toBe(true);
    expect(await same("/empty", new Uint8Array())).toBe(true);
    expect(comparable(await exported(id))).toEqual(comparable(text));
    // A folder that exists only as part of a path disappears with its last entry, and a created one stays.
    await files.ask("DELETE", "/files/a/b/large.bin");
    expect(await files.listed("")).not.toContain("/a");
    expect(await files.listed("/made/by")).toEqual(["/made/by/hand"]);
  });

  it("EXPORT5 An export has no files unless they are requested, and is complete without them", async () => {
    const id = await newThread("filer");
    await new Files(id).put("/a/file", "bytes");
    const text = await exported(id, false);
    expect(linesOf(text).map(({ type }) => String(type))).toEqual(["header", "thread", "branch", "event", "end"]);
    await replaced(id, text);
    expect(await new Files(id).stats()).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
  });

  it("EXPORT6 An export contains no idempotency keys, no children, no outbox and no context of definitions", async () => {
    const id = await newThread("boss", { user_id: "ada" });
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
    const key = { key: "a-client-key", fingerprint: "a-fingerprint" };
    const { after } = await value(stubOf(id).call("postMessage", admin, message("go"), key));
    const following = await follow(id, { after: String(after) });
    await following.until(({ type }) => type === "run_end");
    following.close();
    const text = await exported(id);
    for (const secret of ["a-client-key", "a-fingerprint", '"creation"', '"children"', '"outbox"', '"awaits"']) {
      expect(text).not.toContain(secret);
    }
    const { thread, ...rest } = linesOf(text).find(({ type }) => type === "thread") ?? {};
    expect([Object.keys(rest), thread.parent]).toEqual([["type"], undefined]);
  });
});
