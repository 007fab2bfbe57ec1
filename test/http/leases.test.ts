// The leases of a user's streams and runs: how many there are, which holders are asked for a confirmation, and when.

import { describe, expect, it } from "vitest";

import type { FeedMessage } from "#contract/feed.ts";
import type { ThreadStatus } from "#contract/thread.ts";
import type { HeldLeases, LeaseHolder } from "#core/rpc/lease.ts";
import { admitMicros, attachMicros, confirmedMicros, heldMicros, Leases } from "#feed/leases.ts";

import { threadRecord } from "../support/records.ts";
import { adminToken, refusalOf, testApp, tokens } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";
import type { Ask } from "./support/test-app.ts";

const post = (json: unknown, more: Ask = {}): Ask => ({ method: "POST", json, ...more });
const upgrade = { headers: { upgrade: "websocket" } };

/** Leases with a stored row and lease holders that the test controls. */
function keeper() {
  let row: string | undefined;
  const held = new Map<string, HeldLeases>();
  const state = { at: 1_000_000, requested: [] as LeaseHolder[], rows: 0 };
  const make = (): Leases =>
    new Leases({
      now: () => state.at,
      row: {
        read: () => row,
        write: (text) => {
          row = text;
          state.rows += 1;
        },
      },
      askHolder: async (holder) => {
        state.requested.push(holder);
        const answer = held.get(JSON.stringify(holder));
        if (answer === undefined) throw new Error("out of reach");
        return answer;
      },
    });
  return { state, held, make };
}

function word(id: string, status: ThreadStatus): FeedMessage {
  return { type: "thread_updated", thread: threadRecord({ id, status }) };
}

describe("leases of streams", () => {
  const stream = (id: string, thread = "t") => ({ id, holder: { thread }, streams: 2, runs: null });

  it("LEASE1 Leases of a user's streams are granted up to the limit, a repeated request gets the same lease, and a returned lease can be granted at once", async () => {
    const { make, state } = keeper();
    const leases = make();
    const outcomes = await Promise.all(["a", "b", "c", "a"].map((id) => leases.take(stream(id))));
    expect(outcomes).toEqual(["granted", "granted", "too_many_streams", "granted"]);
    leases.giveBack("a", "stream");
    expect(await leases.take(stream("d"))).toBe("granted");
    expect(await leases.take(stream("e"))).toBe("too_many_streams");
    // One row for each granted lease, and none for refused or returned ones.
    expect(state.rows).toBe(3);
    expect(state.requested).toEqual([]);
  });

  it("A thread has to confirm a user's open streams only when the user is at the limit, and an unconfirmed stream no longer counts", async () => {
    const { make, state, held } = keeper();
    const leases = make();
    for (const id of ["a", "b"]) await leases.take(stream(id));
    state.at += attachMicros;
    held.set('{"thread":"t"}', { streams: ["a"], working: false });
    // Both requests reach the bound at the same time, and the holder is asked once.
    const outcomes = await Promise.all([leases.take(stream("c")), leases.take(stream("d"))]);
    expect(outcomes).toEqual(["granted", "too_many_streams"]);
    expect(state.requested).toEqual([{ thread: "t" }]);
    state.at += attachMicros;
    held.set('{"thread":"t"}', { streams: ["a", "c"], working: false });
    expect(await leases.take(stream("e"))).toBe("too_many_streams");
    expect(await leases.take(stream("f"))).toBe("too_many_streams");
    expect(state.requested).toHaveLength(2);
    state.at += heldMicros;
    held.clear();
    expect(await leases.take(stream("g"))).toBe("granted");
  });

  it("LEASE3 A lease survives an eviction of the object that keeps it, and expires at the same time as without the eviction", async () => {
    const { make, state } = keeper();
    const first = make();
    for (const id of ["a", "b"]) await first.take(stream(id));
    expect(await make().take(stream("c"))).toBe("too_many_streams");
    state.at += attachMicros;
    expect(await make().take(stream("c"))).toBe("granted");
  });
});

