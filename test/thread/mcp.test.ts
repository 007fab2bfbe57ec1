// The tools of MCP servers in threads, over real HTTP: the reference server of the protocol.

import { expect, inject, it } from "vitest";

import { scripts } from "../worker/definitions.ts";
import { callTools, outcome, setServer } from "./mcp-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const calls: [name: string, args: object, status: "success" | "error", text: RegExp | null][] = [
  ["echo", { message: "hello" }, "success", /^Echo: hello$/],
  ["get-annotated-message", { messageType: "success", includeImage: true }, "success", /Operation completed/],
  ["get-env", {}, "success", /PATH/],
  ["get-resource-links", { count: 2 }, "success", /\[resource .*demo:\/\/resource\/dynamic/],
  ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, "success", /\[resource demo:.*\]\nResource 1/],
  ["get-structured-content", { location: "Chicago" }, "success", /"conditions"/],
  ["get-sum", { a: 2, b: 40 }, "success", /42/],
  ["get-tiny-image", {}, "success", /image/],
  ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }, "success", null],
  ["toggle-simulated-logging", {}, "success", /Started simulated/],
  ["toggle-subscriber-updates", {}, "success", /resource updated notifications/],
  ["trigger-long-running-operation", { duration: 0.1, steps: 3 }, "success", /completed/],
  ["simulate-research-query", { topic: "rain" }, "success", /rain/],
];

it.each(["everything", "old"])(
  "A thread lists and calls every tool of the reference server over the transport at /%s",
  async (path) => {
    const server = setServer("everything", path);
    const { request, results } = await callTools(
      "mcp",
      calls.map(([name, args]) => ({ name: `everything__${name}`, arguments: args })),
    );
    expect(request?.tools.map(({ name }) => name).toSorted()).toEqual(
      calls.map(([name]) => `everything__${name}`).toSorted(),
    );
    expect(results.map((each) => [each.name, ...outcome(each)])).toEqual(
      calls.map(([name, , status, text]) => [
        `everything__${name}`,
        status,
        text === null ? undefined : expect.stringMatching(text),
      ]),
    );
    const files = (name: string) =>
      results.find((each) => each.name === `everything__${name}`)?.result?.attachments?.map(({ mimeType }) => mimeType);
    expect(files("get-tiny-image")).toEqual(["image/png"]);
    expect(files("gzip-file-as-resource")).toEqual([expect.stringMatching(/gzip/)]);
    const structured = results.find((each) => each.name === "everything__get-structured-content");
    expect(JSON.parse(structured?.result?.result ?? "")).toMatchObject({ humidity: expect.any(Number) as number });
    await server.idle();
  },
  120_000,
);

it("A call's progress on the server is emitted as progress of the tool", async () => {
  setServer("everything", "everything");
  const id = await newThread("mcp");
  scripts.set("progress", ({ step }) =>
    step === 0
      ? {
          toolCalls: [{ name: "everything__trigger-long-running-operation", arguments: { duration: 0.1, steps: 2 } }],
        }
      : { text: "done" },
  );
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("progress"), null));
  await following.until((event) => event.type === "run_end");
  following.close();
  const updates = following.events.flatMap((event) => (event.type === "tool_execution_delta" ? [event.progress] : []));
  expect(updates).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
});

it("A run opens one session at its first request, and closes the session; a later run that calls no tool sends no request", async () => {
  const server = setServer("everything", "everything");
  await callTools("mcp", [
    { name: "everything__echo", arguments: { message: "one" } },
    { name: "everything__echo", arguments: { message: "two" } },
  ]);
  const { lines } = await server.idle();
  expect(lines.filter((line) => line !== "GET").slice(0, 3)).toEqual([
    "POST initialize",
    "POST notifications/initialized",
    "POST tools/list",
  ]);
  expect(lines.filter((line) => line.includes("tools/call"))).toHaveLength(2);
  expect(lines.filter((line) => line === "DELETE")).toHaveLength(1);
  const { results, request } = await callTools("mcp", []);
  expect(results).toEqual([]);
  expect(request?.tools.length).toBeGreaterThan(5);
  expect((await server.requests()).lines).toEqual(lines);
});

it("A thread calls a tool of a stdio server through the bridge mcp-proxy", async () => {
  const url = await (await fetch(`${inject("mcpServer")}/bridge`)).text();
  setServer("everything", "everything", { url, allowedHosts: [new URL(url).host] });
  const { results, request } = await callTools("mcp", [
    { name: "everything__echo", arguments: { message: "over stdio" } },
  ]);
  expect(request?.tools.length).toBeGreaterThan(5);
  expect(results.map(outcome)).toEqual([["success", "Echo: over stdio"]]);
}, 300_000);

