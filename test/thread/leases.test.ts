// The leases of a user's runs and streams, through the HTTP API and with real objects: the feed's object, which keeps the leases, and the
// threads' objects, which hold them. Their cost in rows is printed next to the budget of a thread.

import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, it } from "vitest";

import { feedName } from "#core/rpc/feed-rpc.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { setClockRight, skip } from "../worker/clock.ts";
import { gate, registry, scripts } from "../worker/definitions.ts";
import { costOf, measured, printCosts } from "./cost-table.ts";
import { newOwner } from "./feed-watcher.ts";
import { waitFor } from "./team-driver.ts";
import { admin, kill, stubOf, value } from "./thread-driver.ts";

printCosts();

const { fetch } = compose(registry, {});
const names = Array.from({ length: 20 }, newOwner);
const users: Environment = {
  ...(env as unknown as Environment),
  OPEN_LOOPBACK: "",
  API_TOKENS: names.map((name, at) => `secret-${String(at)}=${name}`).join(","),
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
  LIMIT_OPEN_STREAMS: "3",
  LIMIT_ACTIVE_RUNS: "10",
};
let taken = 0;

/** A user of this test only. */
function newUser(more: Partial<Environment> = {}) {
  const at = taken++;
  const owner = names[at] ?? "";
  const variables = Object.keys(more).length === 0 ? users : ({ ...users, ...more } as Environment);
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer secret-${String(at)}`);
    return fetch(new Request(`https://api.example${path}`, { ...init, headers }), variables, createExecutionContext());
  };
  const post = (path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  const thread = async (agent = "parallel"): Promise<string> =>
    (await (await post("/api/threads", { agent_id: agent })).json<{ id: string }>()).id;
  const say = (id: string, content: string, headers?: Record<string, string>): Promise<Response> =>
    post(`/api/threads/${id}/messages`, { content }, headers);
  const status = async (id: string): Promise<string> =>
    (await (await send(`/api/threads/${id}`)).json<{ status: string }>()).status;
  const feed = env.FEEDS.get(env.FEEDS.idFromName(feedName(owner)));
  return { owner, send, post, thread, say, status, feed };
}

let gates: (() => void)[] = [];
afterAll(() => {
  setClockRight();
  for (const open of gates) open();
  gates = [];
});

/** A message whose run is active until its gate opens. */
function slow(): { text: string; open: () => void } {
  const text = `slow${crypto.randomUUID().slice(0, 8)}`;
  const { open } = gate(text);
  gates.push(open);
  scripts.set(text, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: text } }] } : { text: "done" },
  );
  return { text, open };
}

/** The rows that an object's storage has written, in any table. */
function rowsOf(feed: DurableObjectStub): Promise<number> {
  return runInDurableObject(feed, (_, { storage }) =>
    Number(storage.sql.exec("SELECT total_changes() AS n").one()["n"]),
  );
}

