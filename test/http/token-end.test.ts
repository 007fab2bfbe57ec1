// The end of a signed token: streams that it opened end with it, and so do tickets and passes that were made with it.

import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";

import { SseReader } from "./support/sse-reader.ts";
import { testApp } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

const secret = "a-secret-that-only-the-issuer-knows";
const upgrade = { upgrade: "websocket" };

function newApp(): TestApp {
  return testApp({ variables: { JWT_SECRET: secret } });
}

/** A token of anna's that is valid for this many seconds. */
function tokenFor(app: TestApp, seconds: number): Promise<string> {
  return new SignJWT({ sub: "anna", exp: Math.floor(app.time.now() / 1e6) + seconds })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));
}

async function ticketFor(app: TestApp, path: string, seconds: number): Promise<{ ticket: string; expires_at: number }> {
  const token = await tokenFor(app, seconds);
  return (await app.ask("/api/tickets", { method: "POST", token, json: { path } })).json();
}

async function closed(response: Response): Promise<number> {
  await response.body?.cancel();
  response.webSocket?.accept();
  response.webSocket?.close(1000);
  return response.status;
}

describe("a signed token that ends", () => {
  it("AUTH15 An event stream ends when the signed token of its request expires, and no event is sent after that", async () => {
    const app = newApp();
    const { id, object } = app.seed();
    const response = await app.ask(`/api/threads/${id}/events?after=0`, { token: await tokenFor(app, 10) });
    const reader = new SseReader(response);
    object.emit({ type: "custom", name: "n", data: "before" });
    expect(await reader.nextFrame()).toMatchObject({ event: "custom" });
    app.time.advance(9999);
    object.emit({ type: "custom", name: "n", data: "still" });
    expect(await reader.nextFrame()).toMatchObject({ event: "custom" });
    app.time.advance(1);
    object.emit({ type: "custom", name: "n", data: "after" });
    expect(await reader.next()).toBeNull();
    expect((await app.ask(`/api/threads/${id}/events`, { token: await tokenFor(app, 0) })).status).toBe(401);
  });

  it("AUTH15 A feed ends when the signed token of its request expires", async () => {
    const app = newApp();
    const response = await app.ask("/api/threads/events", { token: await tokenFor(app, 10) });
    const reader = new SseReader(response);
    expect(await reader.nextFrame()).toMatchObject({ event: "feed_start" });
    app.time.advance(10_000);
    expect(await reader.next()).toBeNull();
  });

  it("AUTH15 An event stream with a signed token of 30 days ends after 30 days, although no single timer can be that long", async () => {
    const app = newApp();
    const { id, object } = app.seed();
    const days = 24 * 3600;
    const response = await app.ask(`/api/threads/${id}/events?after=0`, { token: await tokenFor(app, 30 * days) });
    const reader = new SseReader(response);
    app.time.advance(29 * days * 1000);
    object.emit({ type: "custom", name: "n", data: "still" });
    expect(await reader.nextFrame()).toMatchObject({ event: "custom" });
    app.time.advance(days * 1000);
    expect(await reader.next()).toBeNull();
  });

  it("AUTH15 The object receives the expiry time of a socket's token, and none for the stream of a posted message", async () => {
    const app = newApp();
    const { id, object } = app.seed();
    const until = String(app.time.now() + 10_000_000);
    const token = await tokenFor(app, 10);
    expect(await closed(await app.ask(`/api/threads/${id}/stream`, { token, headers: upgrade }))).toBe(101);
    expect(object.subscribers.at(-1)?.url.searchParams.get("ends_at")).toBe(until);
    expect(await closed(await app.ask("/api/threads/events", { token, headers: upgrade }))).toBe(101);
    expect(app.feed("anna").watchers.at(-1)?.url.searchParams.get("ends_at")).toBe(until);
    const forged = await app.ask(`/api/threads/${id}/stream?ends_at=99999999999999999`, { token, headers: upgrade });
    expect(forged.status).toBe(400);
    const headers = { accept: "text/event-stream" };
    await closed(
      await app.ask(`/api/threads/${id}/messages`, { method: "POST", token, headers, json: { content: "Hello" } }),
    );
    expect(object.subscribers.at(-1)?.url.searchParams.has("run_id")).toBe(true);
    expect(object.subscribers.at(-1)?.url.searchParams.has("ends_at")).toBe(false);
  });

  it("AUTH15 A ticket and a pass are not valid longer than the signed token with which they were requested", async () => {
    const app = newApp();
    const { id, object } = app.seed();
    const socket = `/api/threads/${id}/stream`;
    const short = await ticketFor(app, socket, 10);
    expect(short.expires_at).toBe(app.time.now() + 10_000_000);
    expect((await ticketFor(app, socket, 100)).expires_at).toBe(app.time.now() + 30_000_000);
    const opened = await app.ask(`${socket}?ticket=${short.ticket}`, { token: null, headers: upgrade });
    expect(await closed(opened)).toBe(101);
    expect(object.subscribers.at(-1)?.url.searchParams.get("ends_at")).toBe(String(app.time.now() + 10_000_000));

    const events = `/api/threads/${id}/events`;
    const { ticket } = await ticketFor(app, events, 100);
    const first = await app.ask(`${events}?ticket=${ticket}`, { token: null });
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    const reader = new SseReader(first);
    const again = async () => closed(await app.ask(`${events}?ticket=${ticket}`, { token: null, headers: { cookie } }));
    app.time.advance(99_999);
    expect(await again()).toBe(200);
    app.time.advance(1);
    expect(await reader.nextFrame()).toBeNull();
    expect(await again()).toBe(401);
  });
});
