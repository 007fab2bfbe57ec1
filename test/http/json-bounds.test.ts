// Bounds of JSON bodies on every route that accepts one: they are checked before a body is parsed and before anything is done.

import { describe, expect, it } from "vitest";

import type { BuiltInRoute } from "#contract/built-in-route.ts";
import { defaultBodyLimit } from "#contract/route.ts";

import { allRoutes } from "../support/all-routes.ts";
import { adminToken, testApp } from "./support/test-app.ts";
import type { ErrorBody, TestApp } from "./support/test-app.ts";

const withBody = Object.entries(allRoutes).filter(([, route]) => route.body !== undefined);

async function send({ ask, seed }: TestApp, { method, path }: BuiltInRoute<string>, body: string) {
  const { id } = seed(null);
  const at = path.replace(":id", id).replaceAll(/[:*]\w+\??/g, "x");
  const headers = { "content-type": "application/json" };
  const response = await ask(at, { method, token: adminToken, headers, body });
  return { status: response.status, error: (await response.json<ErrorBody>()).error };
}

describe("JSON of requests", () => {
  it("HTTP32 The bounds of JSON bodies are tested with more than ten routes", () =>
    expect(withBody.length).toBeGreaterThan(10));

  // Neither body is valid JSON, so a parser that ran first would refuse it for that reason.
  it.each(withBody)("HTTP32 %s refuses a body of too many values before it is parsed", async (_name, route) => {
    const app = testApp();
    const limit = route.bodyLimit ?? defaultBodyLimit;
    for (const value of ["1,", "[],", '{"a":""},', "null,"]) {
      const count = Math.floor((limit - 10) / value.length);
      if (count <= 100_000) continue;
      const { status, error } = await send(app, route, `{"a":[${value.repeat(count)}`);
      expect([status, error.code, error.details]).toEqual([413, "too_large", { bound: "values", limit: 100_000 }]);
      expect(error.message).toBe("The body has more than 100000 values.");
    }
    expect(app.reached).toEqual([]);
  });

  it.each(withBody)("HTTP32 %s refuses a body nested too deeply before it is parsed", async (_name, route) => {
    const app = testApp();
    const longest = Math.min(200_000, route.bodyLimit ?? defaultBodyLimit);
    for (const text of ["[".repeat(65), '{"a":'.repeat(65), "[".repeat(longest)]) {
      const { status, error } = await send(app, route, text);
      expect([status, error.code, error.details]).toEqual([400, "invalid_request", { bound: "depth", limit: 64 }]);
    }
    expect(app.reached).toEqual([]);
  });

  it("HTTP32 A body within the bounds is accepted, and its metadata is stored unchanged", async () => {
    const { ask } = testApp();
    const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as unknown;
    const metadata = { deep, list: Array<number>(30_000).fill(1), "": { "": [null, true, "x"] } };
    const response = await ask("/api/threads", { method: "POST", json: { agent_id: "helper", metadata } });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ metadata });
  });

  it("HTTP32 The error for a body with many wrong fields names at most twenty of them", async () => {
    const { ask } = testApp();
    const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`f${String(index)}`, 1]));
    const bodies = [
      { agent_id: "helper", ...fields },
      { agent_id: "helper", initial_messages: Array<number>(90_000).fill(1) },
      { agent_id: "helper", initial_messages: [{ role: "user", content: Array<number>(90_000).fill(1) }] },
    ];
    for (const json of bodies) {
      const response = await ask("/api/threads", { method: "POST", json });
      expect(response.status).toBe(400);
      const named = (await response.json<ErrorBody>()).error.details?.fields?.length ?? 0;
      expect(named).toBeGreaterThan(0);
      expect(named).toBeLessThanOrEqual(20);
    }
  });

  it("A body that breaks off is refused as an invalid request, and not logged as an internal error", async () => {
    const app = testApp();
    const { id } = app.seed();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"content":')),
      pull: (controller) => controller.error(new Error("the connection was lost")),
    });
    const headers = { "content-type": "application/json" };
    const response = await app.ask(`/api/threads/${id}/messages`, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect((await response.json<ErrorBody>()).error.code).toBe("invalid_request");
    expect(app.log).toEqual([]);
  });

  it("HTTP32 The first line of an import has the bounds of a request body", async () => {
    const { ask, reached } = testApp();
    const headers = { "content-type": "application/x-ndjson" };
    const response = await ask("/api/threads/import", { method: "POST", headers, body: `${"[".repeat(65)}\n` });
    expect(response.status).toBe(400);
    expect((await response.json<ErrorBody>()).error.details).toEqual({ bound: "depth", limit: 64 });
    expect(reached).toEqual([]);
  });
});

describe("the declared length of a body", () => {
  const text = JSON.stringify({ agent_id: "helper", metadata: { a: "x".repeat(1000) } });
  const limit = allRoutes["createThread"]?.bodyLimit ?? defaultBodyLimit;

  /** Creates a thread with a body of these pieces that declares a length. Also returns the number of pieces that were read. */
  async function create({ ask }: TestApp, declared: number, pieces: readonly string[]) {
    const unread = pieces.map((piece) => new TextEncoder().encode(piece));
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = unread.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "content-type": "application/json", "content-length": String(declared) };
    const response = await ask("/api/threads", { method: "POST", headers, body });
    return { response, read: pieces.length - unread.length };
  }

  it("HTTP4 A body that is larger than its declared length and over the limit is answered 413, and no more than the limit is read", async () => {
    const app = testApp();
    const piece = " ".repeat(64 * 1024);
    const pieces = [...Array<string>(40 + Math.ceil(limit / piece.length)).fill(piece), text];
    const { response, read } = await create(app, text.length, pieces);
    expect(response.status).toBe(413);
    expect((await response.json<ErrorBody>()).error).toMatchObject({ code: "too_large", details: { limit } });
    expect((read - 1) * piece.length).toBeLessThanOrEqual(limit);
    expect(app.reached).toEqual([]);
  });

  it("HTTP4 A body that is larger than its declared length and within the limit is accepted", async () => {
    expect((await create(testApp(), 10, [text])).response.status).toBe(201);
  });

  it("HTTP4 A body with a declared length over the limit is answered 413 before any byte is read", async () => {
    const app = testApp();
    const { response, read } = await create(app, limit + 1, [text]);
    expect([response.status, read]).toEqual([413, 0]);
    expect(app.reached).toEqual([]);
  });
});
