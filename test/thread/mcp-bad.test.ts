// MCP servers that fail, restart, change their tools, or send too many or false messages, in threads over real HTTP.

import { describe, expect, inject, it, onTestFinished, vi } from "vitest";

import type { TestTurn } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { callTools, outcome, setServer } from "./mcp-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const ping = { name: "everything__ping", arguments: {} };

/** The warnings of the thread's last step. */
async function warningsOf(id: string): Promise<string> {
  const query = { limit: 100, order: "asc" as const, type: "llm_request" as const };
  const { items } = await value(stubOf(id).call("listLogs", admin, query));
  return JSON.stringify(items.map(({ data }) => data["warnings"] ?? []));
}

/** Runs a turn with these steps. A step may wait before its calls. Returns the results of its calls in order. */
async function converseIn(agent: string, steps: (() => TestTurn | Promise<TestTurn>)[]) {
  const id = await newThread(agent);
  const word = `mcp-${crypto.randomUUID()}`;
  const tools: string[][] = [];
  scripts.set(word, (request) => {
    tools.push(request.tools.map(({ name }) => name));
    return steps[request.step]?.() ?? { text: "done" };
  });
  await converse(id, word);
  const page = { limit: 100, order: "asc" as const, include_silent: false };
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  return { id, tools, results: items.filter(({ role }) => role === "tool").map(outcome) };
}

const pings = () => ({ toolCalls: [ping] });

describe("a server whose tools cannot be listed", () => {
  it.each([
    ["unauthorized", /refused the credentials \(HTTP 401\)/],
    ["missing", /no endpoint at its address/],
    ["closed", /refused a request \(HTTP 405\)/],
    ["redirecting", /refused a request \(HTTP 307\)/],
    ["listless", /does not match the protocol: `tools` is no list/],
  ])("A run continues without the tools of the server '%s', with a warning of the reason", async (mode, reason) => {
    const allowedHosts = [new URL(inject("mcpServer")).host, "localhost"];
    setServer("everything", `bad/${mode}`, { allowedHosts });
    const { id, results, requests } = await callTools("mcp", [ping]);
    expect(results.map(outcome)).toEqual([["error", expect.stringMatching(/not available|unknown|no tool/i)]]);
    expect(requests).toHaveLength(2);
    expect(requests[0]?.tools).toEqual([]);
    expect(requests[0]?.system).toContain("These tools are not available now, so do not call them: everything__*.");
    const warnings = await warningsOf(id);
    expect(warnings).toMatch(reason);
    expect(warnings).not.toContain("secret");
  });

  it("A run tries only once to open a session with a server that does not open it in time", async () => {
    const server = setServer("everything", "bad/deaf", { timeoutMs: 100 });
    const { results, id } = await converseIn("mcp", [pings, pings]);
    expect(results.map(([status]) => status)).toEqual(["error", "error"]);
    expect(await warningsOf(id)).toContain("did not open a session in time");
    expect((await server.requests()).lines.filter((line) => line === "POST initialize")).toHaveLength(1);
  });
});

it.each([
  ["dying", /could not be reached/],
  ["silent", /closed the connection before it responded/],
  ["garbled", /is no JSON/],
  ["page", /neither JSON nor an event stream/],
  ["flood", /closed the connection|could not be reached/],
  ["chatty", /closed the connection/],
  ["pinging", /closed the connection/],
  ["failing", /reported an error: .*the disk is full/],
])(
  "A call of a tool of the server '%s' gets an error that names the reason, and the run continues",
  async (mode, reason) => {
    setServer("everything", `bad/${mode}`);
    const { results, requests } = await callTools("mcp", [ping]);
    expect(results.map(outcome)).toEqual([["error", expect.stringMatching(reason)]]);
    expect(requests).toHaveLength(2);
  },
);

it.each([
  ["liar", /^seven\n\[Left out of the result: structuredContent: n: has to be number/],
  [
    "demanding",
    /^pong\n\[Left out of the result: structuredContent: .*needs more than 500000 comparisons \(1500 alternatives/,
  ],
])(
  "The text of a call of the server '%s' stays, and its structured content is left out with the reason",
  async (mode, text) => {
    setServer("everything", `bad/${mode}`);
    const { results } = await callTools("mcp", [ping]);
    expect(results.map(outcome)).toEqual([["success", expect.stringMatching(text)]]);
    expect(results[0]?.result?.details).toBeUndefined();
  },
);

it("A call succeeds on a server that answers in JSON and has no sessions", async () => {
  setServer("everything", "bad/plain");
  const { results } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "pong"]]);
});