describe("leases of runs", () => {
  const run = (id: string, thread: string) => ({ id, holder: { thread }, streams: null, runs: 2 });

  it("HTTP31 At the limit of active threads, a run of a further thread is refused until an active thread ends its run or waits for a client", async () => {
    const leases = keeper().make();
    const admit = (id: string, thread: string) => leases.take(run(id, thread));
    expect(await Promise.all(["a", "b", "c"].map((thread) => admit(`of ${thread}`, thread)))).toEqual([
      "granted",
      "granted",
      "too_many_runs",
    ]);
    for (const status of ["idle", "error", "awaiting_tool_execution"] as const) {
      leases.recordThread(word("a", "running"), ["of a"]);
      expect(await admit("more", "c")).toBe("too_many_runs");
      leases.recordThread(word("a", status), []);
      expect(await admit(`after ${status}`, "c")).toBe("granted");
      leases.giveBack(`after ${status}`, "all");
    }
  });

  it("HTTP31 A thread counts as active while its own call waits for the answer to a question, and not while a call of its child thread does", async () => {
    const leases = keeper().make();
    const question = { id: "q", name: "ask", kind: "question" as const, deadline: null };
    const asking = (more: object): FeedMessage => ({
      type: "thread_updated",
      thread: {
        ...threadRecord({ id: "a", status: "awaiting_tool_execution" }),
        pending_tool_calls: [{ ...question, ...more }],
      },
    });
    await Promise.all(["a", "b"].map((thread) => leases.take(run(`of ${thread}`, thread))));
    leases.recordThread(asking({}), ["of a"]);
    expect(await leases.take(run("more", "c"))).toBe("too_many_runs");
    leases.recordThread(asking({ thread_id: "child" }), []);
    expect(await leases.take(run("more", "c"))).toBe("granted");
  });

  it("HTTP31 An active thread needs no further lease for another input, and keeps its lease until that input's run has ended", async () => {
    const leases = keeper().make();
    await leases.take(run("1", "a"));
    await leases.take(run("2", "b"));
    expect(await leases.take(run("3", "a"))).toBe("granted");
    leases.recordThread(word("a", "running"), ["1"]);
    // Its run ends before the second input is admitted.
    leases.recordThread(word("a", "idle"), []);
    expect(await leases.take(run("4", "c"))).toBe("too_many_runs");
    leases.recordThread(word("a", "idle"), ["3"]);
    expect(await leases.take(run("4", "c"))).toBe("granted");
  });

  it("HTTP31 The lease of an input that its thread has not yet admitted stays taken, although the thread is reported as idle or deleted", async () => {
    const leases = keeper().make();
    await leases.take(run("1", "a"));
    await leases.take(run("2", "b"));
    leases.recordThread(word("a", "idle"), []);
    leases.recordThread({ type: "thread_deleted", thread_id: "b" }, []);
    expect(await leases.take(run("3", "c"))).toBe("too_many_runs");
  });

  it("HTTP31 A run without a lease counts as active once its thread reports it, until the thread no longer confirms it", async () => {
    const { make, state, held } = keeper();
    const leases = make();
    leases.recordThread(word("a", "running"), []);
    leases.recordThread(word("b", "running"), []);
    expect(await leases.take(run("1", "c"))).toBe("too_many_runs");
    state.at += confirmedMicros;
    held.set('{"thread":"a"}', { streams: [], working: true });
    expect(await leases.take(run("1", "c"))).toBe("granted");
    expect(await leases.take(run("2", "d"))).toBe("too_many_runs");
    state.at += Math.max(confirmedMicros, admitMicros);
    held.clear();
    expect(await leases.take(run("2", "d"))).toBe("granted");
  });

  it("HTTP31 A thread that has reported a run counts as active even if an older response, which denies the run, arrives after the report", async () => {
    const { make, state, held } = keeper();
    const leases = make();
    leases.recordThread(word("a", "running"), []);
    leases.recordThread(word("b", "running"), []);
    state.at += confirmedMicros;
    held.set('{"thread":"a"}', { streams: [], working: false });
    held.set('{"thread":"b"}', { streams: [], working: true });
    const taken = leases.take(run("1", "c"));
    // The response of "a" is older than this report, and arrives after it.
    leases.recordThread(word("a", "running"), []);
    expect(await taken).toBe("too_many_runs");
  });
});

