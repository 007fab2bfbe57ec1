// Pages of other origins: what they may read and open.

import { describe, expect, it } from "vitest";

import { origin, testApp, tokens } from "./support/test-app.ts";

const listed = "https://app.example";
const variables = { API_TOKENS: tokens, ALLOWED_ORIGINS: ` ${listed} , https://other.example` };

describe("listed origins", () => {
  it("AUTH10 A preflight request from a listed origin is answered with the CORS headers that allow the request", async () => {
    const headers = {
      origin: listed,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type",
    };
    const response = await testApp({ variables }).ask("/api/threads", { method: "OPTIONS", token: null, headers });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(listed);
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(response.headers.get("vary")).toContain("origin");
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
  });

  it("AUTH10 Responses and errors have CORS headers for a listed origin", async () => {
    const { ask } = testApp({ variables });
    for (const token of ["anna-secret", "wrong"]) {
      const response = await ask("/api/agents", { token, headers: { origin: listed } });
      expect(response.headers.get("access-control-allow-origin")).toBe(listed);
    }
  });

  it.each(["https://evil.example", "https://app.example.evil", "http://app.example", "null"])(
    "AUTH10 The origin %s, which is not listed, gets no CORS header",
    async (foreign) => {
      const { ask } = testApp({ variables });
      for (const method of ["GET", "OPTIONS"]) {
        const response = await ask("/api/agents", { method, headers: { origin: foreign } });
        expect(response.headers.has("access-control-allow-origin")).toBe(false);
      }
    },
  );

  it.each(["*", "app.example", "https://app.example/", "https://app.example,*"])(
    "AUTH10 An invalid list of origins (%s) allows no origin",
    async (list) => {
      const { ask, log } = testApp({ variables: { API_TOKENS: tokens, ALLOWED_ORIGINS: list } });
      const response = await ask("/api/agents", { headers: { origin: listed } });
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
      expect(log[0]).toContain("ALLOWED_ORIGINS");
    },
  );
});

describe("upgrades", () => {
  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    [listed, 101],
    [origin, 101],
  ])("AUTH11 An upgrade from a page of the origin %s is answered %i", async (from, status) => {
    const { ask, seed } = testApp({ variables });
    const { id } = seed();
    const response = await ask(`/api/threads/${id}/stream`, { headers: { upgrade: "websocket", origin: from } });
    response.webSocket?.accept();
    response.webSocket?.close(1000);
    expect(response.status).toBe(status);
  });

  it("AUTH11 A request to the WebSocket route without an upgrade is answered with status 426 and the header `Upgrade: websocket`", async () => {
    const { ask, seed } = testApp();
    const { id } = seed();
    const response = await ask(`/api/threads/${id}/stream`);
    expect(response.status).toBe(426);
    expect(response.headers.get("upgrade")).toBe("websocket");
  });
});