it("A server's log messages of the level warning and above are written to the deployment's log, at most 50 in a session", async () => {
  const lines: Record<string, unknown>[] = [];
  const collect = (line: string) => {
    const fields = JSON.parse(line) as Record<string, unknown>;
    if (fields["event"] === "mcp_message") lines.push(fields);
  };
  const spies = (["log", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(collect),
  );
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  setServer("everything", "bad/logging");
  const { results, id } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "pong"]]);
  expect(lines.slice(0, 5).map(({ level }) => level)).toEqual(["warning", "error", "error", "error", "error"]);
  expect(lines[0]).toMatchObject({ server: "everything", thread_id: id });
  const [{ text } = { text: "" }] = lines;
  expect(text).toMatch(/^\{"level":"warning","hidden":"x+…$/);
  expect(text).toHaveLength(500);
  expect(lines.slice(5).map((line) => line["text"])).toEqual(Array.from({ length: 45 }, (_, at) => `warning ${at}`));
});

it("Progress of a call is emitted up to its 1,000th report", async () => {
  setServer("everything", "bad/progressing");
  const { results, events } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "pong"]]);
  const reports = events.flatMap((event) => (event.type === "tool_execution_delta" ? [event.progress] : []));
  expect(reports.at(-1)).toEqual({ progress: 1000 });
});

it("If a server ends the stream of a call again and again, the call gets an error after 50 streams", async () => {
  const server = setServer("everything", "bad/ending");
  const { results } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["error", expect.stringMatching(/closed the connection|too often/)]]);
  const streams = (await server.requests()).lines.filter((line) => line === "GET");
  // One of the 50 is the stream that a session opens by itself.
  expect(streams).toHaveLength(50);
}, 120_000);

it("Audio of a result becomes a file of the thread", async () => {
  setServer("everything", "bad/audible");
  const { results, id } = await callTools("mcp", [ping]);
  const [file] = results[0]?.result?.attachments ?? [];
  expect(file).toMatchObject({ mimeType: "audio/wav", size: 5 });
  expect(await (await new Files(id).get(file?.path ?? "")).text()).toBe("sound");
});

it("A call that exceeds the definition's time limit gets an error, the server is notified, and the request ends before the run", async () => {
  const server = setServer("everything", "bad/slow", { timeoutMs: 5000 });
  let last: Awaited<ReturnType<typeof server.requests>> | undefined;
  const { results } = await converseIn("mcp", [
    pings,
    async () => {
      last = await expect.poll(server.requests, { timeout: 100_000 }).toMatchObject({ cut: 1 }).then(server.requests);
      return { text: "done" };
    },
  ]);
  expect(results).toEqual([["error", expect.stringContaining("did not finish within")]]);
  expect(last?.lines).toContain("POST notifications/cancelled");
}, 120_000);

it("A stop of the run cancels the call on the server", async () => {
  const server = setServer("everything", "bad/slow");
  const id = await newThread("mcp");
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, pings);
  const { run } = await value(stubOf(id).call("postMessage", admin, message(word), null));
  await expect
    .poll(async () => (await server.requests()).lines, { timeout: 100_000 })
    .toContain("POST tools/call ping");
  await value(stubOf(id).call("stop", admin, null));
  await expect
    .poll(async () => (await server.requests()).lines, { timeout: 100_000 })
    .toContain("POST notifications/cancelled");
  const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "asc" }));
  expect(items).toMatchObject([{ id: run?.id, status: "stopped" }]);
});

it("A call whose response has a separate stream succeeds although the server ends the stream of its notifications", async () => {
  setServer("everything", "bad/parting");
  const { results } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "pong"]]);
});

it("A call that a server runs as a task gets its result, even if the server requests a day between two polls", async () => {
  setServer("everything", "bad/tasking");
  const { results } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "pong"]]);
});

it("A stop of a run cancels the task that the server runs for its call, also while the client waits for its next poll", async () => {
  const server = setServer("everything", "bad/working");
  const id = await newThread("mcp");
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, pings);
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  const lines = async () => (await server.requests()).lines;
  await expect.poll(lines, { timeout: 100_000 }).toContain("POST tasks/get");
  await value(stubOf(id).call("stop", admin, null));
  await expect.poll(lines, { timeout: 100_000 }).toContain("POST tasks/cancel");
}, 120_000);

it("The listing of a server's tools ends at the definition's time limit if its pages are slow, and the run continues without the tools", async () => {
  setServer("everything", "bad/sluggish", { timeoutMs: 2000 });
  const { id, request } = await callTools("mcp", []);
  expect(request?.tools).toEqual([]);
  expect(await warningsOf(id)).toMatch(/in time/);
});