describe("leases of HTTP requests", () => {
  const bounded = (variables: object) => testApp({ variables: { API_TOKENS: tokens, ...variables } });

  it("LEASE4 Without a free lease, a request is refused, is not admitted and calls no thread", async () => {
    const app = bounded({ LIMIT_OPEN_STREAMS: "1", LIMIT_ACTIVE_RUNS: "1" });
    const { id, object } = app.seed();
    const other = app.seed();
    const first = await app.ask(`/api/threads/${id}/events`);
    object.calls.length = 0;
    const sse = { headers: { accept: "text/event-stream" } };
    const messages = `/api/threads/${id}/messages`;
    const refused: [string, Ask][] = [
      [`${messages}?wait=true`, post({ content: "x" })],
      [messages, post({ content: "x" }, sse)],
      [`/api/threads/${id}/runs?wait=true`, post({})],
      [`/api/threads/${id}/runs`, post({}, sse)],
      [`/api/threads/${id}/export`, {}],
      [`/api/threads/${id}/stream`, upgrade],
      [`/api/threads/${id}/events`, {}],
      ["/api/threads/events", upgrade],
      ["/api/threads/events", {}],
    ];
    for (const [path, ask] of refused) {
      const answer = await app.ask(path, ask);
      expect([path, answer.headers.get("retry-after"), await refusalOf(answer)]).toMatchObject([
        path,
        "5",
        { status: 429, code: "rate_limited" },
      ]);
    }
    expect(object.calls).toEqual([]);
    // Without a stream the request is admitted; then the only lease for a run is taken.
    expect((await app.ask(messages, post({ content: "x" }))).status).toBe(202);
    const results = post({ results: [{ tool_call_id: "c", result: "r" }] });
    for (const [path, ask] of [
      ["messages", post({ content: "x" })],
      ["runs", post({})],
      ["tool-results", results],
    ] as const) {
      const answer = await refusalOf(await app.ask(`/api/threads/${other.id}/${path}`, ask));
      expect([path, answer.status]).toEqual([path, 429]);
    }
    expect(other.object.calls).toEqual([]);
    await first.body?.cancel();
  });

  it("LEASE4 A request's lease is free again if the request was refused or started no run", async () => {
    const app = bounded({ LIMIT_OPEN_STREAMS: "1", LIMIT_ACTIVE_RUNS: "1" });
    const { id } = app.seed();
    const others = app.seed("bernd");
    for (let round = 0; round < 3; round += 1) {
      for (const path of ["messages?wait=true", "runs"]) {
        const refused = await app.ask(
          `/api/threads/${others.id}/${path}`,
          post(path === "runs" ? {} : { content: "x" }),
        );
        expect([path, refused.status]).toEqual([path, 404]);
      }
      expect((await app.ask(`/api/threads/${others.id}/export`)).status).toBe(404);
      expect((await app.ask(`/api/threads/${others.id}/stream`, upgrade)).status).toBe(404);
    }
    expect((await app.ask(`/api/threads/${id}/messages?wait=true`, post({ content: "x", run: false }))).status).toBe(
      200,
    );
    expect((await app.ask(`/api/threads/${id}/events`)).status).toBe(200);
  });

  it("LEASE5 A request that starts a run or a stream costs one call and one row of the user's object; a read, and any request in open mode, costs none", async () => {
    const app = bounded({});
    const { id } = app.seed();
    const feed = app.feed("anna");
    const costs: [string, number, number][] = [];
    const cost = async (what: string, path: string, ask: Ask = {}): Promise<void> => {
      const before = [feed.taken.length, feed.rows] as const;
      expect((await app.ask(path, ask)).status).toBeLessThan(300);
      costs.push([what, feed.taken.length - before[0], feed.rows - before[1]]);
    };
    await cost("list", "/api/threads");
    await cost("messages", `/api/threads/${id}/messages`);
    await cost("without a run", `/api/threads/${id}/messages`, post({ content: "x", run: false }));
    await cost("message", `/api/threads/${id}/messages`, post({ content: "x" }));
    const headers = { accept: "text/event-stream" };
    await cost("message and its events", `/api/threads/${id}/messages`, post({ content: "x" }, { headers }));
    await cost("events", `/api/threads/${id}/events`);
    await cost("socket", `/api/threads/${id}/stream`, upgrade);
    await cost("feed", "/api/threads/events");
    console.log(
      costs.map(([what, calls, rows]) => `${what.padEnd(24)} ${String(calls)} calls, ${String(rows)} rows`).join("\n"),
    );
    expect(costs).toEqual([
      ["list", 0, 0],
      ["messages", 0, 0],
      ["without a run", 0, 0],
      ["message", 1, 1],
      ["message and its events", 1, 1],
      ["events", 1, 1],
      ["socket", 1, 1],
      ["feed", 1, 1],
    ]);
    const open = testApp({ variables: { OPEN_LOOPBACK: "true" } });
    const own = open.seed(null);
    const local = { token: null, base: "http://localhost:8787" };
    for (const [path, ask] of [
      [`/api/threads/${own.id}/messages`, post({ content: "x" }, local)],
      [`/api/threads/${own.id}/events`, local],
    ] as const) {
      expect((await open.ask(path, ask)).status).toBeLessThan(300);
    }
    expect(open.feed(null).taken).toEqual([]);
  });

  it("LEASE6 If the object that keeps the leases fails, an isolate allows as many runs and streams per minute as there would be leases", async () => {
    const app = bounded({ LIMIT_OPEN_STREAMS: "2", LIMIT_ACTIVE_RUNS: "2" });
    const threads = [app.seed(), app.seed(), app.seed()];
    const broken = () => new Error("The keeper broke.");
    app.feed("anna").leaseFailures.push(...Array.from({ length: 20 }, broken));
    const statuses = async (path: string, ask: Ask = {}): Promise<number[]> => {
      const answers: number[] = [];
      for (const { id } of threads) answers.push((await app.ask(`/api/threads/${id}/${path}`, ask)).status);
      return answers;
    };
    expect(await statuses("runs", post({}))).toEqual([202, 202, 429]);
    expect(await statuses("events")).toEqual([200, 200, 429]);
    expect(app.log[0]).toContain("leases_unreachable");
    app.time.advance(60_000);
    expect(await statuses("events")).toEqual([200, 200, 429]);
  });

  it("LEASE6 A request waits at most five seconds for the object that keeps the leases", async () => {
    const app = bounded({ LIMIT_OPEN_STREAMS: "2" });
    const { id } = app.seed();
    app.feed("anna").take = () => new Promise(() => {});
    const answer = app.ask(`/api/threads/${id}/events`);
    await app.time.armed(5000);
    app.time.advance(5000);
    expect((await answer).status).toBe(200);
    expect(app.time.pending).toBe(0);
  });

  it("HTTP21 Administrators without a user id count as one user, and their runs are not bounded", async () => {
    const app = bounded({ LIMIT_OPEN_STREAMS: "1", LIMIT_ACTIVE_RUNS: "1" });
    const as = { token: adminToken };
    for (let index = 0; index < 3; index += 1) {
      expect((await app.ask(`/api/threads/${app.seed().id}/runs`, post({}, as))).status).toBe(202);
    }
    expect((await app.ask("/api/threads/events?user_id=anna", as)).status).toBe(200);
    expect((await app.ask(`/api/threads/${app.seed().id}/events`, as)).status).toBe(429);
    expect((await app.ask(`/api/threads/${app.seed().id}/events`)).status).toBe(200);
    expect(app.feed(null).taken.map(({ holder }) => holder)[0]).toEqual({ feed: "anna" });
  });
});

