// Requests over real HTTP: their addresses, their contents, and when they are repeated.

import { inspect } from "node:util";

import { afterEach, describe, expect, it } from "vitest";

import { ThreadholdClient, ThreadholdClientError, ThreadholdNetworkError } from "#client/index.ts";
import type { ClientOptions } from "#client/index.ts";

import { ManualTime } from "../http/support/manual-timers.ts";
import { openAnsweringServer, refusal } from "./support/answering-server.ts";
import type { PlannedAnswer } from "./support/answering-server.ts";
import { threadOf } from "./support/records.ts";

const secret = "anna-secret";
const open: { close: () => Promise<void> }[] = [];

/** A client of a server that gives these answers. */
async function asking(plan: readonly PlannedAnswer[], options: ClientOptions = {}) {
  const server = await openAnsweringServer(plan);
  open.push(server);
  const time = new ManualTime();
  const client = new ThreadholdClient({ url: server.url, token: secret, timers: time, random: () => 0.5, ...options });
  return { client, server, time };
}

/** The error with which a promise rejects. */
const errorOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => null,
    (error: unknown) => error,
  );

const thread: PlannedAnswer = { json: threadOf() };
const page = (titles: string[], next_cursor: string | null): PlannedAnswer => ({
  json: { threads: titles.map((title) => threadOf({ title })), next_cursor },
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

describe("addresses", () => {
  it("A request goes to a path under /api/~/, which no route of a project can replace, with its values encoded", async () => {
    const { client, server } = await asking([{ json: { threads: [], next_cursor: null } }], {});
    await client.threads.list({ q: "a b&c", limit: 5, tag: undefined });
    await errorOf(client.thread("a/b?c#d").get());
    await errorOf(client.thread("t").files.stat("/a folder/ü?.md"));
    const urls = server.observed.map(({ method, url }) => `${method} ${url}`);
    expect(urls).toEqual([
      "GET /api/~/threads?q=a+b%26c&limit=5",
      "GET /api/~/threads/a%2Fb%3Fc%23d",
      "GET /api/~/threads/t/files/a%20folder/%C3%BC%3F.md?stat=true",
    ]);
    const below = new ThreadholdClient({ url: `${server.url}/behind/a/proxy/`, token: secret });
    await errorOf(below.health());
    expect(server.observed.at(-1)?.url).toBe("/behind/a/proxy/healthz");
  });

  it.each([".", "..", ""])(
    "The client refuses the path value %j before it sends anything, because the path would lead to another route",
    async (value) => {
      const { client, server } = await asking([thread]);
      expect(() => client.thread(value)).toThrow(TypeError);
      expect(await errorOf(client.threads.delete(value))).toBeInstanceOf(TypeError);
      if (value !== "") {
        expect(await errorOf(client.thread("t").files.delete(`a/${value}/b`))).toBeInstanceOf(TypeError);
      }
      expect(server.observed).toEqual([]);
    },
  );

  it.each([undefined, "nowhere", "ftp://example.com", "https://anna:secret@example.com"])(
    "A client refuses the address %j",
    (url) => {
      expect(() => new ThreadholdClient({ url })).toThrow(TypeError);
    },
  );
});

describe("usage", () => {
  it("A usage report is requested by days and a list of dimensions, and is returned as the server sent it", async () => {
    const used = { input: 1, output: 2, cache_read: 0, cache_write: 0, total_tokens: 3 };
    const sums = { runs: 1, usage: used, cost: null, known_cost: 0 };
    const report = { usage: [{ day: "2026-11-01", ...sums }], total: sums, from: "2026-11-01", to: "2026-11-02" };
    const { client, server } = await asking([{ json: { ...report, by: ["day", "agent"] } }]);
    const emitted = await client.usage({ from: "2026-11-01", to: undefined, by: ["day", "agent"], user_id: "a b" });
    await client.usage();
    expect(emitted).toEqual({ ...report, by: ["day", "agent"] });
    expect(server.observed.map(({ url }) => url)).toEqual([
      "/api/~/usage?from=2026-11-01&by=day%2Cagent&user_id=a+b",
      "/api/~/usage",
    ]);
  });
});

describe("credentials", () => {
  it("A token is sent in the header alone, is asked for before each request, and appears nowhere else", async () => {
    let requested = 0;
    const token = (): string => `${secret}-${String((requested += 1))}`;
    const { client, server } = await asking([refusal(403, "forbidden")], { token });
    const errors = [await errorOf(client.thread("t").get()), await errorOf(client.thread("t").messages.list())];
    expect(server.observed.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${secret}-1`,
      `Bearer ${secret}-2`,
    ]);
    expect(server.observed.map(({ url }) => url).join(" ")).not.toContain(secret);
    const shown = [...errors, client, client.thread("t")].map((value) =>
      inspect(value, { depth: 9, showHidden: true }),
    );
    expect(shown.join(" ")).not.toContain(secret);
  });

  it("A token with a line break is refused before any request, with an error that does not contain the token", async () => {
    const { client, server } = await asking([thread], { token: `${secret}\r\nx: y` });
    const error = await errorOf(client.thread("t").get());
    expect(String(error)).not.toContain(secret);
    expect(server.observed).toEqual([]);
  });

  it("A redirect to another server is not followed and is an error", async () => {
    const elsewhere = await openAnsweringServer([thread]);
    open.push(elsewhere);
    const { client } = await asking([{ status: 307, headers: { location: `${elsewhere.url}/api/threads/t` } }]);
    expect(await errorOf(client.thread("t").get())).toMatchObject({ code: "unexpected_answer", status: 307 });
    expect(elsewhere.observed).toEqual([]);
  });
});

describe("errors", () => {
  it("The error for a refused request has the code, the status, the details and the Retry-After of the response", async () => {
    const { client } = await asking([refusal(429, "rate_limited", { "retry-after": "120" })]);
    const error = await errorOf(client.threads.create({ agent_id: "assistant" }));
    expect(error).toBeInstanceOf(ThreadholdClientError);
    const details = { why: "rate_limited" };
    expect(error).toMatchObject({ code: "rate_limited", status: 429, details, retryAfterMs: 120_000 });
  });

  it.each<[string, PlannedAnswer, number]>([
    ["a proxy's page", { status: 403, text: "<h1>No</h1>" }, 403],
    ["a page that calls itself a success", { status: 200, text: "<h1>Welcome</h1>" }, 200],
    ["JSON of another API", { status: 400, json: { error: "bad" } }, 400],
  ])(
    "If the client receives %s in place of a response of the API, the error has the code unexpected_answer",
    async (_, answer, status) => {
      const { client } = await asking([answer]);
      expect(await errorOf(client.thread("t").get())).toMatchObject({ code: "unexpected_answer", status });
    },
  );

  it("A request without a response in time, or without a server, ends with ThreadholdNetworkError", async () => {
    const { client, time, server } = await asking(["silent"], { retries: 0 });
    const late = errorOf(client.thread("t").get());
    await server.came(1);
    time.advance(30_000);
    expect(await late).toMatchObject({ name: "ThreadholdNetworkError", message: expect.stringMatching(/30000 ms/) });
    const gone = new ThreadholdClient({ url: "http://127.0.0.1:9", retries: 0 });
    expect(await errorOf(gone.health())).toBeInstanceOf(ThreadholdNetworkError);
  });
});

describe("retries", () => {
  it("The creation of a thread is retried with the same idempotency key, another call has another key, and the caller's own key is used unchanged", async () => {
    const { client, server, time } = await asking(["cut", refusal(503, "unavailable"), thread]);
    const created = client.threads.create({ agent_id: "assistant" });
    await time.armed(150);
    time.advance(150);
    await time.armed(300);
    time.advance(300);
    await created;
    await client.threads.create({ agent_id: "assistant" });
    await client.threads.create({ agent_id: "assistant" }, { idempotencyKey: "mine" });
    const keys = server.observed.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[3]).not.toBe(keys[0]);
    expect(keys[4]).toBe("mine");
    expect(new Set(server.observed.map(({ body }) => body)).size).toBe(1);
  });

  it.each([200, 404])(
    "The creation of a thread is sent again with the same idempotency key if the body of a response with status %i breaks off",
    async (status) => {
      const { client, server, time } = await asking([{ status, json: {}, headers: { "x-broken": "yes" } }, thread]);
      const created = client.threads.create({ agent_id: "assistant" });
      await time.armed(150);
      time.advance(150);
      expect((await created).id).toBe(threadOf().id);
      expect(server.observed).toHaveLength(2);
      expect(new Set(server.observed.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
      const once = await asking([{ status, json: {}, headers: { "x-broken": "yes" } }, thread]);
      expect(await errorOf(once.client.thread("t").patch({ title: "x" }))).toBeInstanceOf(ThreadholdNetworkError);
      expect(once.server.observed).toHaveLength(1);
    },
  );

  it("A request is not retried before the server's Retry-After has passed, and not at all if that time is too long", async () => {
    const { client, server, time } = await asking([refusal(429, "rate_limited", { "retry-after": "7" }), thread]);
    const got = client.thread("t").get();
    await time.armed(7150);
    time.advance(7149);
    expect(server.observed).toHaveLength(1);
    time.advance(1);
    await got;
    expect(server.observed).toHaveLength(2);

    const long = await asking([refusal(429, "rate_limited", { "retry-after": "120" })]);
    expect(await errorOf(long.client.thread("t").get())).toMatchObject({ code: "rate_limited" });
    expect(long.server.observed).toHaveLength(1);
  });

  it.each<[string, (client: ThreadholdClient) => PromiseLike<unknown>]>([
    ["a change", (client) => client.thread("t").patch({ title: "x" })],
    ["a call of a tool", (client) => client.thread("t").tools.invoke("place_order", {})],
  ])(
    "A request of %s has no idempotency key, so it is sent once, and its outcome is unknown if the connection is lost",
    async (_, ask) => {
      const { client, server } = await asking(["cut", thread]);
      expect(await errorOf(ask(client))).toBeInstanceOf(ThreadholdNetworkError);
      expect(server.observed).toHaveLength(1);
    },
  );

  it("A request with an error that is not retryable is sent once, and a retried request throws the error of its last attempt", async () => {
    const good = await asking([refusal(500, "internal")]);
    expect(await errorOf(good.client.thread("t").get())).toMatchObject({ code: "internal" });
    expect(good.server.observed).toHaveLength(1);
    const { client, server, time } = await asking([refusal(503, "unavailable")], { retries: 1 });
    const failed = errorOf(client.thread("t").get());
    await time.armed(150);
    time.advance(150);
    expect(await failed).toMatchObject({ code: "unavailable" });
    expect(server.observed).toHaveLength(2);
  });

  it("If the response of a deletion is lost, the repeated deletion succeeds when it finds nothing; a first deletion of nothing is refused", async () => {
    const { client, time } = await asking(["cut", refusal(404, "thread_not_found")]);
    const deleted = client.threads.delete("t");
    await time.armed(150);
    time.advance(150);
    expect(await deleted).toBeUndefined();
    const nothing = await asking([refusal(404, "thread_not_found")]);
    expect(await errorOf(nothing.client.threads.delete("t"))).toMatchObject({ code: "thread_not_found" });
  });

  it("An abort ends a request that waits for its response, and one that waits for its next try", async () => {
    const first = await asking(["silent"]);
    const leave = new AbortController();
    const waiting = errorOf(first.client.threads.get("t", { signal: leave.signal }));
    await first.server.came(1);
    leave.abort(new Error("Enough"));
    expect(await waiting).toMatchObject({ message: "Enough" });
    const second = await asking(["cut"]);
    const other = new AbortController();
    const between = errorOf(second.client.threads.get("t", { signal: other.signal }));
    await second.time.armed(150);
    other.abort(new Error("Enough"));
    expect(await between).toMatchObject({ message: "Enough" });
    expect([second.server.observed.length, second.time.pending]).toEqual([1, 0]);
  });
});

describe("requests without a method of the client", () => {
  it("Any route of the contract, and any path of the deployment, can be requested with the client's credentials", async () => {
    const { client, server } = await asking([{ json: { openapi: "3.1.0" } }, { status: 418, text: "short" }]);
    expect(await client.request("GET /api/openapi.json", {})).toEqual({ openapi: "3.1.0" });
    const own = await client.fetch("/api/orders/7", { method: "POST", body: "x", headers: { "x-mine": "1" } });
    expect([own.status, await own.text()]).toEqual([418, "short"]);
    expect(
      server.observed.map(({ method, url, headers }) => [method, url, headers.authorization, headers["x-mine"]]),
    ).toEqual([
      ["GET", "/api/~/openapi.json", `Bearer ${secret}`, undefined],
      ["POST", "/api/orders/7", `Bearer ${secret}`, "1"],
    ]);
    for (const path of ["https://elsewhere.example/", "orders", "@elsewhere.example"]) {
      expect(await errorOf(client.fetch(path as "/"))).toBeInstanceOf(TypeError);
    }
    const gone = new ThreadholdClient({ url: "http://127.0.0.1:9" });
    expect(await errorOf(gone.fetch("/api/orders"))).toBeInstanceOf(ThreadholdNetworkError);
  });
});

describe("lists", () => {
  it("A list of the client returns its first page when it is awaited and every item when it is looped over, and requests a page only when the loop needs it", async () => {
    const { client, server } = await asking([page(["one", "two"], "next"), page(["three"], null)]);
    const list = client.threads.list({ tag: "x" });
    expect(server.observed).toEqual([]);
    const titles: (string | null)[] = [];
    const requested: number[] = [];
    for await (const { title } of list) {
      titles.push(title);
      requested.push(server.observed.length);
    }
    expect([titles, requested]).toEqual([
      ["one", "two", "three"],
      [1, 1, 2],
    ]);
    expect(server.observed.map(({ url }) => url)).toEqual(["/api/~/threads?tag=x", "/api/~/threads?tag=x&cursor=next"]);
    const only = await asking([page(["one"], "next")]);
    expect(await only.client.threads.list({ limit: 1 })).toMatchObject({
      items: [{ title: "one" }],
      next_cursor: "next",
    });
    expect(only.server.observed).toHaveLength(1);
  });

  it("LIST2 An awaited list of threads follows the cursors of short and empty pages until it has `limit` threads, with at most 10 requests, and then has a cursor", async () => {
    const short = await asking([page([], "a"), page(["one"], "b"), page(["two", "three"], "c")]);
    const filled = await short.client.threads.list({ tag: "x", limit: 3 });
    expect([filled.items.map(({ title }) => title), filled.next_cursor]).toEqual([["one", "two", "three"], "c"]);
    expect(short.server.observed.map(({ url }) => url)).toEqual([
      "/api/~/threads?tag=x&limit=3",
      "/api/~/threads?tag=x&limit=3&cursor=a",
      "/api/~/threads?tag=x&limit=2&cursor=b",
    ]);
    const rare = await asking(Array.from({ length: 11 }, (_, at) => page([], `after ${at}`)));
    expect(await rare.client.threads.list()).toEqual({ items: [], next_cursor: "after 9" });
    expect(rare.server.observed).toHaveLength(10);
  });

  it("LIST2 A loop over a list of threads goes on after an empty page that has a cursor", async () => {
    const { client } = await asking([page([], "a"), page(["one"], "b"), page([], "c"), page(["two"], null)]);
    const titles: (string | null)[] = [];
    for await (const { title } of client.threads.list()) titles.push(title);
    expect(titles).toEqual(["one", "two"]);
  });
});
