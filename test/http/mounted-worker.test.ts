// Threads in a Worker that exists: served under a prefix, with the Worker's own authentication. The application and its objects are real.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import { deferred } from "#lib/deferred.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";
import type { ThreadholdOptions } from "#worker/threadhold-options.ts";

import { registry } from "../worker/definitions.ts";

const origin = "https://shop.example";
const users: Environment = {
  ...(env as unknown as Environment),
  OPEN_LOOPBACK: "",
  TICKET_SECRET: "a secret for tickets",
  // Objects of users are shared with other test files.
  LIMIT_OPEN_STREAMS: "1000",
  LIMIT_ACTIVE_RUNS: "1000",
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
};

/** A session cookie of the shop: `session=mia`, or `session=root` for an administrator. */
const bySession: ThreadholdOptions["authenticate"] = (request) => {
  const session = /\bsession=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  if (session === undefined) return null;
  return session === "root" ? { user: null, role: "admin" } : { user: session, role: "user" };
};

function worker(options: ThreadholdOptions, variables: Environment = users) {
  const { fetch } = compose(registry, options);
  return (path: string, init: RequestInit = {}, cookie?: string): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookie !== undefined) headers.set("cookie", cookie);
    return fetch(new Request(new URL(path, origin), { ...init, headers }), variables, createExecutionContext());
  };
}

const json = (body: object): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

describe("a prefix", () => {
  const send = worker({ prefix: "/agents/", authenticate: bySession });

  it("MOUNT1 Threads are served only under the prefix, there also under /api/~, and the Location header contains the prefix", async () => {
    const created = await send("/agents/api/threads", json({ agent_id: "parallel" }), "session=mia");
    expect(created.status).toBe(201);
    const { id } = await created.json<{ id: string }>();
    expect(created.headers.get("location")).toBe(`/agents/api/threads/${id}`);
    expect((await send(`/agents/api/~/threads/${id}`, {}, "session=mia")).status).toBe(200);
    for (const path of [`/api/threads/${id}`, `/agentsapi/threads/${id}`, "/"]) {
      const refused = await send(path, {}, "session=mia");
      expect([path, refused.status]).toEqual([path, 404]);
      expect(await refused.json()).toMatchObject({ error: { code: "route_not_found" } });
    }
  });

  it("MOUNT2 The OpenAPI document names the prefix as its server, and without a path for the playground a page is refused with the way to set one", async () => {
    const document = await (await send("/agents/api/openapi.json", {}, "session=mia")).json();
    expect(document).toMatchObject({ servers: [{ url: "/agents" }] });
    for (const path of ["/agents", "/agents/", "/agents/threads/some"]) {
      const page = await send(path, { headers: { accept: "text/html" } });
      const { error } = await page.json<{ error: { message: string } }>();
      expect([page.status, error.message]).toEqual([
        404,
        `There is nothing at ${path === "/agents" ? "/agents/" : path}. The playground is not served. The option \`playground\` of \`createThreadhold\`, or the variable PLAYGROUND, sets its path, such as /agents/studio. The API is at /agents/api, and its description at /agents/api/openapi.json.`,
      ]);
    }
  });

  it("MOUNT3 The client works under the prefix: it creates a thread, streams the answer to a message, follows the thread's events, and lists the messages", async () => {
    const client = new ThreadholdClient({
      url: `${origin}/agents`,
      fetch: (url, init) => send(url, init, "session=mia"),
      WebSocket: null,
    });
    const { id } = await client.threads.create({ agent_id: "parallel" });
    const thread = client.thread(id);
    const followed = deferred<null>();
    const leave = thread.on("snapshot", () => followed.resolve(null));
    await followed.promise;
    const sending = thread.send("Hello");
    let streamed = "";
    for await (const text of sending.text) streamed += text;
    expect(streamed).toBe("echo: Hello");
    expect(await sending).toMatchObject({ status: "completed", text: streamed });
    expect(thread.state.messages.map(({ content }) => content)).toEqual(["Hello", "echo: Hello"]);
    const types: string[] = [];
    for await (const { type } of thread.events({ after: 0, until: "idle" })) types.push(type);
    expect(types).toEqual(expect.arrayContaining(["run_start", "message_end", "run_end"]));
    const { items } = await thread.messages.list();
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant"]);
    leave();
  });

  it("MOUNT4 A ticket opens the stream under the prefix, and the pass cookie is sent only there", async () => {
    const created = await send("/agents/api/threads", json({ agent_id: "parallel" }), "session=mia");
    const { id } = await created.json<{ id: string }>();
    const path = `/api/threads/${id}/events`;
    const { ticket } = await (
      await send("/agents/api/tickets", json({ path }), "session=mia")
    ).json<{ ticket: string }>();
    const stream = await send(`/agents${path}?ticket=${ticket}`, { headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("set-cookie")).toMatch(new RegExp(`; Path=/agents${path};`));
    await stream.body?.cancel();
  });

  it("MOUNT5 A prefix that is no path is refused when the Worker is built", () => {
    for (const prefix of ["agents", "/a b", "//other.example", "/a?b", "/../up/é"]) {
      expect(() => worker({ prefix }), prefix).toThrow(TypeError);
    }
  });
});

describe("the Worker's own authentication", () => {
  const send = worker({ authenticate: bySession });

  it("OWNAUTH1 A request without an identity is refused, a user can read only the user's own threads, and an administrator can read any thread", async () => {
    expect((await send("/api/threads", json({ agent_id: "parallel" }))).status).toBe(401);
    const created = await send("/api/threads", json({ agent_id: "parallel" }), "session=mia");
    const { id, user_id } = await created.json<{ id: string; user_id: string }>();
    expect(user_id).toBe("mia");
    const status = async (cookie: string): Promise<number> => (await send(`/api/threads/${id}`, {}, cookie)).status;
    expect([await status("session=mia"), await status("session=tom"), await status("session=root")]).toEqual([
      200, 404, 200,
    ]);
  });

  it("OWNAUTH2 A page of another origin cannot change anything with a visitor's cookie, unless the origin is allowed", async () => {
    const foreign = { ...json({ agent_id: "parallel" }) };
    foreign.headers = { ...(foreign.headers as Record<string, string>), origin: "https://evil.example" };
    expect((await send("/api/threads", foreign, "session=mia")).status).toBe(403);
    const open = worker({ authenticate: bySession }, { ...users, ALLOWED_ORIGINS: "https://evil.example" });
    expect((await open("/api/threads", foreign, "session=mia")).status).toBe(201);
    const upgrade = { headers: { upgrade: "websocket", origin: "https://evil.example" } };
    expect((await send(`/api/threads/${crypto.randomUUID()}/stream`, upgrade, "session=mia")).status).toBe(403);
  });

  it("OWNAUTH3 A request is answered 500 if the authentication function throws or returns an invalid identity", async () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => {});
    const values: unknown[] = [
      {},
      { user: "anna" },
      { user: "", role: "user" },
      { user: null, role: "user" },
      { user: "x", role: "root" },
    ];
    for (const value of values) {
      const answer = await worker({ authenticate: () => value as null })("/api/threads");
      expect([value, answer.status]).toEqual([value, 500]);
    }
    const failing = worker({ authenticate: () => Promise.reject(new Error("the session store is down")) });
    const answer = await failing("/api/threads");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("session store");
    lines.mockRestore();
  });

  it("OWNAUTH4 The API is closed if both an authentication function and a variable identify callers", async () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => {});
    const closed = worker({ authenticate: bySession }, { ...users, API_TOKENS: "secret" });
    const answer = await closed("/api/threads", {}, "session=mia");
    expect(await answer.json()).toMatchObject({
      error: { code: "auth_not_configured", message: expect.stringContaining("API_TOKENS") as unknown },
    });
    lines.mockRestore();
  });
});

