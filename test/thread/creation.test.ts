// Creation with first messages: all of them or none, and only once.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { planFaults } from "../worker/fault-plan.ts";
import { admin, crash, follow, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const initial_messages = [
  { role: "user" as const, content: "first" },
  { role: "assistant" as const, content: "second" },
  { role: "system" as const, content: "hidden", silent: true },
];

describe("initial messages", () => {
  it("Initial messages are stored in order, are emitted, and start no run", async () => {
    const id = await newThread("parallel", { initial_messages });
    const { items, total } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ role, content }) => [role, content])).toEqual([
      ["user", "first"],
      ["assistant", "second"],
    ]);
    expect(total).toBe(2);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    expect(types(following.events)).toEqual([
      "message_start",
      "message_end",
      "thread_updated",
      "message_start",
      "message_end",
    ]);
    expect((await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }))).items).toEqual([]);
  });

  it("Initial messages are stored once, also if the creation of the thread is repeated several times or simultaneously", async () => {
    const id = crypto.randomUUID();
    const input = { id, agent_id: "parallel", user_id: null, creation: "same", initial_messages };
    await Promise.all([0, 1, 2].map(() => value(stubOf(id).call("create", admin, input))));
    await crash(id);
    await value(stubOf(id).call("create", admin, input));
    expect((await value(stubOf(id).call("listMessages", admin, { ...page, include_silent: true }))).total).toBe(3);
  });

  it("A thread has only the branch main, and a list of the messages of another branch is refused", async () => {
    const id = await newThread("parallel", { initial_messages });
    const answer = await stubOf(id).call("listMessages", admin, { ...page, branch: "nope" });
    expect(answer).toMatchObject({ ok: false, refusal: { code: "invalid_request" } });
    expect((await value(stubOf(id).call("listMessages", admin, { ...page, branch: "main" }))).total).toBe(2);
  });

  it("If an initial message is too large for a row, the creation of the thread is refused and nothing is stored", async () => {
    const id = crypto.randomUUID();
    const metadata = { big: "z".repeat(1_950_000) };
    const input = { id, agent_id: "parallel", user_id: null, creation: "big" };
    const big = [...initial_messages, { role: "user" as const, content: "b", metadata }];
    expect(await stubOf(id).call("create", admin, { ...input, initial_messages: big })).toMatchObject({
      ok: false,
      refusal: { code: "too_large" },
    });
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    await value(stubOf(id).call("create", admin, { ...input, creation: "small", initial_messages }));
    expect((await value(stubOf(id).call("listMessages", admin, page))).total).toBe(2);
  });

  it("If the creation of a thread is interrupted before the thread is in the catalog, a repeated creation adds the thread to the catalog", async () => {
    const id = crypto.randomUUID();
    const listed = async () => {
      const statement = env.CATALOG.prepare("SELECT id FROM thread WHERE id = ?").bind(id);
      return (await statement.all()).results.length;
    };
    planFaults(id, [{ point: "outbox.send", hit: 1, mode: "kept" }]);
    const input = { id, agent_id: "parallel", user_id: null, creation: "cut", initial_messages };
    expect(
      await stubOf(id)
        .call("create", admin, input)
        .catch(() => "cut"),
    ).toBe("cut");
    expect(await listed()).toBe(0);
    await value(stubOf(id).call("create", admin, input));
    expect(await listed()).toBe(1);
  });
});