/** Counts responses by their status. */
function counted(answers: readonly Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("active threads", () => {
  it("HTTP31 A user who sends messages to thirty threads at once gets ten runs and 20 refusals, and ten more runs when those are done", async () => {
    const user = newUser();
    const threads = await Promise.all(Array.from({ length: 30 }, () => user.thread()));
    const { text, open } = slow();
    const answers = await Promise.all(threads.map((id) => user.say(id, text)));
    expect(counted(answers)).toEqual({ 202: 10, 429: 20 });
    const refused = threads.filter((_, at) => answers[at]?.status === 429);
    for (const id of refused) expect(await user.status(id)).toBe("idle");
    open();
    await waitFor(async () => (await Promise.all(threads.map(user.status))).every((status) => status === "idle"));
    const again = slow();
    await waitFor(async () => (await user.say(refused[0] ?? "", again.text)).status === 202);
    expect(counted(await Promise.all(refused.slice(1, 19).map((id) => user.say(id, again.text))))).toEqual({
      202: 9,
      429: 9,
    });
  });

  it("HTTP31 An active thread still counts towards its user's limit after a queued input is removed, an idempotency key is repeated or the thread is continued", async () => {
    const user = newUser();
    const threads = await Promise.all(Array.from({ length: 12 }, () => user.thread()));
    const [first = "", ...others] = threads;
    const key = { "idempotency-key": "first" };
    expect((await user.say(first, "hello", key)).status).toBe(202);
    await waitFor(async () => (await user.status(first)) === "idle");
    const { text } = slow();
    const busy = [first, ...others.slice(0, 9)];
    for (const id of busy) expect((await user.say(id, text)).status).toBe(202);
    const [next = "", free = ""] = others.slice(9);
    expect((await user.say(next, text)).status).toBe(429);
    const { run } = await (await user.say(first, "waits")).json<{ run: { id: string } }>();
    expect((await user.send(`/api/threads/${first}/queue/${run.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await user.say(next, text)).status).toBe(429);
    expect((await user.say(first, "hello", key)).status).toBe(202);
    expect((await user.post(`/api/threads/${first}/runs`)).status).toBe(202);
    expect((await user.say(next, text)).status).toBe(429);
    expect((await user.post(`/api/threads/${free}/runs`)).status).toBe(429);
    await user.post(`/api/threads/${first}/stop`);
    await waitFor(async () => (await user.say(next, text)).status === 202);
    expect((await user.say(free, text)).status).toBe(429);
  });

  it("HTTP31 A thread that waits for its client does not count as active, and the client's result is refused while the user's other threads use the limit", async () => {
    const user = newUser();
    scripts.set("askme", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "ask", arguments: { q: "one" } }] } : { text: "Thanks." },
    );
    const asker = await user.thread("asker");
    await user.say(asker, "askme");
    await waitFor(async () => (await user.status(asker)) === "awaiting_tool_execution");
    const { text, open } = slow();
    const threads = await Promise.all(Array.from({ length: 10 }, () => user.thread()));
    await waitFor(async () => (await user.say(threads[0] ?? "", text)).status === 202);
    for (const id of threads.slice(1)) expect((await user.say(id, text)).status).toBe(202);
    const { pending_tool_calls } = await (
      await user.send(`/api/threads/${asker}`)
    ).json<{
      pending_tool_calls: { id: string }[];
    }>();
    const results = [{ tool_call_id: pending_tool_calls[0]?.id ?? "", result: "yes" }];
    const answer = () => user.post(`/api/threads/${asker}/tool-results`, { results });
    expect((await answer()).status).toBe(429);
    expect(await user.status(asker)).toBe("awaiting_tool_execution");
    open();
    await waitFor(async () => (await answer()).status === 202);
    await waitFor(async () => (await user.status(asker)) === "idle");
  });

  it("LEASE3 A user's active threads still count towards the user's limit after an eviction and after a reset of the object that keeps their leases", async () => {
    const user = newUser();
    const threads = await Promise.all(Array.from({ length: 11 }, () => user.thread()));
    const { text } = slow();
    for (const id of threads.slice(0, 10)) expect((await user.say(id, text)).status).toBe(202);
    const unsafe = (await import("workerd:unsafe")).default;
    await unsafe.evict(user.feed, { webSockets: "hibernate" });
    expect((await user.say(threads[10] ?? "", text)).status).toBe(429);
    await kill(user.feed);
    expect((await user.say(threads[10] ?? "", text)).status).toBe(429);
  });

  it("LEASE5 A run writes one row in its user's object for its lease, and at most 10 rows in its thread", async () => {
    const user = newUser();
    const [first, second] = [await user.thread(), await user.thread()];
    await user.say(first, "hello");
    await waitFor(async () => (await user.status(first)) === "idle");
    const before = await rowsOf(user.feed);
    const { written } = await costOf(second, async () => {
      expect((await user.say(second, "hello")).status).toBe(202);
      await waitFor(async () => (await user.status(second)) === "idle");
    });
    const rows = (await rowsOf(user.feed)) - before;
    measured("text turn of a user, in the thread", `${String(written)} written`, "≤ 10");
    measured("text turn of a user, in the user's object", `${String(rows)} written`, "1");
    expect(written).toBeLessThanOrEqual(10);
    expect(rows).toBe(1);
  });
});

describe("tools that a user invokes", () => {
  it("HTTP40 A user can invoke the tools that the thread's agent offers, and no other tool of the project", async () => {
    const user = newUser();
    const id = await user.thread();
    const offered = await user.post(`/api/threads/${id}/tools/note`, { args: { text: "by hand" } });
    expect([offered.status, await offered.json()]).toMatchObject([200, { status: "success" }]);
    const refused = await user.post(`/api/threads/${id}/tools/ask_place`, { args: {} });
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
    expect((await user.post(`/api/threads/${id}/tools/nothing`, {})).status).toBe(404);
    // The tool "conclude" belongs to the second side only.
    const twoSided = await user.thread("panel");
    expect((await user.post(`/api/threads/${twoSided}/tools/conclude`, { args: {} })).status).toBe(200);
    const byAdmin = await stubOf(id).call("invokeTool", { user: null, admin: true }, "ask_place", {});
    expect(byAdmin.ok ? null : byAdmin.refusal.code).not.toBe("forbidden");
  });
});

describe("a rate limiter of the platform", () => {
  it("HTTP20 A rate limiter binding of the platform counts messages and runs over all isolates", async () => {
    const limiter = Reflect.get(env, "TEST_LIMITER") as RateLimit;
    const user = newUser({ ADMISSION_LIMITER: limiter });
    const id = await user.thread();
    const answers = [];
    for (let at = 0; at < 4; at += 1) answers.push(await user.say(id, "hello"));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
    expect(answers[3]?.headers.get("retry-after")).toBe("60");
    // Another isolate would use the same count.
    expect(await limiter.limit({ key: `user:${user.owner}` })).toEqual({ success: false });
  });
});

describe("streams", () => {
  const sse = { accept: "text/event-stream" };

  /** Ways to hold a lease. Each returns a function that leaves. */
  const ways: Record<
    string,
    (user: ReturnType<typeof newUser>, id: string) => Promise<[Response, () => Promise<unknown>]>
  > = {
    "a thread's events": async ({ send }, id) => {
      const response = await send(`/api/threads/${id}/events`);
      return [response, async () => response.body?.cancel()];
    },
    "a thread's socket": async ({ send }, id) => {
      const response = await send(`/api/threads/${id}/stream`, { headers: { upgrade: "websocket" } });
      response.webSocket?.accept();
      return [response, async () => response.webSocket?.close(1000)];
    },
    "the feed's events": async ({ send }) => {
      const response = await send("/api/threads/events");
      return [response, async () => response.body?.cancel()];
    },
    "the feed's socket": async ({ send }) => {
      const response = await send("/api/threads/events", { headers: { upgrade: "websocket" } });
      response.webSocket?.accept();
      return [response, async () => response.webSocket?.close(1000)];
    },
    "an answer as events": async ({ say }, id) => {
      const response = await say(id, slow().text, sse);
      return [response, async () => response.body?.cancel()];
    },
    "an export": async ({ send }, id) => {
      const response = await send(`/api/threads/${id}/export?files=true`);
      return [response, async () => response.body?.cancel()];
    },
  };

  it.each(Object.keys(ways))(
    "HTTP21 The leases of three streams (%s) are free again after their clients have disconnected, three times in a row",
    async (name) => {
      const user = newUser();
      const id = await user.thread();
      // More than one piece of an export.
      await user.send(`/api/threads/${id}/files/large.txt`, {
        method: "PUT",
        body: "x".repeat(1024 * 1024),
        headers: { "content-type": "text/plain" },
      });
      const open = ways[name] ?? expect.fail("no such way");
      for (let round = 0; round < 3; round += 1) {
        const leaving = await waitFor(async () => {
          const opened = [await open(user, id), await open(user, id), await open(user, id)];
          if (opened.every(([{ status }]) => status === 200 || status === 101)) return opened;
          for (const [, leave] of opened) await leave();
          return false;
        });
        expect((await user.send(`/api/threads/${id}/events`)).status).toBe(429);
        for (const [, leave] of leaving) await leave();
      }
      await user.post(`/api/threads/${id}/stop`);
    },
  );

  it("HTTP21 The lease of an import is free again when it is done or refused", async () => {
    const user = newUser();
    const id = await user.thread();
    const text = await (await user.send(`/api/threads/${id}/export`)).text();
    const bring = (body: string): Promise<Response> =>
      user.send("/api/threads/import", { method: "POST", body, headers: { "content-type": "application/x-ndjson" } });
    for (let round = 0; round < 5; round += 1) {
      expect((await bring(text)).status).toBe(409);
      await user.send(`/api/threads/${id}`, { method: "DELETE" });
      expect((await bring(`${text.split("\n")[0] ?? ""}\n`)).status).toBe(400);
      expect((await bring(text)).status).toBe(201);
    }
  });

  it("HTTP38 Waiting inputs of an imported thread count as admissions, so that a continue starts no more runs than a minute allows", async () => {
    const user = newUser({ LIMIT_ADMISSIONS_PER_MINUTE: "8" });
    const id = await user.thread();
    const { text, open } = slow();
    await user.say(id, text);
    for (const content of ["one", "two", "three"]) expect((await user.say(id, content)).status).toBe(202);
    const lines = await (await user.send(`/api/threads/${id}/export`)).text();
    await user.send(`/api/threads/${id}`, { method: "DELETE" });
    open();
    const headers = { "content-type": "application/x-ndjson" };
    const answer = await user.send("/api/threads/import", { method: "POST", body: lines, headers });
    expect([answer.status, [...answer.headers.keys()].filter((name) => name.startsWith("x-threadhold"))]).toEqual([
      201,
      [],
    ]);
    // The first message, three queued ones, and one that starts the queue.
    expect((await user.post(`/api/threads/${id}/runs`)).status).toBe(202);
    expect((await user.post(`/api/threads/${id}/runs`)).status).toBe(429);
  });

  it("HTTP38 Waiting inputs of an import are counted once if the import is repeated with its idempotency key", async () => {
    const user = newUser({ LIMIT_ADMISSIONS_PER_MINUTE: "8" });
    const id = await user.thread();
    const { text, open } = slow();
    await user.say(id, text);
    for (const content of ["one", "two", "three"]) expect((await user.say(id, content)).status).toBe(202);
    const body = await (await user.send(`/api/threads/${id}/export`)).text();
    await user.send(`/api/threads/${id}`, { method: "DELETE" });
    open();
    const headers = { "content-type": "application/x-ndjson", "idempotency-key": "again" };
    for (let at = 0; at < 3; at += 1) {
      expect((await user.send("/api/threads/import", { method: "POST", body, headers })).status).toBe(201);
    }
    // The first message, three queued ones, and one that starts the queue.
    expect((await user.post(`/api/threads/${id}/runs`)).status).toBe(202);
  });

  it("A thread closes the socket of a Worker that serves an SSE response if the Worker sends nothing for forty seconds, and no other socket", async () => {
    const user = newUser();
    const id = await user.thread();
    const leaseOf = () =>
      runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) =>
        state.getWebSockets().flatMap((one) => state.getTags(one)),
      );
    const events = await user.send(`/api/threads/${id}/events`);
    const [bridged = ""] = await leaseOf();
    (await user.send(`/api/threads/${id}/stream`, { headers: { upgrade: "websocket" } })).webSocket?.accept();
    const own = (await leaseOf()).find((one) => one !== bridged) ?? "";
    skip(39_000);
    expect((await stubOf(id).held([bridged, own])).streams).toEqual([bridged, own]);
    skip(2000);
    expect((await stubOf(id).held([bridged, own])).streams).toEqual([own]);
    const left = events.body?.getReader();
    for (let piece = await left?.read(); piece?.done === false; piece = await left?.read());
  });

  it("A thread confirms the lease of a hibernating socket, and not that of a closed socket", async () => {
    const user = newUser();
    const id = await user.thread();
    const socket = (await user.send(`/api/threads/${id}/stream`, { headers: { upgrade: "websocket" } })).webSocket;
    socket?.accept();
    const [lease = ""] = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) =>
      state.getWebSockets().flatMap((one) => state.getTags(one)),
    );
    const unsafe = (await import("workerd:unsafe")).default;
    await unsafe.evict(env.THREADS.get(env.THREADS.idFromName(id)), { webSockets: "hibernate" });
    expect(await stubOf(id).held([lease, "another"])).toEqual({ streams: [lease], working: false });
    socket?.close(1000);
    await waitFor(async () => (await stubOf(id).held([lease])).streams.length === 0);
  });

  it("FOLLOW3 A thread that wakes closes a socket that another version of the code accepted, so that the client subscribes again", async () => {
    const user = newUser();
    const id = await user.thread();
    const stub = env.THREADS.get(env.THREADS.idFromName(id));
    const socket = (await user.send(`/api/threads/${id}/stream`, { headers: { upgrade: "websocket" } })).webSocket;
    const closed = new Promise<number>((resolve) => socket?.addEventListener("close", ({ code }) => resolve(code)));
    socket?.accept();
    const leases = await runInDurableObject(stub, (_, state) =>
      state.getWebSockets().flatMap((one) => {
        // The attachment of an earlier version: the filter had another name.
        const { filter, ...others } = one.deserializeAttachment() as { filter: object };
        one.serializeAttachment({ wish: filter, ...others });
        return state.getTags(one);
      }),
    );
    const unsafe = (await import("workerd:unsafe")).default;
    await unsafe.evict(stub, { webSockets: "hibernate" });
    await value(stubOf(id).call("describe", admin));
    expect([leases.length, await closed]).toEqual([1, 1012]);
    socket?.close();
    await waitFor(async () => (await stubOf(id).held(leases)).streams.length === 0);
  });
});
