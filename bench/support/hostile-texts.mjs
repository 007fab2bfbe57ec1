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
/** Receives an answer of a model through the port until it is full. Its events arrive in pieces of 64 KiB. */
async function receive(inputs, { provider, api }, text) {
  const fetch = async () => new Response(body(text), { headers: { "content-type": "text/event-stream" } });
  const port = inputs.createModelPort({ env: keysOfProviders, fetch });
  const model = { name: "m", provider, model: "m", baseUrl: "https://model.test/v1", ...(api && { api }) };
  const tools = [{ name: "get", description: "Gets.", parameters: { type: "object", properties: {} } }];
  const settings = { toolChoice: "auto", parallelToolCalls: true, reasoning: null, temperature: null };
  const request = { model, system: "", messages: [], tools, ...settings, maxTokens: 100 };
  const options = { hideThinking: false, role: "assistant", parentId: null };
  const received = new inputs.Answer("1", { emit: () => {} }, options);
  for await (const part of port.stream(request, new AbortController().signal)) {
    received.add(part);
    if (received.full) return "cut";
  }
  return received.failure?.message ?? "read";
}
/** The package of the provider is loaded before the measurement. */
const answer = (model, events) => async (inputs) => {
  await receive(inputs, model, "data: {}\n\n");
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return () => receive(inputs, model, text);
};
const keysOfProviders = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GOOGLE_API_KEY: "k" };
const chat = { provider: "openai", api: "chat" };
const responses = { provider: "openai", api: "responses" };
const anthropic = { provider: "anthropic" };
const google = { provider: "google" };
const list = (count, one) => Array.from({ length: count }, (_, at) => one(at));
const chatCalls = (count) => [
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: list(count, (index) => ({
            index,
            id: `c${index}`,
            type: "function",
            function: { name: "get", arguments: "{}" },
          })),
        },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
];
const chatTexts = (count) => list(count, () => ({ choices: [{ index: 0, delta: { content: "a" } }] }));
const manyChoices = (count) => [{ choices: list(count, (index) => ({ index, delta: { content: "a" } })) }];
const item = (at) => ({ type: "function_call", id: `i${at}`, call_id: `c${at}`, name: "get", arguments: "" });
const openItems = (count) =>
  list(count, (at) => ({ type: "response.output_item.added", output_index: at, item: item(at) }));
const openTexts = (count) =>
  list(count, (at) => ({
    type: "response.output_item.added",
    output_index: at,
    item: { type: "message", id: `m${at}` },
  }));
const pieces = (count, items) =>
  list(count, (at) => ({ type: "response.function_call_arguments.delta", item_id: `i${at % items}`, delta: "1" }));
const completed = (count) => [
  { type: "response.completed", response: { output: list(count, item), usage: { input_tokens: 1, output_tokens: 1 } } },
];
const blocks = (count) => [
  { type: "message_start", message: { id: "m", usage: { input_tokens: 1 } } },
  ...list(count, (index) => ({
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id: `t${index}`, name: "get", input: {} },
  })),
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const parts = (count, part) => [
  { candidates: [{ content: { parts: list(count, () => part) }, finishReason: "STOP" }] },
];
const chatName = (count) => [
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { name: "g" } }] } }] },
  ...list(count, () => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { name: "e" } }] } }] })),
];
const summaries = (count) => [
  { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "r" } },
  ...list(count, (at) => ({
    type: "response.reasoning_summary_part.added",
    item_id: "r",
    output_index: 0,
    summary_index: at,
  })),
];
const citations = (count) => [
  {
    choices: [
      {
        index: 0,
        delta: {
          content: "a",
          annotations: list(count, (at) => ({ type: "url_citation", url_citation: { url: `https://a.test/${at}` } })),
        },
      },
    ],
  },
];
const pausedTurns = (count) => [
  ...blocks(1).slice(0, 2),
  ...list(count, () => ({ type: "message_delta", delta: { stop_reason: "pause_turn" }, usage: { output_tokens: 1 } })),
];
const thoughts = (count) => [
  {
    candidates: [
      { content: { parts: list(count, (at) => ({ text: "a", thought: at % 2 === 0 })) }, finishReason: "STOP" },
    ],
  },
];
const modelAnswers = {
  "answer: chat, 1,000 calls in an event": answer(chat, chatCalls(1000)),
  "answer: google, 1,000 calls in an event": answer(google, parts(1000, { functionCall: { name: "get", args: {} } })),
  "answer: google, 1,000 thoughts and texts": answer(google, thoughts(1000)),
  "answer: google, 12,000 events with thoughts and texts": answer(
    google,
    list(6000, () => thoughts(2)[0]),
  ),
  "answer: responses, 250 calls in the last event": answer(responses, completed(250)),
  "answer: responses, 100,000 pieces of 500 calls": answer(responses, [...openItems(500), ...pieces(100_000, 500)]),
  "answer: responses, 2,001 parts of a summary": answer(responses, [
    ...summaries(2001),
    ...list(20_000, (at) => ({
      type: "response.reasoning_summary_text.delta",
      item_id: "r",
      output_index: 0,
      summary_index: at % 2001,
      delta: "a",
    })),
  ]),
  "answer: chat, a name in 150,000 pieces": answer(chat, chatName(150_000)),
  "answer: chat, 14,000 citations in an event": answer(chat, citations(14_000)),
  "answer: responses, 50,000 parts of a summary": answer(responses, summaries(50_000)),
  "answer: anthropic, 50,000 pauses": answer(anthropic, pausedTurns(50_000)),
  "answer: chat, 10,000 calls in an event": answer(chat, chatCalls(10_000)),
  "answer: chat, 200,000 pieces of text": answer(chat, chatTexts(200_000)),
  "answer: chat, 20,000 choices": answer(chat, manyChoices(20_000)),
  "answer: responses, 8,000 open calls": answer(responses, openItems(8000)),
  "answer: responses, 8,000 open texts": answer(responses, openTexts(8000)),
  "answer: responses, 100,000 pieces of 1,900 calls": answer(responses, [...openItems(1900), ...pieces(100_000, 1900)]),
  "answer: responses, 12,000 calls in the last event": answer(responses, completed(12_000)),
  "answer: anthropic, 10,000 calls": answer(anthropic, blocks(10_000)),
  "answer: google, 15,000 calls in an event": answer(
    google,
    parts(15_000, { functionCall: { name: "get", args: {} } }),
  ),
  "answer: google, 30,000 texts in an event": answer(google, parts(30_000, { text: "a" })),
  "answer: google, 30,000 thoughts and texts": answer(google, thoughts(30_000)),
  "answer: google, 20,000 pictures in an event": answer(
    google,
    parts(20_000, { inlineData: { mimeType: "image/png", data: "AAAA" } }),
  ),
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
  ...modelAnswers,
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
