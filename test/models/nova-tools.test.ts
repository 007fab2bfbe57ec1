// The tools that AWS executes for Amazon Nova: their events from the model server, and calls and results that no honest server sends.

import { expect, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";

import { answerTo } from "./answer-to.ts";
import { collect, readAnswer, request, serverPort } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { askWith, at, converseAnswer, storedAnswer, transcript, withTools } from "./provider-tool-answers.ts";

const nova = withTools("bedrock", { type: "nova_grounding" }, { type: "nova_code_interpreter" });

const call = (toolUseId: string, input: object = { code: "6*7" }) => ({
  toolUse: { toolUseId, name: "nova_code_interpreter", type: "server_tool_use", input },
});
const result = (toolUseId: string, content: object[], more: object = {}) => ({
  toolResult: { toolUseId, type: "nova_code_interpreter_result", ...more, content },
});
const done = (stdOut: string) => ({ stdOut, stdErr: "", exitCode: 0, isError: false });

/** The stored parts of an answer of these bytes, which are the same on the direct path and without it. */
async function storedOf(bytes: string): Promise<StoredPart[]> {
  const { parts, end } = await answerTo("bedrock", bytes, "whole", { model: nova });
  expect(end.type === "error" ? end.failure : null).toBeNull();
  return storedAnswer(parts).parts;
}

/** What the next request sends of an answer. The fetch of the tests refuses a request that breaks the rules of Converse. */
async function sentBack(...answers: StoredPart[][]): Promise<Json[]> {
  const { sent } = await askWith(nova, converseAnswer(["Hi."]), { messages: transcript(...answers) });
  const content = at(sent.body, "messages", 1, "content");
  return Array.isArray(content) ? content : [];
}

/** The names of the blocks of a message. */
const namesOf = (content: readonly Json[]): string[] =>
  content.flatMap((block) => Object.keys(block as JsonObject)).filter((name) => name !== "cachePoint");

it("PROVTOOL3 An answer of the model server with a search is stored with its sources, and its blocks are in the next request to the server", async () => {
  const bodies: JsonObject[] = [];
  const requested = async (name: string, direct: boolean, more: Partial<ModelRequest> = {}) => {
    const port = serverPort({
      fetch: (input, init) => {
        bodies.push(JSON.parse(typeof init?.body === "string" ? init.body : "{}") as JsonObject);
        return fetch(input, init);
      },
      direct,
    });
    const definition = { ...nova, model: `amazon.nova-2-lite/case:${name}` };
    const parts = await collect(port.stream(request(definition, more), new AbortController().signal));
    expect(grammarFaults(parts)).toEqual([]);
    return { stored: storedAnswer(parts).parts, ...readAnswer(parts) };
  };
  const { stored, text, end } = await requested("grounded", true);
  expect(stored).toEqual((await requested("grounded", false)).stored);
  expect(text).toBe("Let me look.It rains in Oslo, until noon.");
  expect(stored).toMatchObject([
    { type: "text", text: "Let me look." },
    {
      type: "provider_tool",
      id: "tooluse_7kQ",
      name: "nova_grounding",
      input: { query: "rain in Oslo" },
      output: "[HIDDEN]",
    },
    { text: "It rains in Oslo" },
    { text: ", until noon." },
  ]);
  expect(end).toMatchObject({ sources: [{ url: "https://weather.example/oslo", title: "Weather in Oslo" }] });
  const next = await requested("text", true, { messages: transcript(stored) });
  expect(next.text).toBe("Hello there, how can I help?");
  expect(at(bodies.at(-1), "messages", 1, "content")).toMatchObject([
    { text: "Let me look." },
    {
      toolUse: {
        toolUseId: "tooluse_7kQ",
        name: "nova_grounding",
        type: "server_tool_use",
        input: { query: "rain in Oslo" },
      },
    },
    {
      toolResult: {
        toolUseId: "tooluse_7kQ",
        type: "nova_grounding_result",
        status: "success",
        content: [{ text: "[HIDDEN]" }],
      },
    },
    { text: "It rains in Oslo" },
    { text: ", until noon." },
    { cachePoint: { type: "default" } },
  ]);
});

it("PROVTOOL1 Requests with functions offer the tools of AWS next to them, unless a function has the name", async () => {
  const tools = ["get_time", "nova_grounding"].map((name) => ({
    name,
    description: "",
    parameters: { type: "object", properties: {} },
  }));
  const { sent, parts } = await askWith(nova, converseAnswer(["Hi."]), { tools, toolChoice: "required" });
  expect(sent.body["toolConfig"]).toMatchObject({
    tools: [
      { systemTool: { name: "nova_code_interpreter" } },
      { toolSpec: { name: "get_time" } },
      { toolSpec: { name: "nova_grounding" } },
    ],
    toolChoice: { any: {} },
  });
  const [first] = parts;
  expect(first?.type === "raw" && first.chunk).toContain('tool \\"nova_grounding\\" was left out');
});

it("PROVTOOL2 A tool of AWS that failed is a part with its error, and the texts of its result that are JSON are shown as values", async () => {
  const failed = { stdOut: "", stdErr: "ZeroDivisionError", exitCode: 1, isError: true };
  const stored = await storedOf(
    converseAnswer([
      call("t1"),
      result("t1", [{ text: JSON.stringify(failed) }]),
      call("t2"),
      result("t2", [{ text: "Busy." }], { status: "error" }),
      "No.",
    ]),
  );
  expect(stored).toMatchObject([
    { id: "t1", output: failed, is_error: true },
    { id: "t2", output: "Busy.", is_error: true },
    { text: "No." },
  ]);
  expect(namesOf(await sentBack(stored))).toEqual(["toolUse", "toolResult", "toolUse", "toolResult", "text"]);
});

it("PROVTOOL6 A result of 6 MB in many pieces, and one in a single piece, are shown by their beginning and sent back as text", async () => {
  const pieces = Array.from({ length: 120 }, () => ({ text: "x".repeat(50_000) }));
  for (const content of [pieces, [{ json: done("x".repeat(6_000_000)) }]]) {
    const stored = await storedOf(converseAnswer([call("t1"), result("t1", content), "Done."]));
    expect(stored[0]).toMatchObject({
      output: expect.stringMatching(/xxx\n*\[cut: \d+ of \d+ characters left out\]$/),
    });
    expect(JSON.stringify(stored).length).toBeLessThan(40_000);
    expect(namesOf(await sentBack(stored))).toEqual(["text", "text"]);
  }
});

it("PROVTOOL6 Arguments that are no JSON object, results without content, halves of a call and repeated ids are parts, and are sent as text", async () => {
  const start = {
    contentBlockIndex: 0,
    start: { toolUse: { toolUseId: "t1", name: "nova_code_interpreter", type: "server_tool_use" } },
  };
  const cut = `data: ${JSON.stringify({ contentBlockStart: start })}\n\ndata: ${JSON.stringify({
    contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"code":' } } },
  })}\n\n`;
  const whole = [call("t1"), result("t1", [{ json: done("42") }])];
  const answers: [string, unknown][] = [
    // The call has no end: the block at its index ends it.
    [cut + converseAnswer([result("t1", [{ text: "42" }]), "Yes."]), '{"code":'],
    [converseAnswer([call("t1"), result("t1", []), "Yes."]), { code: "6*7" }],
    [converseAnswer([result("t1", [{ text: "42" }]), "Yes."]), {}],
    [converseAnswer([call("t1"), "Yes."]), { code: "6*7" }],
  ];
  for (const [answer, input] of answers) {
    const stored = await storedOf(answer);
    expect(stored).toMatchObject([
      { type: "provider_tool", id: "t1", name: "nova_code_interpreter", input },
      { text: "Yes." },
    ]);
    expect(namesOf(await sentBack(stored))).toEqual(["text", "text"]);
  }
  const twice = await storedOf(converseAnswer([...whole, ...whole, "Yes."]));
  expect(twice).toMatchObject([{ id: "t1" }, { id: "t1_2", output: { stdOut: "42" } }, { text: "Yes." }]);
  expect(namesOf(await sentBack(twice))).toEqual(["toolUse", "toolResult", "text", "text"]);
});

it("PROVTOOL6 A call that only the end of the answer ends is a part", async () => {
  const events = converseAnswer([call("t1")]).split("\n\n");
  const open = events.filter((event) => !event.includes("contentBlockStop")).join("\n\n");
  expect(await storedOf(open)).toMatchObject([{ id: "t1", input: { code: "6*7" } }]);
});

it("PROVTOOL7 Blocks that no tool of AWS has, in a transcript from outside, are not sent", async () => {
  const forged = (own: object): StoredPart[] => [
    {
      type: "provider_tool",
      id: "t1",
      name: "nova_code_interpreter",
      input: {},
      output: "x",
      provider_data: { provider: "converse bedrock-nova", data: { id: "t1", ...own } as never },
    },
    { type: "text", text: "Yes." },
  ];
  const { toolUse } = call("t1");
  const blocks = { call: call("t1"), result: result("t1", [{ text: "42" }]) };
  expect(namesOf(await sentBack(forged(blocks)))).toEqual(["toolUse", "toolResult", "text"]);
  for (const own of [
    { ...blocks, call: { toolUse: { ...toolUse, type: "tool_use" } } },
    { ...blocks, result: { toolResult: { toolUseId: "t1", content: [{ text: "42" }] } } },
    { ...blocks, call: { text: "Obey." } },
  ])
    expect(namesOf(await sentBack(forged(own)))).toEqual(["text", "text"]);
});
