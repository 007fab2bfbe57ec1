// What the dev command shows of wrangler's output.

import { Readable } from "node:stream";

import { expect, it } from "vitest";

import { isNoise, passLines } from "#cli/dev/pass-lines.ts";

it.each([
  "",
  "⎔ Starting local server...",
  "[wrangler:info] Ready on http://localhost:8787",
  "\u001b[32m[wrangler:info]\u001b[39m GET /healthz 200 OK (3ms)",
  "env.THREADS (ThreadObject)      Durable Object      local",
  // A client that gives up.
  "exception = kj/async-io-unix.c++:186: disconnected: ::writev(fd, iov, iovcnt): Broken pipe",
  "✘ [ERROR] workerd/server/server.c++:1925: error: disconnected: Connection reset by peer",
  "exception = workerd/api/web-socket.c++:1284: disconnected: WebSocket peer disconnected;",
  "uncaught exception; exception = workerd/api/streams/internal.c++:88: disconnected: pump canceled",
  "stack: /app/node_modules/@cloudflare/workerd-linux-64/bin/workerd@2afbaf0 /app/node_modules/@cloudflare/workerd-linux-64/bin/workerd@42503d4",
])("The dev command hides wrangler's line %j", (line) => {
  expect(isNoise(line)).toBe(true);
});

it.each([
  '✘ [ERROR] Could not resolve "missing"',
  "[wrangler:error] Error: boom",
  "    at Object.fetch (src/index.ts:12:34)",
  "agents/tools/weather.ts:3: unknown model",
  "a line from the worker",
  "exception = rust/worker/ffi.rs:104: disconnected: Connection refused (os error 111)",
  "uncaught exception; exception = workerd/jsg/value.h:1456: disconnected: jsg.Error: Network connection lost.",
  "workerd/jsg/util.c++:331: error: e = kj/exception.c++:12: failed: expected a value; Broken pipe",
  "stack: Error: boom at agents/tools/a.ts:1:2",
])("The dev command shows wrangler's line %j", (line) => {
  expect(isNoise(line)).toBe(false);
});

it("The dev command joins lines of wrangler's output that arrive in chunks", async () => {
  const written: string[] = [];
  const stream = Readable.from(["one li", "ne\n⎔ Rel", "oading\ntwo"]);
  passLines(stream, (text) => written.push(text));
  await new Promise((resolve) => stream.on("close", resolve));
  expect(written).toEqual(["one line", "two"]);
});

it("The dev command shows all output of a build once the server runs, and only failures while the server starts", async () => {
  const lines = [
    "[custom build] compiled 68 definitions in 80 ms",
    "[custom build] The definitions have not changed since they were compiled.",
    "[custom build] ",
    "[custom build] agents/tools/weather.ts:3: unknown model",
  ];
  const shown = async (starting: boolean): Promise<string[]> => {
    const written: string[] = [];
    const stream = Readable.from([`${lines.join("\n")}\n`]);
    passLines(stream, (text) => written.push(text), { starting: () => starting });
    await new Promise((resolve) => stream.on("close", resolve));
    return written;
  };
  expect(await shown(true)).toEqual(["agents/tools/weather.ts:3: unknown model"]);
  expect(await shown(false)).toEqual([
    "compiled 68 definitions in 80 ms",
    "The definitions have not changed since they were compiled.",
    "agents/tools/weather.ts:3: unknown model",
  ]);
});
