// Access to a thread, and an object without a thread, which refuses every request.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { callerHeader, subscribePath } from "#core/rpc/thread-rpc.ts";

import { admin, message, newThread, peerOf, stubOf, value } from "./thread-driver.ts";

const page = { limit: 10, order: "asc" as const, include_silent: false };
const ada: Caller = { user: "ada", admin: false };
const bob: Caller = { user: "bob", admin: false };
const anonymous: Caller = { user: null, admin: false };

function everyMethod(id: string, caller: Caller) {
  const stub = stubOf(id);
  const other = crypto.randomUUID();
  return {
    describe: stub.call("describe", caller),
    patch: stub.call("patch", caller, { title: "x" }),
    remove: stub.call("remove", caller),
    postMessage: stub.call("postMessage", caller, message("x"), null),
    postRun: stub.call("postRun", caller, { kind: "continue" }, null),
    stop: stub.call("stop", caller, null),
    listMessages: stub.call("listMessages", caller, page),
    getMessage: stub.call("getMessage", caller, other),
    patchMessage: stub.call("patchMessage", caller, other, { content: "x" }),
    deleteMessage: stub.call("deleteMessage", caller, other),
    listRuns: stub.call("listRuns", caller, { limit: 10, order: "asc" }),
    getRun: stub.call("getRun", caller, other),
    listLogs: stub.call("listLogs", caller, { limit: 10, order: "asc" }),
    getLog: stub.call("getLog", caller, other),
    threadContext: stub.call("threadContext", caller, {}),
    listBranches: stub.call("listBranches", caller, { limit: 10 }),
    checkout: stub.call("checkout", caller, { before: other }),
    listQueue: stub.call("listQueue", caller, { limit: 10 }),
    patchQueued: stub.call("patchQueued", caller, other, { position: 0 }),
    deleteQueued: stub.call("deleteQueued", caller, other),
    invokeTool: stub.call("invokeTool", caller, "x", {}),
    relist: stub.call("relist", caller),
    postToolResults: stub.call("postToolResults", caller, { results: [] }),
    ...everyPeerMethod(id, caller),
  };
}

/** The methods for other threads. The Worker calls none of them, and the object refuses them from a caller. */
function everyPeerMethod(id: string, caller: Caller) {
  const peer = peerOf(id);
  const from = { from: crypto.randomUUID(), message_id: crypto.randomUUID() };
  const answer = { status: "success" as const, result: "x" };
  return {
    deliver: peer.call("deliver", caller, { ...from, answer, usage: zeroUsage, cost: 0, tool_executions: 0 }),
    childCalls: peer.call("childCalls", caller, { ...from, calls: [] }),
    knownCalls: peer.call("knownCalls", caller, ["x"], 1),
    relay: peer.call("relay", caller, { ...from, events: [] }),
    watch: peer.call("watch", caller, crypto.randomUUID()),
  };
}

describe("the methods of a thread's object", () => {
  it.each(["constructor", "toString", "__proto__", "alarm", "destroy", ""])(
    'The object refuses the method name "%s", which is not in its table of methods',
    async (name) => {
      const id = await newThread("parallel");
      const answer = await stubOf(id).call(name as "describe", admin);
      expect(answer).toMatchObject({ ok: false, refusal: { code: "route_not_found" } });
    },
  );
});

describe("another user's thread", () => {
  for (const [name, caller] of [
    ["another user", bob],
    ["an anonymous caller", anonymous],
  ] as const) {
    it(`Another user's thread does not exist for ${name}, by any method or socket`, async () => {
      const id = await newThread("parallel", { user_id: "ada" });
      for (const [method, answer] of Object.entries(everyMethod(id, caller))) {
        expect(await answer, method).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
      }
      const socket = await stubOf(id).fetch(
        new Request(`https://thread${subscribePath}`, {
          headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(caller) },
        }),
      );
      expect(socket.status).toBe(404);
      expect((await value(stubOf(id).call("describe", ada))).title).toBeNull();
    });
  }

  it("A subscription with an invalid caller header gets no access to a thread", async () => {
    const id = await newThread("parallel");
    for (const header of ["", "null", "{}", '{"admin":"yes","user":null}']) {
      const answer = await stubOf(id).fetch(
        new Request(`https://thread${subscribePath}`, { headers: { Upgrade: "websocket", [callerHeader]: header } }),
      );
      expect(answer.status, header).toBe(404);
    }
  });
});

