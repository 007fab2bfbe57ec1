// The dev command's plain form of the Worker's log lines.

import { describe, expect, it } from "vitest";

import { plainLine } from "#cli/dev/plain-line.ts";

const run = {
  event: "run_end",
  thread_id: "t1",
  agent: "helper",
  status: "completed",
  reason: "response",
  ms: 1234,
  steps: 2,
  usage: { input: 10, output: 5, cache_read: 3, cache_write: 0, total_tokens: 18 },
  cost: 0.0059,
};
const plain = (entry: object): string => plainLine(JSON.stringify(entry), false);

describe("plain lines", () => {
  it.each<[string, object, string]>([
    ["a run", run, "helper completed · 2 steps · 13 tokens in, 5 out · $0.0059 · 1.2 s · thread t1"],
    [
      "a run without prices",
      { ...run, cost: null, steps: 1 },
      "helper completed · 1 step · 13 tokens in, 5 out · 1.2 s · thread t1",
    ],
    [
      "a run that failed",
      { ...run, status: "error", reason: "api", error: { code: "api", message: "Bad key.\nMore", status: 401 } },
      "helper failed (api): HTTP 401 Bad key. · 2 steps · 13 tokens in, 5 out · $0.0059 · 1.2 s · thread t1",
    ],
    [
      "a run at a limit",
      { ...run, status: "limit", reason: "max_steps", cost: null },
      "helper ended: limit (max_steps) · 2 steps · 13 tokens in, 5 out · 1.2 s · thread t1",
    ],
    [
      "a run that waits",
      { ...run, event: "run_rest", cost: null },
      "helper waits · 2 steps · 13 tokens in, 5 out · 1.2 s · thread t1",
    ],
    [
      "a tool that threw",
      {
        event: "tool_failed",
        thread_id: "t1",
        tool: "boom",
        message: "TypeError: no",
        stack: "TypeError: no\n    at f (node_modules/x.js:1:2)\n    at run (agents/tools/boom.ts:5:9)",
      },
      "tool boom threw TypeError: no at run (agents/tools/boom.ts:5:9) (thread t1)",
    ],
    [
      "a request that broke",
      {
        event: "internal_error",
        method: "GET",
        path: "/api/x",
        reference: "r1",
        error: { name: "Error", message: "no" },
      },
      "GET /api/x broke: Error: no (r1)",
    ],
    [
      "a variable that makes no sense",
      { level: "error", event: "bad_configuration", variable: "API_TOKENS", message: "is empty" },
      "bad_configuration API_TOKENS: is empty",
    ],
    [
      "any other event",
      { event: "alarm_failed", thread_id: "t1", cause: "Error: a\n at b" },
      "alarm_failed Error: a (thread t1)",
    ],
  ])("The dev command prints a log line of %s as one line", (_name, entry, expected) => {
    expect(plain(entry)).toBe(expected);
  });

  it("The console line of a failed run is red, that of a run at a limit is yellow, and others have no colour", () => {
    const coloured = (entry: object): string =>
      plainLine(
        `\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1m${JSON.stringify(entry)}\u001b[0m`,
        true,
      );
    expect(coloured({ ...run, status: "error", reason: "api", error: { code: "api", message: "no" } })).toBe(
      `\u001b[31m${plain({ ...run, status: "error", reason: "api", error: { code: "api", message: "no" } })}\u001b[39;22m`,
    );
    expect(coloured({ ...run, status: "limit", reason: "max_steps" })).toContain("\u001b[33m");
    expect(coloured(run)).not.toContain("\u001b");
  });

  it.each([
    "hello from a tool",
    '{"mine":"json of a tool"}',
    '{"event":7}',
    '{"event":"order_placed","order":1042}',
    '{"event":"run_end", cut',
    'fetched {"event":"x"} for you}',
    "    at Object.fetch (src/index.ts:12:34)",
  ])("The dev command prints the line %j unchanged", (line) => {
    expect(plainLine(line, true)).toBe(line);
  });
});

it.each<[string, object]>([
  ["a run without usage", { event: "run_end" }],
  ["a run with usage of another type", { ...run, usage: { ...run.usage, input: "10" } }],
  ["a run without a thread", { ...run, thread_id: null }],
  ["a run with a cost of another type", { ...run, cost: {} }],
  ["a run with an error of another type", { ...run, status: "error", error: { message: { toString: 1 } } }],
  ["a thread that is no text", { event: "tool_failed", thread_id: { toString: 1 } }],
  ["a message that is no text", { event: "x", level: "error", message: { toString: 1 } }],
  ["an internal error of another form", { event: "internal_error", error: { name: { toString: 1 } } }],
  ["too many values", { ...run, more: Array.from({ length: 1001 }, () => 1) }],
  ["too many characters", { ...run, more: "x".repeat(65_536) }],
])("A line of a tool in the form of a log line, with %s, is printed unchanged", (_, entry) => {
  expect(plain(entry)).toBe(JSON.stringify(entry));
});
