// What repeated changes leave in a thread's storage, counted in rows and bytes of its events.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { exported, linesOf, replaced, sealed } from "./archive-client.ts";
import { admin, converse, evict, follow, newThread, stubOf, value } from "./thread-driver.ts";

/** Rows of events that no other row contains, and their total length in characters. */
function eventRows(id: string): Promise<{ rows: number; size: number }> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
    const row = storage.sql.exec("SELECT count(*) AS rows, coalesce(sum(length(body)), 0) AS size FROM event").one();
    return { rows: Number(row["rows"]), size: Number(row["size"]) };
  });
}

async function emitted(id: string) {
  const following = await follow(id, { after: "0", until: "idle" });
  await following.closed;
  return following.events;
}

describe("changes that are repeated", () => {
  it("A thread keeps one update event for repeated changes, and that event contains the latest state", async () => {
    const id = await newThread("parallel", { title: "a" });
    await converse(id, "a");
    const before = await eventRows(id);
    for (let at = 1; at <= 10; at += 1) {
      await value(
        stubOf(id).call("patch", admin, { title: `title ${String(at)}`, metadata: { text: "x".repeat(60_000) } }),
      );
    }
    const after = await eventRows(id);
    expect(after.rows - before.rows).toBe(1);
    expect(after.size - before.size).toBeLessThan(62_000);
    const updates = (await emitted(id)).filter(({ type }) => type === "thread_updated");
    expect(updates).toMatchObject([{ thread: { title: "title 10" } }]);
  });

  it("A message keeps one update event for repeated changes, and the event of its deletion replaces that event", async () => {
    const id = await newThread("parallel", { title: "a" });
    await converse(id, "a");
    const { items } = await value(
      stubOf(id).call("listMessages", admin, { limit: 10, order: "asc", include_silent: false }),
    );
    const [first, second] = items.map((one) => one.id);
    const before = await eventRows(id);
    for (let at = 1; at <= 10; at += 1) {
      for (const one of [first, second]) {
        await value(stubOf(id).call("patchMessage", admin, one ?? "", { content: `text ${String(at)}` }));
      }
    }
    expect((await eventRows(id)).rows - before.rows).toBe(2);
    const updates = (await emitted(id)).filter(({ type }) => type === "message_updated");
    expect(updates).toMatchObject([
      { message: { id: first, content: "text 10" } },
      { message: { id: second, content: "text 10" } },
    ]);
    await value(stubOf(id).call("patchMessage", admin, first ?? "", { metadata: { text: "x".repeat(60_000) } }));
    await value(stubOf(id).call("deleteMessage", admin, first ?? ""));
    const after = await eventRows(id);
    // The event of the deletion replaces the event of the change.
    expect(after.rows - before.rows).toBe(2);
    expect(after.size - before.size).toBeLessThan(2000);
    expect((await emitted(id)).filter(({ type }) => type === "message_deleted")).toMatchObject([
      { message: { id: first, content: null, metadata: {} } },
    ]);
  });
});

describe("metadata of a message", () => {
  it("Metadata of a message is bounded as a whole after a change, not only in each change", async () => {
    const id = await newThread("parallel", { title: "a" });
    await converse(id, "a");
    const { items } = await value(
      stubOf(id).call("listMessages", admin, { limit: 1, order: "asc", include_silent: false }),
    );
    const change = (key: string) =>
      stubOf(id).call("patchMessage", admin, items[0]?.id ?? "", { metadata: { [key]: "x".repeat(40_000) } });
    await value(change("first"));
    expect(await change("second")).toMatchObject({ ok: false, refusal: { code: "too_large" } });
    await value(change("first"));
  });
});

describe("the time of an edit", () => {
  it("CHANGED2 A message has the time at which its text was changed, which a change of its metadata or to the same text does not set", async () => {
    const id = await newThread("parallel");
    await converse(id, "a");
    const stub = stubOf(id);
    const list = () =>
      value(stub.call("listMessages", admin, { limit: 10, order: "asc", include_silent: false })).then(
        ({ items }) => items,
      );
    const [requested, answered] = await list();
    const change = (fields: object) => value(stub.call("patchMessage", admin, requested?.id ?? "", fields));
    for (const fields of [{ metadata: { received: true } }, { content: requested?.content ?? "" }]) {
      expect(await change(fields)).not.toHaveProperty("edited_at");
    }
    expect(answered).not.toHaveProperty("edited_at");
    const { edited_at: at = 0 } = await change({ content: "b" });
    expect(at).toBeGreaterThan(answered?.created_at ?? Infinity);
    expect(await change({ metadata: { received: false } })).toMatchObject({ content: "b", edited_at: at });
    await evict(id);
    expect((await list()).map(({ edited_at }) => edited_at)).toEqual([at, undefined]);
    const updates = (await emitted(id)).filter(({ type }) => type === "message_updated");
    expect(updates).toMatchObject([{ message: { id: requested?.id, content: "b", edited_at: at } }]);
  });

  it("CHANGED2 Exports and imports keep the time of an edit, and a message without one has none in an export either", async () => {
    const id = await newThread("parallel");
    await converse(id, "a");
    const page = { limit: 10, order: "asc" as const, include_silent: false };
    const times = async () =>
      (await value(stubOf(id).call("listMessages", admin, page))).items.map(({ edited_at: at }) => at);
    const [requested] = (await value(stubOf(id).call("listMessages", admin, page))).items;
    const { edited_at: at } = await value(
      stubOf(id).call("patchMessage", admin, requested?.id ?? "", { content: "b" }),
    );
    const text = await exported(id);
    const rows = linesOf(text).flatMap(({ type, message }) => (type === "message" ? [message] : []));
    expect(rows.map((row) => row.edited_at)).toEqual([at, undefined]);
    await replaced(id, text);
    expect(await times()).toEqual([at, undefined]);
    const updates = (await emitted(id)).filter(({ type }) => type === "message_updated");
    expect(updates).toMatchObject([{ message: { content: "b", edited_at: at } }]);
    // An export of a deployment that stored no such times is imported, and its messages have none.
    const lines = linesOf(text);
    for (const { type, message } of lines) if (type === "message") delete message.edited_at;
    await replaced(id, await sealed(lines));
    expect(await times()).toEqual([undefined, undefined]);
  });
});