it("A model can list and read a server's resources and prompts with tools, if the definition requests these tools", async () => {
  setServer("everything", "everything", { tools: [], resources: true, prompts: true });
  const uri = "demo://resource/dynamic/text/1";
  const { request, results } = await callTools("mcp", [
    { name: "everything__list_resources", arguments: {} },
    { name: "everything__read_resource", arguments: { uri } },
    { name: "everything__list_prompts", arguments: {} },
    { name: "everything__get_prompt", arguments: { name: "args-prompt", arguments: { city: "Rome" } } },
    { name: "everything__read_resource", arguments: { uri: "demo://nothing" } },
  ]);
  const names = ["list_resources", "read_resource", "list_prompts", "get_prompt"].map((name) => `everything__${name}`);
  expect(request?.tools.map(({ name }) => name)).toEqual(names);
  expect(results.map(outcome)).toEqual([
    ["success", expect.stringContaining("demo://resource/dynamic/text/{resourceId} | template")],
    ["success", expect.stringMatching(/^\[resource demo:.*\]\nResource 1/)],
    ["success", expect.stringMatching(/^args-prompt\(city, state\?\) \| /m)],
    ["success", expect.stringMatching(/^\[user\]\n.*Rome/)],
    ["error", expect.stringContaining("reported an error")],
  ]);
});

it("Tools for resources and prompts are absent if the server lacks the capability or the definition does not request them", async () => {
  setServer("everything", "bad/plain", { resources: true, prompts: true });
  expect((await callTools("mcp", [])).request?.tools.map(({ name }) => name)).toEqual(["everything__ping"]);
  setServer("everything", "everything", { tools: ["echo"] });
  expect((await callTools("mcp", [])).request?.tools.map(({ name }) => name)).toEqual(["everything__echo"]);
});

it("A client can invoke a tool of a server outside of a run, such as the tool that reads a resource", async () => {
  const server = setServer("everything", "everything", { resources: true });
  const id = await newThread("mcp");
  const uri = "demo://resource/dynamic/text/2";
  const answer = await value(stubOf(id).call("invokeTool", admin, "everything__read_resource", { uri }));
  expect(answer).toMatchObject({ status: "success", result: expect.stringContaining("Resource 2") as string });
  await server.idle();
});

/** Lets the model call, in the first steps, a tool whose server requests a text. */
function sampling(word: string, steps: number, more: object = {}) {
  const call = { name: "everything__trigger-sampling-request", arguments: { prompt: word, maxTokens: 50 } };
  scripts.set(word, ({ step }) => (step < steps ? { toolCalls: [call] } : { text: "done" }));
  setServer("everything", "everything", { sampling: { model: "scripted", ...more } });
}

const page = { limit: 9, order: "asc" as const, include_silent: false };

it("A server requests a text from the definition's model during a call, and the usage counts to the run", async () => {
  const word = `mcp-${crypto.randomUUID()}`;
  sampling(word, 1);
  const id = await newThread("mcp");
  const events = await converse(id, word);
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  const [result] = items.filter(({ role }) => role === "tool").map(outcome);
  expect(result).toEqual([
    "success",
    expect.stringContaining(`echo: Resource trigger-sampling-request context: ${word}`),
  ]);
  expect(events.find(({ type }) => type === "subagent_end")).toMatchObject({
    subagent_type: "scripted",
    success: true,
  });
  const logs = await value(stubOf(id).call("listLogs", admin, { limit: 9, order: "asc", type: "llm_request" }));
  const usages = logs.items.map(({ data }) => data["usage"] as { input: number });
  expect(usages).toHaveLength(3);
  const total = usages.reduce((sum, { input }) => sum + input, 0);
  expect(events.find(({ type }) => type === "run_end")).toMatchObject({ status: "completed", usage: { input: total } });
});

it("A server gets an error if it requests more texts than the definition permits, and cannot request any if the definition permits none", async () => {
  const word = `mcp-${crypto.randomUUID()}`;
  sampling(word, 2, { maxRequests: 1 });
  const id = await newThread("mcp");
  await converse(id, word);
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  expect(items.filter(({ role }) => role === "tool").map(outcome)).toEqual([
    ["success", expect.stringContaining("echo: Resource")],
    ["error", expect.stringContaining("has reached its number of requests")],
  ]);
  setServer("everything", "everything");
  const names = (await callTools("mcp", [])).request?.tools.map(({ name }) => name) ?? [];
  expect(names).not.toContain("everything__trigger-sampling-request");
});
