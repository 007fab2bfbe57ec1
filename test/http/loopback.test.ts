// The open loopback mode when the Host header proves nothing: which requests are served, which are redirected first, and which pages may
// read the responses.

import { describe, expect, it } from "vitest";

import { refusalOf, testApp } from "./support/test-app.ts";

const variables = { OPEN_LOOPBACK: "true" };
const base = "http://localhost:8787";
/** The headers that Node's fetch sends. A page on a rebound name can imitate all of them but `User-Agent`. */
const nodeFetch = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  "accept-language": "*",
  "sec-fetch-mode": "cors",
  "user-agent": "node",
};

function openApp() {
  const { ask, time } = testApp({ variables });
  const get = (
    path: string,
    headers: Record<string, string> = nodeFetch,
    more: { method?: string; base?: string } = {},
  ) => ask(path, { token: null, headers, base, ...more });
  const targetOf = async (path: string): Promise<string> => {
    const response = await get(path);
    expect(response.status).toBe(307);
    return (response.headers.get("location") ?? "").slice(base.length);
  };
  return { get, targetOf, time };
}

describe("redirects in open loopback mode", () => {
  const cases: [string, number, Record<string, string>][] = [
    ["what curl sends", 200, { accept: "*/*", "user-agent": "curl/8.5.0" }],
    ["no header", 200, {}],
    ["what Node's fetch sends", 307, nodeFetch],
    ["an encoding", 307, { "accept-encoding": "gzip" }],
    ["a language", 307, { "accept-language": "en" }],
    ["a browser's name", 307, { "user-agent": "Mozilla/5.0 (X11)" }],
    ["a foreign site", 403, { "sec-fetch-site": "cross-site" }],
    ["the page itself", 200, { ...nodeFetch, "sec-fetch-site": "same-origin" }],
    ["a page of this machine on another port", 200, { ...nodeFetch, "sec-fetch-site": "same-site" }],
    ["an address typed by hand", 200, { ...nodeFetch, "sec-fetch-site": "none" }],
    ["its own origin", 200, { ...nodeFetch, origin: base }],
    ["another origin", 403, { origin: "http://evil.example:8787", "sec-fetch-site": "same-origin" }],
  ];
  it.each(cases)("AUTH13 A GET in open loopback mode with %s is answered %d", async (_name, status, headers) => {
    const { get } = openApp();
    expect((await get("/api/agents", headers)).status).toBe(status);
    // Public routes show the findings of the build; a foreign page may ask for them, and cannot read the answer.
    expect((await get("/healthz", headers)).status).toBe(status === 403 ? 200 : status);
  });

  it("AUTH13 A WebSocket upgrade and a method other than GET or HEAD are not redirected, because browsers send an Origin header with them", async () => {
    const { get } = openApp();
    expect((await get("/api/agents", nodeFetch, { method: "HEAD" })).status).toBe(307);
    expect((await get("/api/agents", nodeFetch, { method: "DELETE" })).status).toBe(405);
    const path = `/api/threads/${crypto.randomUUID()}/stream`;
    expect((await get(path, { ...nodeFetch, upgrade: "websocket" })).status).toBe(404);
    expect((await get("/api/agents", { ...nodeFetch, origin: "null" }, { method: "DELETE" })).status).toBe(405);
    expect((await get("/api/threads", { ...nodeFetch, origin: "null" }, { method: "POST" })).status).toBe(403);
  });

  it("AUTH13 A redirect's token is valid for one address, once, for thirty seconds", async () => {
    const { get, targetOf, time } = openApp();
    const path = "/api/threads?limit=5";
    const target = await targetOf(path);
    expect(target).toMatch(/^\/api\/threads\?limit=5&loopback_proof=[0-9a-f-]{36}$/);
    const token = target.slice(-36);
    expect((await get(`/api/agents?loopback_proof=${token}`)).status).toBe(307);
    expect((await get(await targetOf(path))).status).toBe(200);

    const used = await targetOf("/api/agents");
    expect((await get(used)).status).toBe(200);
    // A used token does not stay in the address of the next redirect.
    const again = await get(used);
    expect([again.status, again.headers.get("location")]).toEqual([307, expect.not.stringContaining(used.slice(-36))]);

    const late = await targetOf("/api/agents");
    time.advance(30_000);
    expect((await get(late)).status).toBe(307);
  });

  it("AUTH13 A redirect leads to the requested loopback address and must not be cached", async () => {
    const response = await openApp().get("/api/agents", nodeFetch, { base: "http://[::1]:8787" });
    expect(response.headers.get("location")).toMatch(/^http:\/\/\[::1\]:8787\/api\/agents\?loopback_proof=/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const foreign = await openApp().get("/api/agents", { ...nodeFetch, host: "evil.example:8787" });
    expect([foreign.status, foreign.headers.get("location")]).toEqual([503, null]);
  });

  it("AUTH13 Neither a redirect nor an Origin header proves where a request comes from if wrangler hides the requested host name", async () => {
    const { get } = openApp();
    const hidden = { base: "http://localhost" };
    expect((await get("/api/agents", nodeFetch, hidden)).status).toBe(403);
    expect(
      (await get("/api/threads", { ...nodeFetch, origin: "http://localhost" }, { ...hidden, method: "POST" })).status,
    ).toBe(403);
    // Without an Origin another method proves nothing either, unless no browser sends such a request.
    expect((await get("/api/threads", nodeFetch, { ...hidden, method: "POST" })).status).toBe(403);
    const curl = { accept: "*/*", "user-agent": "curl/8.5.0" };
    expect((await get("/api/agents", curl, { ...hidden, method: "DELETE" })).status).toBe(405);
    const own = { ...nodeFetch, origin: "http://localhost", "sec-fetch-site": "same-origin" };
    expect((await get("/api/agents", own, hidden)).status).toBe(200);
    expect((await get("/api/agents", {}, hidden)).status).toBe(200);
  });

  it("AUTH13 A request is not redirected if credentials are configured", async () => {
    const response = await testApp().ask("/api/agents", { headers: nodeFetch });
    expect(response.status).toBe(200);
  });
});

describe("pages of this machine", () => {
  const pages: [string, boolean][] = [
    ["http://localhost:5199", true],
    ["https://localhost:5199", true],
    ["http://127.0.0.1:3000", true],
    ["http://127.9.9.9", true],
    ["http://[::1]:8080", true],
    ["https://app.example", true],
    ["http://localhost.example:5199", false],
    ["http://127.0.0.1.example", false],
    ["http://192.168.0.2:5199", false],
    ["http://evil.localhost:5199", false],
    ["https://evil.example", false],
    ["file://", false],
    ["null", false],
  ];
  it.each(pages)(
    "AUTH20 A page of the origin %s may call the API in open loopback mode and read the responses: %s",
    async (origin, allowed) => {
      const { ask, seed } = testApp({ variables: { ...variables, ALLOWED_ORIGINS: "https://app.example" } });
      const { id } = seed(null);
      const headers = { ...nodeFetch, origin, "sec-fetch-site": "cross-site" };
      const answers = await Promise.all([
        ask("/api/agents", { token: null, headers, base }),
        ask(`/api/threads/${id}/messages`, { method: "POST", token: null, headers, base, json: { content: "hi" } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(allowed ? [200, 202] : [403, 403]);
      const preflight = await ask("/api/threads", {
        method: "OPTIONS",
        token: null,
        headers: { ...headers, "access-control-request-method": "POST" },
        base,
      });
      for (const answer of [...answers, preflight]) {
        expect(answer.headers.get("access-control-allow-origin")).toBe(allowed ? origin : null);
        expect(answer.headers.get("vary") ?? "").toContain(allowed ? "origin" : "");
      }
      const socket = await ask(`/api/threads/${id}/stream`, {
        token: null,
        headers: { upgrade: "websocket", origin },
        base,
      });
      socket.webSocket?.accept();
      socket.webSocket?.close(1000);
      expect(socket.status).toBe(allowed ? 101 : 403);
    },
  );

  it("AUTH20 If credentials are configured, a page of this machine gets no CORS header, and its WebSocket upgrade is refused", async () => {
    const origin = "http://localhost:5199";
    const response = await testApp().ask("/api/agents", { headers: { origin }, base });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    const upgrade = { upgrade: "websocket", origin };
    expect((await testApp().ask(`/api/threads/${crypto.randomUUID()}/stream`, { headers: upgrade, base })).status).toBe(
      403,
    );
    expect(
      await refusalOf(await testApp().ask("/api/agents", { token: null, headers: { origin }, base })),
    ).toMatchObject({
      status: 401,
    });
  });
});
