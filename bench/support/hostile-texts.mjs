// Hostile texts for the bench: small texts that would become much work, above the bounds of an input and at them.

import { setImmediate as nextTask } from "node:timers/promises";

const mebibyte = 1024 * 1024;
const repeat = (text, length) => text.repeat(Math.ceil(length / text.length));
const numbers = (count) => `[${"1,".repeat(count - 1)}1]`;
const keys = (count) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;

/** A body that arrives in pieces, each in a task of its own, as from the network. */
function body(text) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await nextTask();
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
}

/** A call of a tool in a session whose server answers with this result. */
const mcp =
  (result, type = "application/json") =>
  (inputs) =>
  async () => {
    const fetch = async (_url, { method, body: sent }) => {
      if (method !== "POST") return new Response(null, { status: 405 });
      const { id, method: called } = JSON.parse(sent);
      if (id === undefined) return new Response(null, { status: 202 });
      const info = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "a", version: "1" },
      };
      const text = called === "initialize" ? JSON.stringify(info) : result;
      const message = `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
      const isEvent = called !== "initialize" && type !== "application/json";
      const sentText = isEvent ? (result.startsWith("{") ? `data: ${message}\n\n` : result) : message;
      return new Response(body(sentText), { headers: { "content-type": isEvent ? type : "application/json" } });
    };
    const url = new URL("https://mcp.test/");
    const server = { name: "a", timeoutMs: 10_000, callMs: 60_000, url, headers: {}, allowedHosts: [] };
    const context = { fetch, clock: inputs.systemClock, log: () => {} };
    const session = await inputs.ServerSession.open(server, context, { onToolsChanged: () => {}, onEnd: () => {} });
    const options = { signal: new AbortController().signal, onProgress: () => {}, isTask: false };
    await session.call("a", {}, options);
  };
const stream = (text) => mcp(text, "text/event-stream");
const json = (text) => (inputs) => () => inputs.parseJson(text, "The body");
const openApi = (text) => (inputs) => () => inputs.readDocument(text, "address");
const page =
  (tag, end = "") =>
  (inputs) =>
  () =>
    inputs.pageText(repeat(tag, mebibyte - end.length) + end, "https://page.test/");
const model = (text) => (inputs) => () => {
  const lines = new inputs.AnswerLines();
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 65_536) lines.read(bytes.subarray(at, at + 65_536));
};
/** The calls of one event, without an id and a type. */
const calls = (count) => (inputs) => () => {
  const tool_calls = Array.from({ length: count }, (_, index) => ({
    index,
    function: { name: "get", arguments: "{}" },
  }));
  new inputs.ChatRepair(["get"]).take(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls } }] }));
};
/** Chunks after a text that may be the beginning of a key. */
const raw = (count) => (inputs) => () => {
  const text = new inputs.RawText(["sk-test-openai-0001"], (found) => found);
  text.take({ tool: "list_files" });
  for (let chunk = 0; chunk < count; chunk += 1) text.take({ delta: "a" });
};

const yamlKeys = (count) => `openapi: 3.1.0\nx:\n${Array.from({ length: count }, (_, at) => ` k${at}: 1`).join("\n")}`;

/** The texts by name. Each creates the work from the functions of the inputs. */
export const cases = {
  "request: 100,000 numbers": json(numbers(99_999)),
  "request: 99,000 keys": json(keys(99_000)),
  "request: 1 MB of objects": json(`[${repeat("{},", 1_000_000)}1]`),
  "mcp: 2 MB of numbers": mcp(`{"content":${numbers(1_000_000)}}`),
  "mcp: 1.5 MB of objects": mcp(`{"content":[${repeat("{},", 1_500_000)}1]}`),
  "mcp: 2,000,000 levels": mcp(`{"content":[],"structuredContent":{"a":${"[".repeat(2_000_000)}}}`),
  "mcp: 8 MB of numbers": mcp(`{"content":${numbers(3_900_000)}}`),
  "mcp: structured content of 99,000 numbers": mcp(`{"content":[],"structuredContent":{"a":${numbers(99_000)}}}`),
  "mcp: structured content of 49,000 keys": mcp(`{"content":[],"structuredContent":${keys(49_000)}}`),
  "mcp: content of 99,000 numbers": mcp(`{"content":${numbers(99_000)}}`),
  "mcp: 1.5 MB of text": mcp(`{"content":[{"type":"text","text":"${"x".repeat(1_500_000)}"}]}`),
  "mcp event: 2 MB of numbers": stream(`{"content":${numbers(1_000_000)}}`),
  "mcp event: 1,000,000 lines": stream("data: y\n".repeat(1_000_000)),
  "mcp event: 10,000 lines": stream(`${"data: y\n".repeat(9999)}\n`),
  "mcp event: 900,000 events": stream("data: 1\n\n".repeat(900_000)),
  "mcp event: 900,000 empty objects": stream("data: {}\n\n".repeat(900_000)),
  "mcp event: 20,000 notifications": stream('data: {"method":"a"}\n\n'.repeat(20_000)),
  "mcp event: unknown fields": stream("x\n".repeat(1_000_000)),
  "model: an event of 8 MB of numbers": model(`data: ${numbers(4_000_000)}\n\n`),
  "model: 1,000,000 lines": model("data: y\n".repeat(1_000_000)),
  "model: arguments of 499,000 numbers": (inputs) => () => inputs.parseArguments(`{"a":${numbers(499_000)}}`),
  "model: arguments of 250,000 keys": (inputs) => () => inputs.parseArguments(keys(250_000)),
  "model: arguments of 149,000 keys": (inputs) => () => inputs.parseArguments(keys(149_000)),
  "openapi: 8 MiB of objects": openApi(`{"openapi":"3.1.0","x":[${repeat("{},", 8 * mebibyte)}1]}`),
  "openapi: 399,000 numbers": openApi(`{"openapi":"3.1.0","x":${numbers(399_000)}}`),
  "openapi: 299,000 keys": openApi(`{"openapi":"3.1.0","x":${keys(299_000)}}`),
  "openapi yaml: 8 MiB of numbers": openApi(`a: [${repeat("1,", 8 * mebibyte)}1]`),
  "openapi yaml: 1 MiB of numbers": openApi(`a: [${repeat("1,", mebibyte - 10)}1]`),
  "openapi yaml: 1 MiB of objects": openApi(`a: [${repeat("{},", mebibyte - 10)}1]`),
  "openapi yaml: open lists": openApi(`a: ${repeat("[", mebibyte - 10)}`),
  "openapi yaml: indicators": openApi(`a:\n ${repeat("- ", mebibyte - 10)}`),
  "openapi yaml: 24,500 keys": openApi(yamlKeys(24_500)),
  "openapi yaml: 15,600 keys": openApi(yamlKeys(15_600)),
  "openapi yaml: escapes": openApi(`openapi: "3.1.0"\na: "${repeat("\\x41", mebibyte - 100)}"`),
  "openapi yaml: a folded text": openApi(`openapi: 3.1.0\na: >\n${repeat("  x\n\n", mebibyte - 100)}`),
  "frontmatter: lists": (inputs) => () => inputs.skillFrontmatter(`---\n${repeat("[1,", 8000)}\n---\n`, "a"),
  "page: list items": page("<li>x"),
  "page: cells": page("<td>x"),
  "model: 19,000 calls in an event": calls(19_000),
  "model: 100,000 chunks after the beginning of a key": raw(100_000),
  "page: definitions": page("<dt>x<dd>y"),
  "page: list items and an empty main part": page("<li>x", "<main></main>"),
  "page: an empty main part and list items": (inputs) => () =>
    inputs.pageText(`<main></main>${repeat("<li>x", mebibyte)}`, "https://page.test/"),
  "page: headings": page("<h1>x</h1>"),
  "page: ruby texts": page("<rt>x"),
  "page: nested elements": page("<div>"),
  "page: text without tags": page("word "),
};
