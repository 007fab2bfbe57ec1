// Queries and bodies of the route table: bounds, defaults, and no unknown fields.

import { expect, it } from "vitest";

import { listLogsSchema } from "#contract/log-route.ts";
import { listMessagesSchema, patchMessageSchema, postMessageSchema } from "#contract/message-route.ts";
import { waitSchema } from "#contract/query-field.ts";
import { routes } from "#contract/route.ts";
import type { BuiltInRoute } from "#contract/route.ts";
import { listRunsSchema, postRunSchema } from "#contract/run-route.ts";
import { createThreadSchema, listThreadsSchema, patchThreadSchema } from "#contract/thread-route.ts";

/** A valid query or body of every schema of the table. Other schemas accept an empty object. */
const valid: Record<string, object> = {
  "createTicket body": { path: "/api/threads" },
  "createThread body": { agent_id: "support", initial_messages: [{ role: "user", content: "hi" }] },
  "patchThread body": { title: null },
  "postMessage body": { content: "hi" },
  "patchMessage body": { content: "hi" },
  "searchMessages query": { q: "hi" },
  "searchThreads query": { q: "hi" },
  "searchFiles query": { grep: "hi" },
  "patchQueued body": { position: 1 },
  "checkout body": { branch_id: "main" },
  "moveFile body": { from: "a.txt", to: "b.txt" },
  "restoreCatalog body": { object_ids: ["0".repeat(64)] },
  "invokeTool body": { args: { a: 1 } },
  "postToolResults body": { results: [{ tool_call_id: "a", approved: true }] },
};

const schemas = Object.entries<BuiltInRoute>(routes).flatMap(([name, { query, body }]) => [
  ...(query === undefined ? [] : [{ name: `${name} query`, schema: query }]),
  ...(body === undefined ? [] : [{ name: `${name} body`, schema: body }]),
]);

it.for(schemas)("The schema of $name refuses an unknown field", ({ name, schema }, { expect: expectHere }) => {
  const given = valid[name] ?? {};
  expectHere(schema.safeParse(given).success, `${name} has no valid example here`).toBe(true);
  expectHere(schema.safeParse({ ...given, colour: "red" }).success).toBe(false);
  const inherited = JSON.parse(
    JSON.stringify(given).replace("{", '{"__proto__":{"x":1},').replace(",}", "}"),
  ) as object;
  expectHere(schema.safeParse(inherited).success).toBe(false);
});

it("The limit of a list has a default and a maximum, and an invalid limit is refused", () => {
  const limits = (schema: { safeParse: (value: unknown) => { data?: { limit: number } } }, requested: unknown[]) =>
    requested.map((limit) => schema.safeParse(limit === undefined ? {} : { limit }).data?.limit);
  expect(limits(listMessagesSchema, [undefined, "1", "1000"])).toEqual([100, 1, 1000]);
  const wrong = ["1001", "0", "-1", "1.5", "x", "", "NaN"];
  expect(limits(listMessagesSchema, wrong)).toEqual(wrong.map(() => undefined));
  expect(limits(listThreadsSchema, [undefined, "200", "201"])).toEqual([50, 200, undefined]);
  expect(limits(listRunsSchema, [undefined, "201"])).toEqual([50, undefined]);
  expect(limits(listLogsSchema, [undefined, "1001"])).toEqual([100, undefined]);
});

it("A flag in a query is true if it is empty, `true` or `1`, false if it is `false` or `0`, and refused otherwise", () => {
  const flag = (value: unknown) => waitSchema.safeParse({ wait: value }).data?.wait;
  expect(["", "true", "1", "false", "0"].map(flag)).toEqual([true, true, true, false, false]);
  expect(["yes", "TRUE"].map(flag)).toEqual([undefined, undefined]);
  expect(waitSchema.parse({})).toEqual({ wait: false });
});

it("The content of a posted message is a text, or one to a hundred parts of the types that a caller may send", () => {
  const accepted = (content: unknown) => postMessageSchema.safeParse({ content }).success;
  const text = { type: "text", text: "hi" };
  expect([accepted(""), accepted([text]), accepted(Array.from({ length: 100 }, () => text))]).not.toContain(false);
  const refused = [
    null,
    7,
    [],
    Array.from({ length: 101 }, () => text),
    [{ ...text, colour: "red" }],
    [{ type: "thinking", thinking: "hm" }],
    [{ type: "tool_call", id: "a", name: "b", arguments: {} }],
    [{ type: "image", mime_type: "text/html", data: "AA==" }],
    [{ type: "image", mime_type: "image/png", data: "no base64!" }],
    [{ type: "file", mime_type: "text/plain", url: "no url" }],
  ];
  expect(refused.filter(accepted)).toEqual([]);
});

