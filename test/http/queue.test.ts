// The routes of queued inputs: which requests they accept and which they refuse.

import { describe, expect, it } from "vitest";

import type { QueuedInput } from "#contract/queue-route.ts";
import { queueLimit } from "#contract/queue-route.ts";

import { berndToken, refusalOf, testApp } from "./support/test-app.ts";

const input: QueuedInput = {
  id: "0199f0a0-0000-7000-8000-000000000000",
  kind: "message",
  when: "queue",
  message: null,
  limits: null,
  created_at: 1,
};

function seeded() {
  const app = testApp();
  const { id, object } = app.seed();
  object.queue.push(input);
  const ask = (path = "", options: Parameters<typeof app.ask>[1] = {}) =>
    app.ask(`/api/threads/${id}/queue${path}`, options);
  return { ask, object, app };
}

describe("the routes of the queue", () => {
  it("INPUT1 The queue is listed with a limit and a cursor", async () => {
    const { ask, object } = seeded();
    const response = await ask("?limit=7&cursor=c");
    expect([response.status, await response.json()]).toEqual([200, { queue: [input], next_cursor: null }]);
    expect(object.calls).toContain('listQueue {"limit":7,"cursor":"c"}');
    expect(await refusalOf(await ask("?limit=101"))).toMatchObject({ status: 400, fields: ["limit"] });
  });

  it("INPUT2 A PATCH request changes text, metadata and position of a queued input", async () => {
    const { ask, object } = seeded();
    const json = { content: "other", metadata: { a: 1 }, position: 0 };
    const response = await ask(`/${input.id}`, { method: "PATCH", json });
    expect([response.status, await response.json()]).toEqual([200, input]);
    expect(object.calls).toContain(`patchQueued ${input.id} ${JSON.stringify(json)}`);
  });

  it("INPUT4 A DELETE request removes a queued input", async () => {
    const { ask, object } = seeded();
    expect((await ask(`/${input.id}`, { method: "DELETE" })).status).toBe(204);
    expect(object.calls).toContain(`deleteQueued ${input.id}`);
  });

  it.each<[string, unknown, number]>([
    ["nothing", {}, 400],
    ["an unknown field", { content: "a", when: "steer" }, 400],
    ["no text", { content: null }, 400],
    ["parts", { content: [{ type: "text", text: "a" }] }, 400],
    ["a negative place", { position: -1 }, 400],
    ["half a place", { position: 0.5 }, 400],
    ["a place as text", { position: "0" }, 400],
    ["a place behind any queue", { position: queueLimit }, 400],
    ["metadata that is none", { metadata: [] }, 400],
    ["too much text", { content: "a".repeat(1024 * 1024 + 1) }, 413],
    ["too much metadata", { metadata: { a: "a".repeat(65 * 1024) } }, 413],
  ])(
    "INPUT7 A PATCH request for a queued input with %s in its body is refused before it reaches the thread",
    async (_name, json, status) => {
      const { ask, app } = seeded();
      app.reached.length = 0;
      expect(await refusalOf(await ask(`/${input.id}`, { method: "PATCH", json }))).toMatchObject({ status });
      expect(app.reached).toEqual([]);
    },
  );

  it("INPUT7 A change or removal of an input that is not in the queue is answered 404", async () => {
    const { ask } = seeded();
    for (const options of [{ method: "DELETE" }, { method: "PATCH", json: { position: 0 } }]) {
      expect(await refusalOf(await ask("/other", options))).toMatchObject({ status: 404, code: "run_not_found" });
    }
  });

  it("INPUT8 The queue's routes require credentials, and hide another user's thread", async () => {
    const { ask } = seeded();
    for (const [path, options] of [
      ["", {}],
      [`/${input.id}`, { method: "PATCH", json: { position: 0 } }],
      [`/${input.id}`, { method: "DELETE" }],
    ] as const) {
      expect(await refusalOf(await ask(path, { ...options, token: null }))).toMatchObject({ status: 401 });
      const hidden = await refusalOf(await ask(path, { ...options, token: berndToken }));
      expect(hidden).toMatchObject({ status: 404, code: "thread_not_found" });
    }
  });
});

describe("the field when of a message", () => {
  it.each(["queue", "steer", "interrupt", "reject"])("A message is accepted with `when` set to %s", async (when) => {
    const { app } = seeded();
    const { id } = app.seed();
    const response = await app.ask(`/api/threads/${id}/messages`, { method: "POST", json: { content: "hi", when } });
    expect(response.status).toBe(202);
  });

  it("A message with an unknown value of `when` is refused", async () => {
    const { app } = seeded();
    const { id } = app.seed();
    const json = { content: "hi", when: "now" };
    const response = await app.ask(`/api/threads/${id}/messages`, { method: "POST", json });
    expect(await refusalOf(response)).toMatchObject({ status: 400, fields: ["when"] });
  });
});