it("A refused call does not end another call in the same session", async () => {
  const server = setServer("everything", "bad/busy");
  const id = await newThread("mcp");
  const word = `mcp-${crypto.randomUUID()}`;
  const toolCalls = [ping, { name: "everything__refused", arguments: {} }];
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls } : { text: "done" }));
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  const ended = (name: string) =>
    following.until((event) => event.type === "tool_execution_end" && event.tool_name === name);
  expect(await ended("everything__refused")).toMatchObject({
    is_error: true,
    result: { error: expect.stringContaining("refused a request (HTTP 503)") as string },
  });
  await expect
    .poll(async () => (await server.requests()).lines, { timeout: 100_000 })
    .toContain("POST tools/call ping");
  await server.release();
  expect(await ended("everything__ping")).toMatchObject({ is_error: false });
  await following.until((event) => event.type === "run_end");
  following.close();
});

it("A change of a server's list of tools takes effect in the next step", async () => {
  setServer("everything", "bad/changing");
  const added = () => ({ toolCalls: [{ name: "everything__added", arguments: {} }] });
  const { results, tools } = await converseIn("mcp", [pings, added]);
  expect(tools.slice(0, 2)).toEqual([["everything__ping"], ["everything__ping", "everything__added"]]);
  expect(results).toEqual([
    ["success", "ping"],
    ["success", "added"],
  ]);
});

it("The client resumes a stream that the server ended before the result, even if the server requests a very long wait", async () => {
  setServer("everything", "bad/resumable");
  const { results } = await callTools("mcp", [ping]);
  expect(results.map(outcome)).toEqual([["success", "continued"]]);
});

it("A response above a bound does not prevent that another call of the session is continued, and its own stream is not continued", async () => {
  const server = setServer("everything", "bad/overflowing", { timeoutMs: 20_000 });
  const { results } = await callTools("mcp", [{ name: "everything__big", arguments: {} }, ping]);
  expect(results.map(outcome)).toEqual([
    ["error", expect.stringContaining("more than 10000 lines")],
    ["success", "continued"],
  ]);
  const streams = (await server.requests()).lines.filter((line) => line === "GET");
  // One is the stream that a session opens by itself.
  expect(streams).toHaveLength(2);
}, 60_000);

it("Only the first of two tools with the same name is offered, and a name that providers refuse is replaced by a valid name", async () => {
  setServer("everything", "bad/twins");
  const { request, results } = await callTools("mcp", []);
  expect(results).toEqual([]);
  const names = request?.tools.map(({ name }) => name) ?? [];
  expect(names).toHaveLength(3);
  expect(names[0]).toBe("everything__same");
  expect(request?.tools[0]?.description).toBe("The first.");
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const again = await callTools(
    "mcp",
    names.slice(1).map((name) => ({ name, arguments: {} })),
  );
  expect(again.results.map(outcome)).toEqual([
    ["success", "has spaces and ümlauts"],
    ["success", "l".repeat(100)],
  ]);
});

it("Descriptions from a server are shortened and lose hidden characters, a tool whose schema refers to nothing but itself is offered, and a tool without arguments as an object is left out", async () => {
  setServer("everything", "bad/hostile");
  const { request, results } = await callTools("mcp", [
    { name: "everything__strict", arguments: { n: "one" } },
    { name: "everything__strict", arguments: { n: 1 } },
  ]);
  expect(request?.tools.map(({ name }) => name)).toEqual([
    "everything__hidden",
    "everything__circular",
    "everything__strict",
  ]);
  const { description = "" } = request?.tools[0] ?? {};
  expect(description).toMatch(/^Fine\.a+…$/);
  expect(description.length).toBeLessThanOrEqual(2000);
  expect(results.map(outcome)).toEqual([
    ["error", expect.stringContaining("n")],
    ["success", "done"],
  ]);
});

it("A prompt can list two hundred tools of a server, and call the last one", async () => {
  setServer("everything", "bad/many");
  const { request, results } = await callTools("mcp", [{ name: "everything__tool-199", arguments: {} }]);
  expect(request?.tools).toHaveLength(200);
  expect(results.map(outcome)).toEqual([["success", "tool-199"]]);
});

it("The pages of a list of tools and the size of its schemas are bounded", async () => {
  setServer("everything", "bad/endless");
  expect((await callTools("mcp", [])).request?.tools).toHaveLength(50);
  setServer("everything", "bad/heavy");
  const names = (await callTools("mcp", [])).request?.tools.map(({ name }) => name) ?? [];
  expect(names.length).toBeLessThan(25);
  expect(names).not.toContain("everything__huge");
  expect(names).not.toContain("everything__deep");
});