describe("an env that is another object at each request", () => {
  /** Sends each request with a copy of the variables. */
  function copying(variables: Environment, own: ThreadholdOptions = {}) {
    const { fetch } = compose(registry, own);
    return (path: string, token: string, more: object = {}): Promise<Response> => {
      const request = new Request(new URL(path, origin), { headers: { authorization: `Bearer ${token}` } });
      return fetch(request, { ...variables, ...more }, createExecutionContext());
    };
  }
  const tokens: Environment = { ...users, API_TOKENS: "mia-token-0001=mia", LIMIT_CHANGES_PER_MINUTE: "100000" };

  it("MOUNT6 Limits that are counted in memory hold for copies of the Worker's env", async () => {
    const send = copying({ ...tokens, LIMIT_LISTS_PER_MINUTE: "3" });
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) statuses.push((await send("/api/threads", "mia-token-0001")).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it("MOUNT6 Wrong credentials are delayed for copies of the Worker's env", async () => {
    const send = copying(tokens);
    const statuses = [];
    for (let sent = 0; sent < 7; sent += 1) statuses.push((await send("/api/threads", "wrong")).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it("MOUNT6 An env with other entries has a deployment of its own", async () => {
    const send = copying(tokens);
    const other = { API_TOKENS: "tom-token-0001=tom" };
    const status = async (token: string, more?: object): Promise<number> =>
      (await send("/api/caller", token, more)).status;
    expect(await status("mia-token-0001")).toBe(200);
    expect(await status("mia-token-0001", other)).toBe(401);
    expect(await status("tom-token-0001", other)).toBe(200);
    expect(await status("tom-token-0001")).toBe(401);
    // An entry that is absent differs from one that is undefined.
    expect(await status("mia-token-0001", { API_TOKENS: undefined })).toBe(503);
    expect(await status("mia-token-0001")).toBe(200);
  });

  it("MOUNT6 Envs with other entries at each request are an error in the log, once, because limits in memory do not hold", async () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => {});
    const send = copying(tokens);
    for (let sent = 0; sent < 12; sent += 1)
      expect((await send("/api/caller", "mia-token-0001", { REQUEST_ID: String(sent) })).status).toBe(200);
    const logged = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('"variable":"env"'));
    lines.mockRestore();
    expect(logged).toEqual([expect.stringContaining("do not hold")]);
  });
});