it("A posted message has by default the role user and when=queue, is not silent and starts a run", () => {
  expect(postMessageSchema.parse({ content: "hi" })).toEqual({
    content: "hi",
    role: "user",
    silent: false,
    metadata: {},
    when: "queue",
    run: true,
  });
  expect(postMessageSchema.safeParse({ content: "hi", role: "tool" }).success).toBe(false);
  expect(postMessageSchema.safeParse({ content: "hi", limits: { steps: 0 } }).success).toBe(false);
  expect(postMessageSchema.parse({ content: "hi", limits: { steps: null } }).limits).toEqual({ steps: null });
});

it("LIMIT19 Each limit of a request is a positive number or null, a whole number except for the cost, and anything else is refused", () => {
  const all = { steps: 1, turns: 2, tokens: 3, duration_ms: 4, cost: 0.5, on_limit: "end" };
  const none = { steps: null, turns: null, tokens: null, duration_ms: null, cost: null, on_limit: "rest" };
  for (const limits of [{}, all, none]) {
    expect(postMessageSchema.parse({ content: "hi", limits }).limits).toEqual(limits);
    expect(postRunSchema.parse({ limits }).limits).toEqual(limits);
  }
  const amounts = ["steps", "turns", "tokens", "duration_ms", "cost"];
  for (const name of amounts) {
    for (const wrong of [0, -1, "5", true, [], {}, Number.NaN, Infinity, ...(name === "cost" ? [] : [1.5, 2 ** 60])]) {
      const read = postMessageSchema.safeParse({ content: "hi", limits: { [name]: wrong } });
      expect([name, wrong, read.success]).toEqual([name, wrong, false]);
    }
  }
  for (const limits of [{ durationMs: 5 }, { on_limit: "stop" }, { on_limit: null }, { thread: {} }, [], null]) {
    expect(postMessageSchema.safeParse({ content: "hi", limits }).success).toBe(false);
  }
});

it("An empty change, an id that is no UUID, a long title, an empty or surplus tag, an unknown field and the ticket path of another host are refused", () => {
  expect([patchThreadSchema, patchMessageSchema].map((schema) => schema.safeParse({}).success)).toEqual([false, false]);
  const create = (more: object) => createThreadSchema.safeParse({ agent_id: "a", ...more }).success;
  expect(create({ id: "3f0a0000-0000-4000-8000-000000000001" })).toBe(true);
  const wrong = [
    { id: "x" },
    { title: "x".repeat(501) },
    { tags: [""] },
    { tags: Array.from({ length: 51 }, () => "t") },
    { initial_messages: [{ role: "user", content: "hi", colour: "red" }] },
  ];
  expect(wrong.filter(create)).toEqual([]);
  expect(routes.createTicket.body.safeParse({ path: "https://elsewhere/api/" }).success).toBe(false);
});

it("An attachment is bytes with name and type, a path, or an address, and a message has at most twenty", () => {
  const accepted = (...attachments: unknown[]) => postMessageSchema.safeParse({ content: "", attachments }).success;
  const bytes = { name: "a.png", mime_type: "image/png", data: "AA==" };
  expect([
    accepted(bytes),
    accepted({ path: "/a" }),
    accepted({ url: "https://a.example/b" }),
    accepted({ url: "https://a.example/b", name: "c" }),
    accepted(...Array.from({ length: 20 }, () => bytes)),
  ]).not.toContain(false);
  const wrong = [
    null,
    "a.png",
    {},
    { ...bytes, path: "/a" },
    { ...bytes, name: "" },
    { ...bytes, name: "x".repeat(256) },
    { ...bytes, mime_type: "png" },
    { ...bytes, mime_type: `image/png;${"x".repeat(300)}` },
    { ...bytes, data: "no!" },
    { ...bytes, size: 3 },
    { path: "" },
    { path: "/a", url: "https://a.example/" },
    { url: "a.example" },
  ];
  expect(wrong.filter((one) => accepted(one))).toEqual([]);
  expect(accepted(...Array.from({ length: 21 }, () => bytes))).toBe(false);
  const stored = { type: "image", mime_type: "image/png", path: "/a" };
  for (const more of [{ id: "x" }, { size: 1 }, { width: 1 }]) {
    expect(postMessageSchema.safeParse({ content: [{ ...stored, ...more }] }).success).toBe(false);
  }
});
