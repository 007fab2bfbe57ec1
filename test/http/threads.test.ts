// The list of threads and the routes of one thread: owners, keys, pages, limits.

import { describe, expect, it } from "vitest";

import type { Thread } from "#contract/thread.ts";
import { boundRateLimiter } from "#http/limit/bound-rate-limiter.ts";
import { deferred } from "#lib/deferred.ts";

import { threadRecord } from "../support/records.ts";
import { waitFor } from "../thread/team-driver.ts";
import { adminToken, annaToken, berndToken, refusalOf, testApp, tokens } from "./support/test-app.ts";
import type { Ask, ErrorBody } from "./support/test-app.ts";

const helper = { agent_id: "helper" };
const post = (json: unknown, options: Ask = {}): Ask => ({ method: "POST", json, ...options });

describe("creating", () => {
  it("HTTP15 A created thread is answered with 201, the thread, and its location", async () => {
    const { ask, object } = testApp();
    const response = await ask("/api/threads", post({ ...helper, title: "T", tags: ["a"], metadata: { b: 1 } }));
    const thread = await response.json<Thread>();
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe(`/api/threads/${thread.id}`);
    expect(thread).toMatchObject({ ...helper, title: "T", tags: ["a"], metadata: { b: 1 }, user_id: "anna" });
    expect(object(thread.id).thread).toEqual(thread);
  });

  it("HTTP15 A thread of an unknown agent is refused, and the error lists the agents and suggests one", async () => {
    const { ask, reached } = testApp();
    const { error } = await (await ask("/api/threads", post({ agent_id: "helpr" }))).json<ErrorBody>();
    expect(error).toMatchObject({
      code: "invalid_request",
      message: 'There is no agent "helpr". Did you mean "helper"?',
      details: { fields: [{ path: "agent_id" }], known: ["helper", "clerk"] },
    });
    expect((await ask("/api/threads", post({ agent_id: "constructor" }))).status).toBe(400);
    expect(reached).toEqual([]);
  });

  it("HTTP15 The creation of a thread under an id in use is refused as a conflict, even with the same body", async () => {
    const { ask } = testApp();
    const body = { ...helper, id: crypto.randomUUID() };
    expect((await ask("/api/threads", post(body))).status).toBe(201);
    expect(await refusalOf(await ask("/api/threads", post(body)))).toMatchObject({ status: 409, code: "conflict" });
    const other = { ...helper, id: "0199f0a0-0000-7000-8000-000000000000" };
    expect(await refusalOf(await ask("/api/threads", post(other)))).toMatchObject({ status: 400, fields: ["id"] });
  });

  it.each<[string, string, object, number, string | null]>([
    ["a user for that user", annaToken, { user_id: "anna" }, 201, "anna"],
    ["a user for another user", annaToken, { user_id: "bernd" }, 403, null],
    ["a user without an owner", annaToken, { user_id: null }, 403, null],
    ["an administrator for a user", adminToken, { user_id: "bernd" }, 201, "bernd"],
    ["an administrator without an owner", adminToken, {}, 201, null],
  ])(
    "HTTP16 A user creates threads for that user alone, and an administrator for any owner or none: %s",
    async (_name, token, fields, status, owner) => {
      const { ask } = testApp();
      const response = await ask("/api/threads", post({ ...helper, ...fields }, { token }));
      expect(response.status).toBe(status);
      if (status === 201) expect(await response.json()).toMatchObject({ user_id: owner });
    },
  );

  it("HTTP17 A repeated idempotency key returns the first thread, and with another body the request is refused", async () => {
    const { ask, reached } = testApp();
    const headers = { "idempotency-key": "k" };
    const first = await ask("/api/threads", post({ ...helper, title: "T" }, { headers }));
    const again = await ask("/api/threads", post({ title: "T", ...helper }, { headers }));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    expect(new Set(reached).size).toBe(1);
    expect((await ask("/api/threads", post(helper, { headers }))).status).toBe(409);
    expect(reached).toHaveLength(2);
  });

  it("HTTP30 A repeated idempotency key creates no second thread after its first thread was deleted", async () => {
    const { ask, object, catalog, reached, time } = testApp();
    const headers = { "idempotency-key": "k" };
    const first = await (await ask("/api/threads", post(helper, { headers }))).json<Thread>();
    time.advance(1000);
    expect((await ask(`/api/threads/${first.id}`, { method: "DELETE" })).status).toBe(204);
    await catalog.remove({ threadId: first.id, createdAt: first.created_at, now: time.now() });
    reached.length = 0;
    const again = await ask("/api/threads", post(helper, { headers }));
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ error: { code: "conflict", details: { thread_id: first.id } } });
    expect(reached).toEqual([]);
    expect(object(first.id).thread).toBeNull();
    time.advance(1000);
    const other = { headers: { "idempotency-key": "k2" } };
    expect((await ask("/api/threads", post({ ...helper, id: first.id }, other))).status).toBe(201);
  });

  it("HTTP17 Two users who create threads with the same idempotency key get separate threads", async () => {
    const { ask } = testApp();
    const headers = { "idempotency-key": "k" };
    const ids = await Promise.all(
      [annaToken, berndToken].map(async (token) => {
        const response = await ask("/api/threads", post(helper, { headers, token }));
        return (await response.json<Thread>()).id;
      }),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it("HTTP17 A creation is answered 201 if the object was reset after it had created the thread", async () => {
    const { ask, object } = testApp();
    const body = { ...helper, id: crypto.randomUUID() };
    const thread = object(body.id);
    const create = thread.create.bind(thread);
    thread.create = async (caller, input) => {
      thread.create = create;
      await create(caller, input);
      throw Object.assign(new Error("reset"), { durableObjectReset: true });
    };
    expect((await ask("/api/threads", post(body))).status).toBe(201);
  });
});

describe("listing", () => {
  async function filled(): Promise<ReturnType<typeof testApp>> {
    const app = testApp();
    for (const [index, owner] of ["anna", "bernd", "anna", null].entries()) {
      const thread = threadRecord({
        id: crypto.randomUUID(),
        user_id: owner,
        title: `t${String(index)}`,
        updated_at: index,
      });
      await app.catalog.put({ thread, lastMessage: null, version: 1 });
    }
    return app;
  }

  it.each<[string, string, string, string[]]>([
    ["a user's own threads", annaToken, "", ["t2", "t0"]],
    ["a user's own threads also if the request names the user", annaToken, "?user_id=anna", ["t2", "t0"]],
    ["all threads for an administrator", adminToken, "", ["t3", "t2", "t1", "t0"]],
    ["the threads of the user that an administrator names", adminToken, "?user_id=bernd", ["t1"]],
    ["only the threads that match the filter", annaToken, "?q=T0", ["t0"]],
  ])("HTTP18 The list of threads contains %s, newest first", async (_name, token, query, titles) => {
    const { ask } = await filled();
    const { threads } = await (await ask(`/api/threads${query}`, { token })).json<{ threads: Thread[] }>();
    expect(threads.map(({ title }) => title)).toEqual(titles);
  });

  it("HTTP18 A user cannot request the list of another user's threads", async () => {
    const { ask } = await filled();
    expect(await refusalOf(await ask("/api/threads?user_id=bernd"))).toMatchObject({ status: 403, code: "forbidden" });
  });

  it("HTTP18 The cursor of a page of threads leads to the next page", async () => {
    const { ask } = await filled();
    type Page = { threads: Thread[]; next_cursor: string | null };
    const first = await (await ask("/api/threads?limit=1")).json<Page>();
    const second = await (await ask(`/api/threads?limit=1&cursor=${first.next_cursor ?? ""}`)).json<Page>();
    expect([...first.threads, ...second.threads].map(({ title }) => title)).toEqual(["t2", "t0"]);
    expect(second.next_cursor).toBe(null);
  });
});

describe("one thread", () => {
  const paths: [string, string, unknown][] = [
    ["GET", "", undefined],
    ["PATCH", "", { title: "x" }],
    ["DELETE", "", undefined],
    ["GET", "/messages", undefined],
    ["GET", "/messages/m", undefined],
    ["PATCH", "/messages/m", { content: "x" }],
    ["DELETE", "/messages/m", undefined],
    ["POST", "/messages", { content: "x" }],
    ["GET", "/runs", undefined],
    ["GET", "/runs/r", undefined],
    ["POST", "/runs", {}],
    ["POST", "/stop", {}],
    ["GET", "/logs", undefined],
    ["GET", "/logs/l", undefined],
    ["GET", "/events", undefined],
  ];
  it.each(paths)(
    "HTTP19 A request %s %s to another user's thread is answered with thread_not_found",
    async (method, path, json) => {
      const { ask, seed } = testApp();
      const { id } = seed("bernd");
      const answer = await refusalOf(await ask(`/api/threads/${id}${path}`, { method, json }));
      expect(answer).toMatchObject({ status: 404, code: "thread_not_found" });
    },
  );

  it.each(["/api", "/api/~"])(
    "HTTP19 The routes of a thread under %s return the results of the thread's object",
    async (base) => {
      const { ask, seed } = testApp();
      const { id, object } = seed();
      const at = `${base}/threads/${id}`;
      expect(await (await ask(at)).json()).toEqual(object.thread);
      expect(await (await ask(at, { method: "PATCH", json: { title: "new" } })).json()).toMatchObject({ title: "new" });
      const { message } = await (
        await ask(`${at}/messages`, post({ content: "hi" }))
      ).json<{ message: { id: string } }>();
      expect(await (await ask(`${at}/messages`)).json()).toEqual({
        messages: object.messages,
        total: 1,
        has_more: false,
        next_cursor: null,
      });
      expect(await (await ask(`${at}/messages/${message.id}`)).json()).toEqual(message);
      expect(await (await ask(`${at}/runs`)).json()).toEqual({ runs: [...object.runs.values()], next_cursor: null });
      expect(await (await ask(`${at}/logs`)).json()).toEqual({ logs: [], next_cursor: null });
      expect(await (await ask(`${at}/stop`, post({}))).json()).toEqual({ status: "idle" });
      expect((await ask(at, { method: "DELETE" })).status).toBe(204);
      expect((await ask(at)).status).toBe(404);
    },
  );

  it("HTTP19 A thread cannot be changed to an unknown agent", async () => {
    const { ask, seed } = testApp();
    const { id, object } = seed();
    const response = await ask(`/api/threads/${id}`, { method: "PATCH", json: { agent_id: "clerc" } });
    expect(await refusalOf(response)).toMatchObject({ status: 400, fields: ["agent_id"] });
    expect(object.calls).toEqual([]);
  });
});

describe("limits", () => {
  const limited = (variables: object) => testApp({ variables: { API_TOKENS: tokens, ...variables } });

  it("HTTP20 Messages and runs per minute and user are limited, and the error has Retry-After", async () => {
    const { ask, seed, time } = limited({ LIMIT_ADMISSIONS_PER_MINUTE: "2" });
    const { id } = seed();
    const send = (token: string): Promise<Response> =>
      ask(`/api/threads/${id}/messages`, post({ content: "x" }, { token }));
    expect([(await send(annaToken)).status, (await ask(`/api/threads/${id}/runs`, post({}))).status]).toEqual([
      202, 202,
    ]);
    const refused = await send(annaToken);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(await refusalOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    expect((await send(adminToken)).status).toBe(202);
    time.advance(30_000);
    expect((await send(annaToken)).status).toBe(202);
  });

  it("HTTP20 The default limit is 60 messages and runs a minute, also if the variable is invalid", async () => {
    const { ask, seed, log } = limited({ LIMIT_ADMISSIONS_PER_MINUTE: "lots" });
    const { id } = seed();
    for (let index = 0; index < 60; index++) expect((await ask(`/api/threads/${id}/runs`, post({}))).status).toBe(202);
    expect((await ask(`/api/threads/${id}/runs`, post({}))).status).toBe(429);
    expect(log[0]).toContain("LIMIT_ADMISSIONS_PER_MINUTE");
  });

  it("HTTP20 Messages and runs are also limited by a rate limiter binding of the platform, if there is one", async () => {
    const keys: string[] = [];
    const limit = async ({ key }: { key: string }): Promise<{ success: boolean }> => {
      keys.push(key);
      if (keys.length === 3) throw new Error("limiter broke");
      return { success: keys.length === 1 };
    };
    const { ask, seed } = testApp({ dependencies: { admissions: boundRateLimiter({ limit }, 60) } });
    const { id } = seed();
    const answers: Response[] = [];
    for (let index = 0; index < 3; index++) answers.push(await ask(`/api/threads/${id}/runs`, post({})));
    expect(answers.map(({ status }) => status)).toEqual([202, 429, 202]);
    expect(answers[1]?.headers.get("retry-after")).toBe("60");
    expect(keys).toEqual(["user:anna", "user:anna", "user:anna"]);
  });

  it("HTTP39 Changes and direct tool calls are bounded per minute and user, and a refused request reaches no thread", async () => {
    const { ask, seed } = limited({ LIMIT_CHANGES_PER_MINUTE: "2", LIMIT_INVOCATIONS_PER_MINUTE: "1" });
    const changes: [string, Ask][] = [
      ["", { method: "PATCH", json: { title: "x" } }],
      [`/messages/${crypto.randomUUID()}`, { method: "PATCH", json: { content: "x" } }],
      [`/queue/${crypto.randomUUID()}`, { method: "PATCH", json: { content: "x" } }],
      [`/messages/${crypto.randomUUID()}`, { method: "DELETE" }],
      [`/queue/${crypto.randomUUID()}`, { method: "DELETE" }],
      ["/files/a.txt", { method: "PUT", body: "x", headers: { "content-type": "text/plain" } }],
      ["/files/a.txt", { method: "DELETE" }],
    ];
    const { id, object } = seed();
    for (const [path, options] of changes.slice(0, 2)) {
      expect((await ask(`/api/threads/${id}${path}`, options)).status).not.toBe(429);
    }
    expect((await ask(`/api/threads/${id}/tools/note`, post({}))).status).toBe(200);
    object.calls.length = 0;
    for (const [path, options] of [...changes, ["/tools/note", post({})] as [string, Ask]]) {
      const refused = await refusalOf(await ask(`/api/threads/${id}${path}`, options));
      expect([path, refused]).toMatchObject([path, { status: 429, code: "rate_limited" }]);
    }
    expect(object.calls).toEqual([]);
    expect((await ask(`/api/threads/${id}`, { ...changes[0]?.[1], token: adminToken })).status).toBe(200);
  });

  it("HTTP39 Lists of threads and usage reports of a user are limited together per minute, and deletions of threads as changes", async () => {
    const { ask, seed } = limited({ LIMIT_LISTS_PER_MINUTE: "2", LIMIT_CHANGES_PER_MINUTE: "1" });
    const { id } = seed();
    for (const path of ["/api/threads", "/api/usage"]) expect((await ask(path)).status).toBe(200);
    for (const path of ["/api/threads?waiting=true", "/api/usage"]) {
      expect(await refusalOf(await ask(path))).toMatchObject({ status: 429, code: "rate_limited" });
    }
    expect((await ask("/api/threads", { token: adminToken })).status).toBe(200);
    expect((await ask(`/api/threads/${id}`, { method: "DELETE" })).status).toBe(204);
    const removal = await ask(`/api/threads/${id}`, { method: "DELETE" });
    expect(await refusalOf(removal)).toMatchObject({ status: 429, code: "rate_limited" });
  });

  it("HTTP39 The searches of a user are limited per minute and in parallel, and a further search is accepted after one has ended", async () => {
    const { ask, seed } = limited({ LIMIT_SEARCHES_PER_MINUTE: "8" });
    const { id, object } = seed();
    const search = (token = annaToken) => ask(`/api/threads/${id}/files-search?grep=x`, { token });
    const answer = deferred<Response>();
    object.onFiles = () => answer.promise.then((found) => found.clone());
    const underWay = Array.from({ length: 4 }, () => search());
    await waitFor(() => object.fileCalls.length === 4);
    const refused = await search();
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(await refusalOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    const others = search(adminToken);
    await waitFor(() => object.fileCalls.length === 5);
    answer.resolve(Response.json({ results: [], truncated: false }));
    expect((await Promise.all([...underWay, others])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (let index = 0; index < 3; index++) expect((await search()).status).toBe(200);
    expect(await refusalOf(await search())).toMatchObject({ status: 429, code: "rate_limited" });
  });

  it("HTTP39 A search without a response counts towards the simultaneous searches of its user for a minute at most", async () => {
    const { ask, seed, time } = limited({});
    const { id, object } = seed();
    const search = () => ask(`/api/threads/${id}/files-search?grep=x`);
    object.onFiles = () => new Promise(() => {});
    for (let index = 0; index < 4; index++) void search();
    await waitFor(() => object.fileCalls.length === 4);
    object.onFiles = () => Response.json({ results: [], truncated: false });
    expect((await search()).status).toBe(429);
    time.advance(60_000);
    expect((await search()).status).toBe(200);
  });

  it("HTTP21 Open streams are bounded per user, and no longer count when they end", async () => {
    const { ask, seed, feed } = limited({ LIMIT_OPEN_STREAMS: "2" });
    const { id, object } = seed();
    const open = (): Promise<Response> => ask(`/api/threads/${id}/events`);
    const first = await open();
    await ask(`/api/threads/${id}/messages`, post({ content: "x" }, { headers: { accept: "text/event-stream" } }));
    expect(await refusalOf(await open())).toMatchObject({ status: 429, code: "rate_limited" });
    expect((await ask(`/api/threads/${id}/events`, { token: adminToken })).status).toBe(200);
    const back = feed("anna").nextReturn();
    await first.body?.cancel();
    await back;
    expect((await open()).status).toBe(200);
    expect(object.subscribers).toHaveLength(4);
  });

  it("HTTP21 A refused stream does not count as open", async () => {
    const { ask, seed } = limited({ LIMIT_OPEN_STREAMS: "1" });
    const { id } = seed("bernd");
    for (let index = 0; index < 3; index++) expect((await ask(`/api/threads/${id}/events`)).status).toBe(404);
  });
});