describe("a thread that was never created", () => {
  it("Every method refuses a thread that was never created, and leaves no table, row or alarm", async () => {
    const id = crypto.randomUUID();
    for (const [method, answer] of Object.entries(everyMethod(id, admin))) {
      expect(await answer, method).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
    }
    await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (_, state) => {
      const tables = state.storage.sql.exec("SELECT name FROM sqlite_master").toArray();
      expect(tables).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
  });
});

describe("creation and deletion", () => {
  it("A repeated creation returns the thread again, and a different one under its id is a conflict", async () => {
    const id = await newThread("parallel", { title: "first" });
    const same = { id, agent_id: "parallel", user_id: null, creation: id };
    expect((await value(stubOf(id).call("create", admin, same))).title).toBe("first");
    const other = await stubOf(id).call("create", admin, { ...same, creation: "other" });
    expect(other).toMatchObject({ ok: false, refusal: { code: "conflict" } });
  });

  it("A user cannot create a thread for another user, or a thread of an unknown agent", async () => {
    const id = crypto.randomUUID();
    const input = { id, agent_id: "parallel", user_id: "ada", creation: id };
    expect(await stubOf(id).call("create", bob, input)).toMatchObject({ refusal: { code: "forbidden" } });
    expect(await stubOf(id).call("create", ada, { ...input, agent_id: "nope" })).toMatchObject({
      refusal: { code: "agent_not_found" },
    });
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
  });

  it("A deleted thread is gone from its object and the catalog, and its id can be used again", async () => {
    const id = await newThread("parallel");
    expect(await stubOf(id).call("remove", admin)).toEqual({ ok: true, value: null });
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    const listed = await env.CATALOG.prepare("SELECT count(*) AS n FROM thread WHERE id = ?")
      .bind(id)
      .first<{ n: number }>();
    expect(listed?.n).toBe(0);
    const again = await value(
      stubOf(id).call("create", admin, { id, agent_id: "parallel", user_id: null, creation: "new" }),
    );
    expect(again.message_count).toBe(0);
  });
});

describe("the author of a message", () => {
  it("The author of a message is stored if it is not the thread's user, and a caller cannot forge it", async () => {
    const id = await newThread("parallel", { user_id: "ada" });
    const post = (caller: Caller, text: string, more = {}) =>
      value(stubOf(id).call("postMessage", caller, message(text, { run: false, ...more }), null));
    await post(ada, "from ada", { metadata: { author: null } });
    await post(admin, "from an administrator");
    await post({ user: "root", admin: true }, "from root");
    const { items } = await value(stubOf(id).call("listMessages", ada, page));
    expect(items.map(({ content, author }) => [content, author])).toEqual([
      ["from ada", undefined],
      ["from an administrator", null],
      ["from root", "root"],
    ]);
  });
});

describe("the text that lists show of a thread", () => {
  it("A thread shows the current text of its last message, and after a deletion the text of the message before it", async () => {
    const id = await newThread("parallel");
    const mark = crypto.randomUUID();
    const post = async (text: string): Promise<string> =>
      (await value(stubOf(id).call("postMessage", admin, message(text, { run: false }), null))).message?.id ?? "";
    await post(`first ${mark}`);
    const second = await post(`second ${mark} card`);
    const shown = async () => (await value(stubOf(id).call("describe", admin))).last_message;
    expect(await shown()).toBe(`second ${mark} card`);
    await value(stubOf(id).call("patchMessage", admin, second, { content: `second ${mark} [card]` }));
    expect(await shown()).toBe(`second ${mark} [card]`);
    await value(stubOf(id).call("deleteMessage", admin, second));
    expect(await shown()).toBe(`first ${mark}`);
  });
});
