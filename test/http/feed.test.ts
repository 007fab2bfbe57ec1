// The feed's route: who may watch whose threads, with which credentials, and the frames that are sent.

import { describe, expect, it } from "vitest";

import { adminToken, berndToken, refusalOf, testApp } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

const path = "/api/threads/events";
const upgrade = { headers: { upgrade: "websocket" } };

async function left(response: Response): Promise<number> {
  await response.body?.cancel();
  response.webSocket?.accept();
  response.webSocket?.close(1000);
  return response.status;
}

async function ticketFor(app: TestApp, of = path, token?: string): Promise<string> {
  const requested = { method: "POST", json: { path: of }, ...(token === undefined ? {} : { token }) };
  const response = await app.ask("/api/tickets", requested);
  return (await response.json<{ ticket: string }>()).ticket;
}

/** Returns the next piece of a stream. */
function pieces(response: Response): { next: () => Promise<string>; leave: () => Promise<void> | undefined } {
  // The body is read directly. A stream in between would read ahead, and each read acknowledges the frames before it.
  const reader = response.body?.getReader();
  const text = new TextDecoder();
  return { next: async () => text.decode((await reader?.read())?.value), leave: () => reader?.cancel() };
}

describe("access to a feed", () => {
  it("FEED1 A feed shows a user the user's own threads, and an administrator the threads without an owner or those of the user in `user_id`", async () => {
    const app = testApp();
    const received = async (query: string, token?: string): Promise<(string | null)[]> => {
      app.reached.length = 0;
      const options = { ...upgrade, ...(token === undefined ? {} : { token }) };
      expect(await left(await app.ask(`${path}${query}`, options))).toBe(101);
      const owners = ["anna", "bernd", null].filter((owner) => app.feed(owner).watchers.length > 0);
      for (const owner of owners) {
        const watcher = app.feed(owner).watchers.pop();
        expect(watcher?.url.searchParams.get("owner")).toBe(JSON.stringify(owner));
      }
      return owners;
    };
    expect(await received("")).toEqual(["anna"]);
    expect(await received("?user_id=anna")).toEqual(["anna"]);
    expect(await received("", berndToken)).toEqual(["bernd"]);
    expect(await received("", adminToken)).toEqual([null]);
    expect(await received("?user_id=bernd", adminToken)).toEqual(["bernd"]);
  });

  it.each(["bernd", "", "anna%20", "Anna", "anna%00", "nobody", "null", '"anna"', "%ud800", "user%20%22bernd%22"])(
    "FEED1 A user who requests the feed of another user (%j) is refused, and no object is called",
    async (other) => {
      const app = testApp();
      for (const options of [{}, upgrade]) {
        const refused = await refusalOf(await app.ask(`${path}?user_id=${other}`, options));
        expect(refused).toMatchObject({ status: 403, code: "forbidden" });
      }
      expect(app.reached).toEqual([]);
    },
  );

  it("FEED1 A feed request without credentials, with wrong ones, or with a wrong query reaches no object", async () => {
    const app = testApp();
    for (const options of [{ token: null }, { token: "wrong" }, { ...upgrade, token: null }]) {
      expect(await refusalOf(await app.ask(path, options))).toMatchObject({ status: 401 });
    }
    const after = await app.ask(`${path}?after=3`);
    expect(await refusalOf(after)).toEqual({ status: 400, code: "invalid_request", fields: ["after"] });
    const twice = await app.ask(`${path}?user_id=anna&user_id=bernd`, { token: adminToken });
    expect(twice.status).toBe(400);
    expect(app.reached).toEqual([]);
  });

  it("FEED2 A ticket opens only the feed path for which it was issued, and only once, whichever `user_id` a request names", async () => {
    const app = testApp();
    const nobody = { ...upgrade, token: null };
    const ticket = await ticketFor(app, path, adminToken);
    for (const other of [`/api/~/threads/events?ticket=${ticket}`, `/api/threads/events?ticket=${ticket}x`]) {
      expect((await app.ask(other, nobody)).status).toBe(401);
    }
    expect(await left(await app.ask(`${path}?ticket=${ticket}&user_id=bernd`, nobody))).toBe(101);
    expect(app.feed("bernd").watchers[0]?.url.search).not.toContain(ticket);
    for (const user of ["anna", "bernd", "carla"]) {
      expect((await app.ask(`${path}?ticket=${ticket}&user_id=${user}`, nobody)).status).toBe(401);
    }
    const annas = await ticketFor(app);
    expect((await app.ask(`${path}?ticket=${annas}&user_id=bernd`, nobody)).status).toBe(403);
    const { id } = app.seed();
    const threads = await ticketFor(app, `/api/threads/${id}/events`);
    expect((await app.ask(`${path}?ticket=${threads}`, nobody)).status).toBe(401);
  });

  it("FEED2 The first use of a ticket over SSE sets a pass cookie, which opens the same path again over SSE but not as a WebSocket", async () => {
    const app = testApp();
    const ticket = await ticketFor(app);
    const first = await app.ask(`${path}?ticket=${ticket}`, { token: null });
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toContain(`Path=${path};`);
    expect(await left(first)).toBe(200);
    const pass = { cookie: cookie.split(";")[0] ?? "" };
    expect(await left(await app.ask(`${path}?ticket=${ticket}`, { token: null, headers: pass }))).toBe(200);
    const again = { token: null, headers: { ...pass, upgrade: "websocket" } };
    expect((await app.ask(`${path}?ticket=${ticket}`, again)).status).toBe(401);
  });
});

