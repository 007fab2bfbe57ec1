// MCP servers over standard input and output: a public server, and one that misbehaves.

import path from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { deferred } from "#lib/deferred.ts";
import { openStdioServer } from "#tools/node/index.ts";
import type { StdioServer, StdioServerOptions } from "#tools/node/index.ts";

import { call, instance, outline } from "../../facade/support/scripted-llm.ts";
import { callTool, isRunning, temporaryFolder } from "./host-place.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const misbehaving = path.join(root, "test/support/stdio-server/main.mjs");

/** Starts a server that is closed after the test. */
async function start(args: readonly string[], more: Partial<StdioServerOptions> = {}): Promise<StdioServer> {
  const server = await openStdioServer({ name: "local", command: process.execPath, args, ...more });
  onTestFinished(() => server.close());
  return server;
}

const run = (server: StdioServer, name: string, params: Record<string, unknown> = {}, signal?: AbortSignal) =>
  callTool(server.tools, name, params, signal);

interface Facts {
  pid: number;
  cwd: string;
  env: Record<string, string>;
}

async function factsOf(server: StdioServer): Promise<Facts> {
  return JSON.parse(String(await run(server, "local__environment"))) as Facts;
}

describe("the tools of a program", () => {
  it("The tools of a public MCP server over stdio are listed and called, and return texts, images, structured content as JSON text, and errors", async () => {
    const server = await start([everything, "stdio"], { prefix: "every" });
    const names = server.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["every__echo", "every__get-sum", "every__get-tiny-image"]));
    expect(await run(server, "every__echo", { message: "hello" })).toBe("Echo: hello");
    expect(await run(server, "every__get-tiny-image")).toMatchObject({
      content: expect.arrayContaining([
        { type: "image", mimeType: "image/png", source: { type: "base64", data: expect.any(String) } },
      ]),
    });
    const weather = await run(server, "every__get-structured-content", { location: "Chicago" });
    expect(JSON.parse(String(weather))).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    });
    await expect(run(server, "every__echo", {})).rejects.toThrow("message");
    const sums = await Promise.all([1, 2, 3].map((a) => run(server, "every__get-sum", { a, b: 10 })));
    expect(sums.map((sum) => String(sum).match(/(\d+)\D*$/)?.[1])).toEqual(["11", "12", "13"]);
  });

  it("The tools of a program are listed and called although its messages have null in place of absent fields", async () => {
    const server = await start([misbehaving, "writes odd envelopes"], { timeoutMs: 10_000 });
    expect(await factsOf(server)).toMatchObject({ pid: expect.any(Number) });
  });

  it("The tools of a program are listed and called although it writes several messages in one line", async () => {
    const server = await start([misbehaving, "writes batches"], { timeoutMs: 10_000 });
    expect(await factsOf(server)).toMatchObject({ pid: expect.any(Number) });
  });

  it("A turn of llm() calls the tools of an MCP server over stdio, and only those that its options list exist", async () => {
    const server = await start([everything, "stdio"], { tools: ["echo"] });
    expect(server.tools.map(({ name }) => name)).toEqual(["local__echo"]);
    const script = [{ toolCalls: [call("local__echo", { message: "hello" })] }, { text: "Done." }];
    const turn = await instance(script, { tools: [...server.tools] }).generate("Say hello.");
    expect(outline(turn.messages)).toContain('results: "Echo: hello"');
  });

  it("An MCP server over stdio receives only the usual environment variables, those of the options, and its working directory", async () => {
    vi.stubEnv("THREADHOLD_TEST_KEY", "hidden");
    const cwd = temporaryFolder();
    const server = await start([misbehaving], { cwd, env: { STAGE: "test" } });
    vi.unstubAllEnvs();
    const { env, cwd: directory } = await factsOf(server);
    expect(directory).toBe(cwd);
    expect(env).toMatchObject({ STAGE: "test", PATH: expect.any(String) });
    expect(env).not.toHaveProperty("THREADHOLD_TEST_KEY");
  });
});

