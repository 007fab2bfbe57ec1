// Request input: bodies, queries, paths, methods.

import { describe, expect, it } from "vitest";

import { annaToken, refusalOf, request, testApp } from "./support/test-app.ts";
import type { Ask } from "./support/test-app.ts";

const { ask, seed, app, object, reached } = testApp();

async function createThread(options: Ask): Promise<Response> {
  return ask("/api/threads", { method: "POST", ...options });
}

describe("bodies", () => {
  const jsonType = { "content-type": "application/json" };
  const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values);
  const deep = `{"agent_id":"helper","metadata":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}`;
  type Case = [string, Ask, number, string, string[]];
  const shapes: Case[] = [
    [
      "an unknown field is refused by name",
      { json: { agent_id: "helper", tittle: "x" } },
      400,
      "invalid_request",
      ["tittle"],
    ],
    ["a missing field is refused by name", { json: {} }, 400, "invalid_request", ["agent_id"]],
    [
      "a wrong nested field is refused, and the error names its path",
      { json: { agent_id: "helper", initial_messages: [{ role: "user", content: [{ type: "text", txt: "x" }] }] } },
      400,
      "invalid_request",
      ["initial_messages.0.content.0.text", "initial_messages.0.content.0.txt"],
    ],
    ["a body that is no object is refused", { json: [] }, 400, "invalid_request", [""]],
  ];
  const texts: Case[] = [
    ["broken JSON is refused", { headers: jsonType, body: "{" }, 400, "invalid_request", []],
    ["no body is refused", { headers: jsonType }, 400, "invalid_request", []],
    ["invalid UTF-8 is refused", { headers: jsonType, body: bytes(0x22, 0xff, 0x22) }, 400, "invalid_request", []],
    [
      "half a surrogate pair is refused",
      { headers: jsonType, body: '{"agent_id":"helper","title":"\\ud800"}' },
      400,
      "invalid_request",
      ["title"],
    ],
    [
      "half a surrogate pair in a key is refused",
      { headers: jsonType, body: '{"agent_id":"helper","metadata":{"\\udc00":1}}' },
      400,
      "invalid_request",
      ["metadata"],
    ],
    [
      "a __proto__ key is refused",
      { headers: jsonType, body: '{"agent_id":"helper","metadata":{"__proto__":{"admin":true}}}' },
      400,
      "invalid_request",
      ["metadata.__proto__"],
    ],
    ["nesting without end is refused", { headers: jsonType, body: deep }, 400, "invalid_request", []],
    [
      "a number that no JSON can hold is refused",
      { headers: jsonType, body: '{"agent_id":"helper","metadata":{"a":[1e999]}}' },
      400,
      "invalid_request",
      ["metadata.a.0"],
    ],
  ];
  const types: Case[] = [
    [
      "another content type is refused",
      { headers: { "content-type": "text/plain" }, body: "{}" },
      415,
      "unsupported_media_type",
      [],
    ],
    [
      "a form is refused",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=b" },
      415,
      "unsupported_media_type",
      [],
    ],
    [
      "another charset is refused",
      { headers: { "content-type": "application/json; charset=latin1" }, body: "{}" },
      415,
      "unsupported_media_type",
      [],
    ],
    ["no content type is refused", { body: bytes(0x7b, 0x7d) }, 415, "unsupported_media_type", []],
  ];
  const isRefused = async (...[, options, status, code, fields]: Case): Promise<void> => {
    expect(await refusalOf(await createThread(options))).toEqual({ status, code, fields });
    expect(reached).toEqual([]);
    expect(Object.prototype).not.toHaveProperty("admin");
  };
  it.each(shapes)("HTTP1 The form of a request's JSON is checked: %s", isRefused);
  it.each(texts)("HTTP2 The text in a request is checked: %s", isRefused);
  it.each(types)("HTTP3 The media type of a request is checked: %s", isRefused);

  it("HTTP2 Text with NUL and astral characters is accepted unchanged", async () => {
    const title = "a\u0000b 🧵";
    const response = await createThread({ json: { agent_id: "helper", title } });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ title });
  });

  it("HTTP4 A body without a declared length is refused as soon as it exceeds the limit, while it still arrives", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
      },
    });
    const { id } = seed();
    const response = await ask(`/api/threads/${id}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(await refusalOf(response)).toMatchObject({ status: 413, code: "too_large" });
    expect(pulled).toBeLessThan(10);
  });

  it("HTTP4 Text is bounded in UTF-8 bytes, not in characters", async () => {
    const { id } = seed();
    const post = (content: unknown): Promise<Response> =>
      ask(`/api/threads/${id}/messages`, { method: "POST", json: { content } });
    const mib = 1024 * 1024;
    expect((await post("x".repeat(mib))).status).toBe(202);
    expect((await post("x".repeat(mib + 1))).status).toBe(413);
    expect((await post("é".repeat(mib / 2 + 1))).status).toBe(413);
    expect(
      (
        await post([
          { type: "text", text: "x".repeat(mib) },
          { type: "text", text: "y" },
        ])
      ).status,
    ).toBe(413);
  });

  it("HTTP4 Inline bytes of an image over 4 MiB are refused, and so is a part without a source or with two", async () => {
    const { id } = seed();
    const image = { type: "image", mime_type: "image/png" };
    const post = (part: object): Promise<Response> =>
      ask(`/api/threads/${id}/messages`, { method: "POST", json: { content: [{ ...image, ...part }] } });
    expect((await post({ data: "AAAA" })).status).toBe(202);
    expect((await post({ data: "A".repeat(4 * Math.ceil((4 * 1024 * 1024 + 3) / 3)) })).status).toBe(413);
    expect(await refusalOf(await post({}))).toEqual({ status: 400, code: "invalid_request", fields: ["content.0"] });
    expect(await refusalOf(await post({ path: "/a", url: "https://x.example/a" }))).toMatchObject({ status: 400 });
  });

  it("HTTP4 A body over 256 KiB is refused on a route without its own limit", async () => {
    const { id } = seed();
    const response = await ask(`/api/threads/${id}`, {
      method: "PATCH",
      json: { metadata: { a: "x".repeat(256 * 1024) } },
    });
    expect(await refusalOf(response)).toMatchObject({ status: 413, code: "too_large" });
  });

  it("HTTP28 Metadata is bounded by the bytes of its JSON, on every route that accepts it", async () => {
    const own = testApp();
    const { id } = own.seed();
    const limit = 64 * 1024;
    const most = (over: number) => ({ a: `é${"x".repeat(limit - 10 + over)}` });
    const message = { role: "user", content: "hi" };
    const routes: [string, string, (over: number) => object, string, number][] = [
      ["POST", "/api/threads", (n) => ({ agent_id: "helper", metadata: most(n) }), "metadata", 201],
      [
        "POST",
        "/api/threads",
        (n) => ({ agent_id: "helper", initial_messages: [message, { ...message, metadata: most(n) }] }),
        "initial_messages.1.metadata",
        201,
      ],
      ["PATCH", `/api/threads/${id}`, (n) => ({ metadata: most(n) }), "metadata", 200],
      ["POST", `/api/threads/${id}/messages`, (n) => ({ content: "hi", metadata: most(n) }), "metadata", 202],
      ["PATCH", `/api/threads/${id}/messages/m`, (n) => ({ metadata: most(n) }), "metadata", 404],
    ];
    for (const [method, path, body, field, status] of routes) {
      own.reached.length = 0;
      const refused = await own.ask(path, { method, json: body(1) });
      expect([path, refused.status]).toEqual([path, 413]);
      expect(await refused.json()).toMatchObject({ error: { code: "too_large", details: { field, limit } } });
      expect(own.reached).toEqual([]);
      expect([path, (await own.ask(path, { method, json: body(0) })).status]).toEqual([path, status]);
    }
  });

  it("HTTP4 An initial message is bounded like a posted one, and a refused one reaches no object", async () => {
    const own = testApp();
    const mib = 1024 * 1024;
    const create = (content: string): Promise<Response> => {
      const initial_messages = [
        { role: "user", content: "hi" },
        { role: "user", content },
      ];
      return own.ask("/api/threads", { method: "POST", json: { agent_id: "helper", initial_messages } });
    };
    const refused = await create("x".repeat(mib + 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { details: { field: "initial_messages.1.content", limit: mib } },
    });
    expect(own.reached).toEqual([]);
    expect((await create("x".repeat(mib))).status).toBe(201);
  });

  const blank = [
    "",
    " \n\t\u00a0",
    "\u200b\u2060\ufe0f",
    [{ type: "text", text: "" }],
    [" ", ""].map((text) => ({ type: "text", text })),
  ];
  it.each(blank)("HTTP29 A user's blank message (%j) that would start a run is refused", async (content) => {
    const own = testApp();
    const { id } = own.seed();
    const post = (more: object): Promise<Response> =>
      own.ask(`/api/threads/${id}/messages`, { method: "POST", json: { content, ...more } });
    const refusal = { status: 400, code: "invalid_request", fields: ["content"] };
    expect(await refusalOf(await post({}))).toEqual(refusal);
    expect(own.reached).toEqual([]);
    expect((await post({ run: false })).status).toBe(202);
    expect((await post({ role: "system" })).status).toBe(202);
    const image = { type: "image", mime_type: "image/png", data: "AAAA" };
    expect((await post({ content: [{ type: "text", text: "" }, image] })).status).toBe(202);
    expect((await post({ attachments: [{ path: "/a" }] })).status).toBe(202);
    expect(await refusalOf(await post({ attachments: [] }))).toEqual(refusal);
  });

  it("HTTP4 Inline bytes of parts and attachments share one limit", async () => {
    const { id } = seed();
    const half = "A".repeat(4 * Math.ceil((2 * 1024 * 1024) / 3));
    const file = { name: "a", mime_type: "a/b", data: half };
    const part = { type: "file", mime_type: "a/b", data: half };
    const post = (json: object): Promise<Response> => ask(`/api/threads/${id}/messages`, { method: "POST", json });
    expect((await post({ content: "x", attachments: [file] })).status).toBe(202);
    expect(await refusalOf(await post({ content: [part], attachments: [file] }))).toMatchObject({ status: 413 });
    expect(await refusalOf(await post({ content: "x", attachments: [{ data: "AA==" }] }))).toEqual({
      status: 400,
      code: "invalid_request",
      fields: ["attachments.0.name", "attachments.0.mime_type"],
    });
  });

  it("HTTP5 A route whose body is optional accepts a request without a body", async () => {
    const { id } = seed();
    expect((await ask(`/api/threads/${id}/stop`, { method: "POST" })).status).toBe(200);
    expect((await ask(`/api/threads/${id}/runs`, { method: "POST" })).status).toBe(202);
  });
});

describe("queries", () => {
  const cases: [string, string, string][] = [
    ["an unknown field", "/messages?limits=1", "limits"],
    ["a number out of bounds", "/messages?limit=0", "limit"],
    ["no number", "/messages?limit=many", "limit"],
    ["an empty number", "/messages?max_depth=", "max_depth"],
    ["an empty number of an event", "/events?after=", "after"],
    ["an empty depth", "/events?depth=", "depth"],
    ["an exponent", "/messages?limit=1e2", "limit"],
    ["a hexadecimal number", "/runs?limit=0x10", "limit"],
    ["a number with a sign", "/events?after=%2B1", "after"],
    ["a number below nothing", "/events?after=-1", "after"],
    ["a number with a space", "/logs?limit=%201", "limit"],
    ["a fraction", "/logs?limit=1.0", "limit"],
    ["a number beyond the whole ones", "/events?after=9999999999999999", "after"],
    ["another word than allowed", "/messages?order=up", "order"],
    ["a field given twice", "/messages?limit=1&limit=2", "limit"],
    ["__proto__", "/messages?__proto__=1", "__proto__"],
    ["a field where none is taken", "?x=1", "x"],
    ["an unknown event type", "/events?types=text_delta,run_stop", "types"],
  ];
  it.each(cases)("HTTP6 A query with %s is refused, and the error names the field", async (_name, path, field) => {
    const { id } = seed();
    const refusal = await refusalOf(await ask(`/api/threads/${id}${path}`));
    expect(refusal).toEqual({ status: 400, code: "invalid_request", fields: [field] });
  });

  it("HTTP6 A broken cursor is refused", async () => {
    expect(await refusalOf(await ask("/api/threads?cursor=nonsense"))).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  });
});

describe("paths and methods", () => {
  it.each(["/api/nothing", "/nothing", "/api", "/api/", "/api/threads/", "/api/%ff", "/api/~/nothing"])(
    "HTTP7 The path %s has no route and is answered 404 in JSON",
    async (path) => {
      expect(await refusalOf(await ask(path))).toMatchObject({ status: 404, code: "route_not_found" });
    },
  );

  it.each(["not-an-id", "00000000-0000-1000-8000-000000000000", "%00", "..%2f..", "constructor"])(
    "HTTP8 The malformed thread id %s is answered with thread_not_found, and no object is called",
    async (id) => {
      const own = testApp();
      expect(await refusalOf(await own.ask(`/api/threads/${id}`))).toMatchObject({
        status: 404,
        code: "thread_not_found",
      });
      const upgrade = { headers: { upgrade: "websocket" } };
      expect(await refusalOf(await own.ask(`/api/threads/${id}/stream`, upgrade))).toMatchObject({ status: 404 });
      expect(own.reached).toEqual([]);
    },
  );

  it("HTTP8 A thread id in capital letters identifies the same thread as in small letters", async () => {
    const { id } = seed();
    expect((await ask(`/api/threads/${id.toUpperCase()}`)).status).toBe(200);
  });

  it("HTTP9 A request with a method that its route lacks is answered with the allowed methods", async () => {
    const response = await ask("/api/threads", { method: "PUT", json: {} });
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
    expect(await refusalOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });

  it("HTTP9 An OPTIONS request is answered with the methods, without credentials", async () => {
    const response = await ask("/api/threads", { method: "OPTIONS", token: null });
    expect(response.status).toBe(204);
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  });

  it("HTTP9 A HEAD request is answered like GET, without a body and without opening a stream", async () => {
    const { id } = seed();
    const head = await ask(`/api/threads/${id}`, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toContain("application/json");
    expect(await head.text()).toBe("");
    expect((await ask(`/api/threads/${id}/events`, { method: "HEAD" })).status).toBe(200);
    expect(object(id).subscribers).toHaveLength(0);
  });
});

describe("an unexpected failure", () => {
  it("HTTP10 An unexpected failure is answered with an error reference and without details, and is logged once with that reference", async () => {
    const own = testApp();
    const { id, object: thread } = own.seed();
    const bug = (): Error => new Error("secret detail");
    thread.failures.push(bug(), bug());
    const response = await own.ask(`/api/threads/${id}?`, {});
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain("secret detail");
    const { error } = JSON.parse(text) as { error: { code: string; details: { reference: string } } };
    expect(error.code).toBe("internal");
    expect(own.log).toHaveLength(1);
    expect(JSON.parse(own.log[0] ?? "")).toMatchObject({
      event: "internal_error",
      reference: error.details.reference,
      method: "GET",
      path: `/api/threads/${id}`,
      error: { message: "secret detail" },
    });
  });

  it("HTTP11 A call to an object that was reset is repeated once", async () => {
    const own = testApp();
    const { id, object: thread } = own.seed();
    thread.failures.push(Object.assign(new Error("reset"), { durableObjectReset: true }));
    expect((await own.ask(`/api/threads/${id}`)).status).toBe(200);
    expect(own.reached).toEqual([id, id]);
  });

  it("HTTP11 A posted message without an idempotency key is not repeated after a reset of the object, and no call is repeated when the object is overloaded", async () => {
    const own = testApp();
    const { id, object: thread } = own.seed();
    const post = { method: "POST", json: { content: "hi" } };
    thread.failures.push(Object.assign(new Error("reset"), { durableObjectReset: true }));
    const response = await own.ask(`/api/threads/${id}/messages`, post);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: "unavailable" });
    expect(own.log[0]).toMatch(/"event":"unavailable",.*"cause":"Error: reset/);
    thread.failures.push(Object.assign(new Error("overloaded"), { overloaded: true, retryable: true }));
    expect((await own.ask(`/api/threads/${id}`)).status).toBe(503);
    expect(thread.calls).toEqual(["postMessage", "describe"]);
    thread.failures.push(Object.assign(new Error("reset"), { durableObjectReset: true }));
    const keyed = { ...post, headers: { "idempotency-key": "k" } };
    expect((await own.ask(`/api/threads/${id}/messages`, keyed)).status).toBe(202);
  });

  it("HTTP12 A JSON response and a refusal have the headers that forbid caching and sniffing", async () => {
    for (const path of ["/api/agents", "/api/nothing"]) {
      const { headers } = await app.fetch(request(path, { token: annaToken }));
      expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual(["no-store", "nosniff"]);
    }
  });
});
