// What the dev command shows of wrangler's output.

import { Readable } from "node:stream";

import { expect, it } from "vitest";

import { isNoise, passOnLines } from "../../scripts/lib/quiet-lines.mjs";

it.each([
  "",
  "⎔ Starting local server...",
  "[wrangler:info] Ready on http://localhost:8787",
  "\u001b[32m[wrangler:info]\u001b[39m GET /healthz 200 OK (3ms)",
  "env.THREADS (ThreadObject)      Durable Object      local",
])("hides %j", (line) => {
  expect(isNoise(line)).toBe(true);
});

it.each([
  '✘ [ERROR] Could not resolve "missing"',
  "[wrangler:error] Error: boom",
  "    at Object.fetch (src/index.ts:12:34)",
  "agents/tools/weather.ts:3: unknown model",
  "a line from the worker",
])("shows %j", (line) => {
  expect(isNoise(line)).toBe(false);
});

it("puts lines together that arrive in pieces", async () => {
  const written: string[] = [];
  const stream = Readable.from(["one li", "ne\n⎔ Rel", "oading\ntwo"]);
  passOnLines(stream, (text) => written.push(text));
  await new Promise((resolve) => stream.on("close", resolve));
  expect(written).toEqual(["one line\n", "two\n"]);
});