describe("the end of a program", () => {
  it("Closing an MCP server over stdio ends its program, and a later call is an error with the reason", async () => {
    const server = await start([misbehaving]);
    const { pid } = await factsOf(server);
    await Promise.all([server.close(), server.close()]);
    await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
    await expect(run(server, "local__environment")).rejects.toThrow('The program of the MCP server "local" has ended');
  });

  it("On close, the program of an MCP server is killed if it ignores the end of its input and the first signal", async () => {
    const server = await start([misbehaving, "ignores the end"]);
    const { pid } = await factsOf(server);
    await server.close();
    await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
  });

  it("If the program of an MCP server ends at its start, the error has its last lines; if it does not exist, the error names it", async () => {
    const ended = start([misbehaving, "ends at the start"]);
    await expect(ended).rejects.toThrow(/"local" .*Its last lines were:\nThe setting KEY is missing\./s);
    const missing = start([], { command: "threadhold-no-such-program" });
    await expect(missing).rejects.toThrow(
      'The program "threadhold-no-such-program" of the MCP server "local" is not found',
    );
  });

  it("If the program of an MCP server ends during a call, that call and later calls are rejected", async () => {
    const server = await start([misbehaving, "ends in a call"]);
    await expect(run(server, "local__environment")).rejects.toThrow("closed the connection before it responded");
    await expect(run(server, "local__environment")).rejects.toThrow("has ended. Open the server again.");
  });

  it("The session of an MCP server stays open if its program pings the client often", async () => {
    const server = await start([misbehaving, "pings"]);
    for (let calls = 0; calls < 4; calls += 1) expect((await factsOf(server)).pid).toBeGreaterThan(0);
  });

  it("Closing an MCP server ends its process also if a launcher started it and it ignores the end of its input and SIGTERM", async () => {
    const line = `"$0" "$1" "ignores the end"; true`;
    const args = ["-c", line, process.execPath, misbehaving];
    const server = await openStdioServer({ name: "local", command: "sh", args });
    const { pid } = await factsOf(server);
    expect(isRunning(pid)).toBe(true);
    await server.close();
    expect(isRunning(pid)).toBe(false);
  });
});

describe("a program that misbehaves", () => {
  it("OUT23 A result of an MCP server over stdio with too many values is refused before it is parsed", async () => {
    const server = await start([misbehaving, "returns many values"]);
    await expect(run(server, "local__environment")).rejects.toThrow("sent a response that has more than 100000 values");
  });

  it("OUT23 The pages of a list of an MCP server over stdio share the bounds of one response", async () => {
    await expect(start([misbehaving, "lists pages without end"])).rejects.toThrow(
      "has more than 100000 values in the pages of one list",
    );
  });

  it("A call of an MCP server over stdio is rejected if it takes too long or is cancelled", async () => {
    const short = await start([misbehaving, "does not end a call"], { timeoutMs: 8000 });
    await expect(run(short, "local__environment")).rejects.toThrow("did not respond within 8 s");
    const called = deferred<void>();
    const server = await start([misbehaving, "does not end a call"], { log: () => called.resolve() });
    const stop = new AbortController();
    const cancelled = run(server, "local__environment", {}, stop.signal);
    cancelled.catch(() => undefined);
    await called.promise;
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
  });

  it("An MCP server over stdio is refused if its program does not respond to the start within the time limit", async () => {
    await expect(start([misbehaving, "answers nothing"], { timeoutMs: 500 })).rejects.toThrow(
      "did not open a session in time",
    );
  });

  it("An endless message from an MCP server's program is refused and ends the program", async () => {
    const logged = deferred<number>();
    const opening = openStdioServer({
      name: "local",
      command: "sh",
      // The program's first line of stderr is its process id.
      args: ["-c", `echo $$ >&2; exec "$0" "$1" "writes without end"`, process.execPath, misbehaving],
      log: (line) => logged.resolve(Number(line)),
    });
    await expect(opening).rejects.toThrow('The MCP server "local"');
    const pid = await logged.promise;
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  it("A line of an MCP server's program that is no JSON is skipped", async () => {
    expect((await factsOf(await start([misbehaving, "writes no JSON"]))).pid).toBeGreaterThan(0);
  });

  it("A message of 7 MiB from an MCP server's program is a result, and a message of 9 MiB ends the program", async () => {
    const withText = (mebibytes: number) => start([misbehaving, "returns a long text", String(mebibytes)]);
    expect(String(await run(await withText(7), "local__environment"))).toHaveLength(7 * 1024 * 1024);
    const server = await withText(9);
    await expect(run(server, "local__environment")).rejects.toThrow("has more than 8388608 characters in one message");
    await expect(run(server, "local__environment")).rejects.toThrow("has ended. Open the server again.");
  });

  it("At most 200 lines of stderr of an MCP server's program are logged, and a long line is cut", async () => {
    const lines: string[] = [];
    const isComplete = deferred<void>();
    await start([misbehaving, "writes many errors"], {
      log: (line) => {
        lines.push(line);
        if (line.startsWith("(Further")) isComplete.resolve();
      },
    });
    await isComplete.promise;
    expect(lines).toHaveLength(201);
    const long: string[] = [];
    const server = await start([misbehaving, "writes a long error"], { log: (line) => void long.push(line) });
    await server.close();
    await vi.waitUntil(() => long.length > 0, { timeout: 60_000 });
    expect(long.map(({ length }) => length)).toEqual([500]);
  });
});
