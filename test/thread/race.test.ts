// Simultaneous work: a slow hook and the messages that pass it, deletion and active requests.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { gate, hookCalls, scripts } from "../worker/definitions.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

function waits(name: string) {
  scripts.set(name, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: name } }] } : { text: "done" },
  );
  return gate(name);
}

describe("a message that a hook delays", () => {
  it("A message that a hook delays is positioned after the messages that were stored meanwhile, and a reader that resumes after these receives it", async () => {
    const id = await newThread("parallel");
    const hold = gate("race1");
    const slow = value(stubOf(id).call("postMessage", admin, message("slow:race1", { run: false }), null));
    await hold.reached;
    await value(stubOf(id).call("postMessage", admin, message("fast", { run: false }), null));
    const { last_seq } = await value(stubOf(id).call("describe", admin));
    hold.open();
    await slow;
    const following = await follow(id, { after: String(last_seq), until: "idle" });
    await following.closed;
    expect(types(following.events)).toEqual(["message_start", "message_end"]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["fast", "slow:race1"]);
  });

  it("A message that a hook delays until another run is stored and counted once, in that run", async () => {
    const id = await newThread("parallel");
    const hold = gate("race2");
    const slow = value(stubOf(id).call("postMessage", admin, message("slow:race2", { run: false }), null));
    await hold.reached;
    await converse(id, "one");
    const tool = waits("race2tool");
    await value(stubOf(id).call("postMessage", admin, message("race2tool"), null));
    await tool.reached;
    const counted = async () => (await value(stubOf(id).call("describe", admin))).message_count;
    const before = await counted();
    hold.open();
    const { message: stored } = await slow;
    expect(await counted()).toBe(before + 1);
    tool.open();
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const { items, total } = await value(stubOf(id).call("listMessages", admin, page));
    expect([total, await counted()]).toEqual([items.length, items.length]);
    expect(items.filter(({ content }) => content === "slow:race2")).toHaveLength(1);
    const runs = await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }));
    const ids = runs.items.map(({ message_ids }) => message_ids.filter((each) => each === stored?.id));
    expect(ids).toEqual([[], [stored?.id]]);
  });

  it("A message that is refused after a hook's delay is never passed to after_create_message", async () => {
    const id = await newThread("parallel");
    const hold = gate("race3");
    const refused = stubOf(id).call("postMessage", admin, message("slow:race3", { when: "reject" }), null);
    await hold.reached;
    const tool = waits("race3tool");
    await value(stubOf(id).call("postMessage", admin, message("race3tool"), null));
    await tool.reached;
    hold.open();
    expect(await refused).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    tool.open();
    await converse(id, "after");
    expect(hookCalls.filter((call) => call.includes("slow:race3"))).toEqual([]);
  });
});

describe("deletion", () => {
  it("If a thread is deleted while a hook delays an answer, the answer is not stored in a new thread under the same id", async () => {
    const id = await newThread("parallel");
    const hold = gate("race4");
    scripts.set("race4", () => ({ text: "slow:race4 answer" }));
    await value(stubOf(id).call("postMessage", admin, message("race4"), null));
    await hold.reached;
    await value(stubOf(id).call("remove", admin));
    await value(stubOf(id).call("create", admin, { id, agent_id: "parallel", user_id: null, creation: "again" }));
    hold.open();
    await converse(id, "hello");
    const { items, total } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["hello", "echo: hello"]);
    expect(total).toBe(2);
  });

  it("A message is refused with thread_not_found if its thread is deleted while a hook delays the message", async () => {
    const id = await newThread("parallel");
    const hold = gate("race5");
    const late = stubOf(id).call("postMessage", admin, message("slow:race5"), null);
    await hold.reached;
    await value(stubOf(id).call("remove", admin));
    hold.open();
    expect(await late).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
  });

  it("The message count is correct after an old message was deleted during a run that a crash then interrupted", async () => {
    const id = await newThread("parallel");
    await converse(id, "old");
    const { items: before } = await value(stubOf(id).call("listMessages", admin, page));
    const tool = waits("race6");
    await value(stubOf(id).call("postMessage", admin, message("race6"), null));
    await tool.reached;
    await value(stubOf(id).call("deleteMessage", admin, before[0]?.id ?? ""));
    await crash(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const { items, total } = await value(stubOf(id).call("listMessages", admin, page));
    expect(total).toBe(items.length);
  });
});

describe("the catalog", () => {
  it("A catalog entry counts a message that was added while no run was active", async () => {
    const id = await newThread("parallel");
    const word = `zebra${crypto.randomUUID()}`;
    await value(stubOf(id).call("postMessage", admin, message(word, { run: false }), null));
    await converse(id, "settle");
    const row = await env.CATALOG.prepare("SELECT body FROM thread WHERE id = ?").bind(id).first<{ body: string }>();
    expect(JSON.parse(row?.body ?? "{}")).toMatchObject({ message_count: 3 });
  });
});
