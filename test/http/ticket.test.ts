// Tickets and passes: how a browser opens a stream without a header.

import { describe, expect, it } from "vitest";

import { refusalOf, testApp } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

async function ticketFor(app: TestApp, path: string): Promise<string> {
  const response = await app.ask("/api/tickets", { method: "POST", json: { path } });
  expect(response.status).toBe(200);
  const { ticket, expires_at } = await response.json<{ ticket: string; expires_at: number }>();
  expect(expires_at).toBe(app.time.now() + 30_000_000);
  return ticket;
}

const upgrade = { token: null, headers: { upgrade: "websocket" } };

async function cancelled(response: Response): Promise<number> {
  await response.body?.cancel();
  response.webSocket?.accept();
  response.webSocket?.close(1000);
  return response.status;
}

describe("a ticket", () => {
  it("AUTH8 A ticket opens the socket of the path for which it was issued, only once, as the caller who requested it", async () => {
    const app = testApp();
    const { id, object } = app.seed();
    const path = `/api/threads/${id}/stream`;
    const ticket = await ticketFor(app, path);
    expect(await cancelled(await app.ask(`${path}?ticket=${ticket}&after=7`, upgrade))).toBe(101);
    const url = object.subscribers[0]?.url;
    expect(url?.searchParams.get("after")).toBe("7");
    expect(url?.searchParams.has("ticket")).toBe(false);
    const caller: unknown = JSON.parse(object.subscribers[0]?.request.headers.get("x-threadhold-caller") ?? "");
    expect(caller).toEqual({ user: "anna", admin: false, lease: { id: expect.any(String) as string, bridged: false } });
    expect((await app.ask(`${path}?ticket=${ticket}`, upgrade)).status).toBe(401);
  });

  it("AUTH8 A ticket is refused on any path other than the one for which it was issued", async () => {
    const app = testApp();
    const { id } = app.seed();
    const other = app.seed();
    const ticket = await ticketFor(app, `/api/threads/${id}/stream`);
    for (const path of [
      `/api/threads/${other.id}/stream`,
      `/api/~/threads/${id}/stream`,
      `/api/threads/${id}/events`,
    ]) {
      expect((await app.ask(`${path}?ticket=${ticket}`, upgrade)).status).toBe(401);
    }
    expect((await app.ask(`/api/threads/${id}?ticket=${ticket}`, { token: null })).status).toBe(401);
    expect(await cancelled(await app.ask(`/api/threads/${id}/stream?ticket=${ticket}`, upgrade))).toBe(101);
  });

  it("AUTH8 A ticket is valid for 30 seconds", async () => {
    const app = testApp();
    const { id } = app.seed();
    const path = `/api/~/threads/${id}/stream`;
    const early = await ticketFor(app, path);
    const late = await ticketFor(app, path);
    app.time.advance(29_999);
    expect(await cancelled(await app.ask(`${path}?ticket=${early}`, upgrade))).toBe(101);
    app.time.advance(1);
    expect((await app.ask(`${path}?ticket=${late}`, upgrade)).status).toBe(401);
  });

  it("AUTH8 A ticket gives no access to another user's thread", async () => {
    const app = testApp();
    const { id } = app.seed("bernd");
    const path = `/api/threads/${id}/stream`;
    expect((await app.ask(`${path}?ticket=${await ticketFor(app, path)}`, upgrade)).status).toBe(404);
  });

  it.each<[string, (ticket: string) => string]>([
    ["without its signature", (ticket) => ticket.split(".")[0] ?? ""],
    ["with another signature", (ticket) => `${ticket.split(".")[0] ?? ""}.${btoa("x".repeat(32))}`],
    ["with another payload", (ticket) => `${btoa('{"admin":true}')}.${ticket.split(".")[1] ?? ""}`],
    ["with something behind", (ticket) => `${ticket}.x`],
    ["that is empty", () => ""],
    ["that is noise", () => "%00%ff"],
  ])("AUTH8 A forged ticket, %s, is refused and counts as a guess", async (_name, forge) => {
    const app = testApp();
    const { id, object } = app.seed();
    const path = `/api/threads/${id}/stream`;
    const forged = forge(await ticketFor(app, path));
    for (let index = 0; index < 5; index++) {
      expect((await app.ask(`${path}?ticket=${forged}`, upgrade)).status).toBe(401);
    }
    expect((await app.ask(`${path}?ticket=${forged}`, upgrade)).status).toBe(429);
    expect(object.calls).toEqual([]);
  });

  it("AUTH8 A ticket of another deployment is refused", async () => {
    const foreign = testApp({ variables: { API_TOKENS: "other-admin,anna-secret=anna" } });
    const app = testApp();
    const { id } = app.seed();
    const path = `/api/threads/${id}/stream`;
    expect((await app.ask(`${path}?ticket=${await ticketFor(foreign, path)}`, upgrade)).status).toBe(401);
  });

  it.each([
    "/api/threads",
    "/api/agents",
    "/api/threads/x/stream?after=1",
    "/api/threads/x/messages",
    "/other",
    "/api/",
  ])("AUTH8 A request for a ticket for the path %s is refused", async (path) => {
    const response = await testApp().ask("/api/tickets", { method: "POST", json: { path } });
    expect(await refusalOf(response)).toEqual({ status: 400, code: "invalid_request", fields: ["path"] });
  });
});

describe("a pass", () => {
  async function opened(): Promise<{ app: TestApp; url: string; cookie: string; setCookie: string; id: string }> {
    const app = testApp();
    const { id } = app.seed();
    const path = `/api/threads/${id}/events`;
    const url = `${path}?ticket=${await ticketFor(app, path)}`;
    const response = await app.ask(url, { token: null });
    expect(await cancelled(response)).toBe(200);
    const setCookie = response.headers.get("set-cookie") ?? "";
    return { app, url, setCookie, cookie: setCookie.split(";")[0] ?? "", id };
  }

  it("AUTH9 The first use of a ticket sets a pass cookie for the ticket's path alone, which scripts cannot read", async () => {
    const { setCookie, id } = await opened();
    expect(setCookie.split("; ").slice(1)).toEqual([
      `Path=/api/threads/${id}/events`,
      "Max-Age=43200",
      "HttpOnly",
      "SameSite=Strict",
      "Secure",
    ]);
  });

  it("AUTH9 A pass cookie opens the ticket's URL again for twelve hours, also after the ticket has expired", async () => {
    const { app, url, cookie } = await opened();
    app.time.advance(3_600_000);
    const headers = { cookie: `other=1; ${cookie}`, "last-event-id": "5" };
    expect(await cancelled(await app.ask(url, { token: null, headers }))).toBe(200);
    expect((await app.ask(url, { token: null })).status).toBe(401);
    app.time.advance(12 * 3_600_000);
    expect((await app.ask(url, { token: null, headers })).status).toBe(401);
  });

  it("AUTH9 A pass cookie is refused without its ticket or with a different ticket, and is not accepted in place of a ticket", async () => {
    const { app, cookie, id } = await opened();
    const path = `/api/threads/${id}/events`;
    expect((await app.ask(path, { token: null, headers: { cookie } })).status).toBe(401);
    const other = await ticketFor(app, path);
    expect(await cancelled(await app.ask(`${path}?ticket=${other}`, { token: null }))).toBe(200);
    expect((await app.ask(`${path}?ticket=${other}`, { token: null, headers: { cookie } })).status).toBe(401);
    expect((await app.ask(`${path}?ticket=${cookie.split("=")[1] ?? ""}`, { token: null })).status).toBe(401);
  });
});