describe("over SSE", () => {
  it("FEED3 Frames of a feed have no number to resume from, and are acknowledged when the client has read them", async () => {
    const app = testApp();
    const response = await app.ask(path);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const [watcher] = app.feed("anna").watchers;
    const { next, leave } = pieces(response);
    expect(await next()).toBe(": heartbeat\n\n");
    expect(await next()).toBe('event: feed_start\ndata: {"type":"feed_start","user_id":null,"seq":38}\n\n');
    watcher?.say('{"type":"thread_deleted","thread_id":"a thread","seq":90}');
    const deletion = '{"type":"thread_deleted","thread_id":"a thread","seq":90}';
    expect(await next()).toBe(`event: thread_deleted\ndata: ${deletion}\n\n`);
    // The deletion was sent, and nothing has confirmed yet that the client read it. The only timer is that of the heartbeat.
    await watcher?.acknowledgedUpTo(38);
    expect([watcher?.acknowledged, app.time.pending]).toEqual([[38], 1]);
    const silence = next();
    await app.time.armed(1000);
    app.time.advance(1000);
    await watcher?.acknowledgedUpTo(90);
    await leave();
    await silence;
    expect(await watcher?.left()).toBe(1000);
  });

  it("FEED3 The stream of a feed ends when its connection to the object ends, and does not reconnect, because it could miss messages", async () => {
    for (const code of [1001, 4408, 1011]) {
      const app = testApp();
      const response = await app.ask(path);
      app.feed("anna").watchers[0]?.drop(code);
      expect(await response.text()).toContain("feed_start");
      expect(app.feed("anna").watchers).toHaveLength(1);
    }
  });

  it("FEED3 An object that was reset is called again, a full feed refuses with Retry-After, and a HEAD request opens no feed", async () => {
    const app = testApp();
    app.feed("anna").failures.push(Object.assign(new Error("reset"), { durableObjectReset: true }));
    expect(await left(await app.ask(path))).toBe(200);
    const body = { error: { code: "rate_limited", message: "Full." } };
    app.feed("anna").refusal = Response.json(body, { status: 429, headers: { "retry-after": "5" } });
    const full = await app.ask(path);
    expect([full.status, full.headers.get("retry-after")]).toEqual([429, "5"]);
    const before = app.reached.length;
    const head = await app.ask(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), app.reached.length]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      before,
    ]);
  });

  it("FEED3 A feed without messages sends comments, and an open feed counts towards the caller's limit of open streams", async () => {
    const app = testApp({ variables: { API_TOKENS: "anna-secret=anna", LIMIT_OPEN_STREAMS: "1" } });
    const response = await app.ask(path);
    const { next, leave } = pieces(response);
    expect(await next()).toBe(": heartbeat\n\n");
    expect(await next()).toContain("feed_start");
    const silence = next();
    await app.time.armed(15_000);
    app.time.advance(15_000);
    expect(await silence).toBe(": heartbeat\n\n");
    expect((await app.ask(path)).status).toBe(429);
    const back = app.feed("anna").nextReturn();
    await leave();
    await back;
    expect(await left(await app.ask(path))).toBe(200);
  });
});