describe("requests with wait=true", () => {
  /** The response to a message that waits for its run, when the time of its first space has come. */
  async function firstSpace(app: TestApp, { id, object }: ReturnType<TestApp["seed"]>): Promise<Response> {
    const subscribed = Promise.withResolvers<void>();
    object.onSubscribe = () => subscribed.resolve();
    const waiting = app.ask(`/api/threads/${id}/messages?wait=true`, post({ content: "x" }));
    await subscribed.promise;
    await app.time.armed(3000);
    app.time.advance(3000);
    return waiting;
  }

  it("SSE13 The response to a request with wait=true contains spaces while the run is active, and its lease is returned when the client leaves", async () => {
    const app = testApp({ variables: { API_TOKENS: tokens, LIMIT_OPEN_STREAMS: "1" } });
    const { id, object } = app.seed();
    const response = await firstSpace(app, { id, object });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    // A proxy that compressed the body would hold the spaces back, and no write would fail.
    expect(response.headers.get("content-encoding")).toBe("identity");
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    const reader = response.body?.getReader();
    const text = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await text()).toBe(" ");
    const next = text();
    await app.time.armed(3000);
    app.time.advance(3000);
    expect(await next).toBe(" ");
    expect((await app.ask(`/api/threads/${id}/events`)).status).toBe(429);
    const back = app.feed("anna").nextReturn();
    await reader?.cancel();
    await back;
    expect((await app.ask(`/api/threads/${id}/events`)).status).toBe(200);
  });

  it("LEASE4 The lease of a request with wait=true is free again if the request cannot subscribe to the thread again", async () => {
    const app = testApp({ variables: { API_TOKENS: tokens, LIMIT_OPEN_STREAMS: "1" } });
    const { id, object } = app.seed();
    const feed = app.feed("anna");
    const body = (await firstSpace(app, { id, object })).text();
    const [run] = object.runs.values();
    const ended = feed.nextReturn();
    object.emit({ type: "awaiting_tool_execution", run_id: run?.id ?? "", tool_calls: [] });
    await ended;
    await app.time.armed(100);
    object.failures.push(new Error("The object was reset."));
    const broken = feed.nextReturn();
    app.time.advance(100);
    await expect(body).rejects.toThrow();
    await broken;
    expect((await app.ask(`/api/threads/${id}/events`)).status).toBe(200);
  });

  it("SSE13 A response with wait=true that begins with spaces is JSON with the message and the run", async () => {
    const app = testApp();
    const { id, object } = app.seed();
    const body = (await firstSpace(app, { id, object })).json();
    const [run] = object.runs.values();
    if (run === undefined) throw new Error("No run was admitted.");
    object.runs.set(run.id, { ...run, status: "completed" });
    object.emit({ type: "run_end", run_id: run.id });
    expect(await body).toMatchObject({ message: { content: "x" }, run: { id: run.id, status: "completed" } });
  });
});
