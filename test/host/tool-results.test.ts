// Results of tools in process: parts with bytes in place of files, values that callers receive as they are, and the texts that a model reads
// in place of a result.

import { expect, it } from "vitest";

import { threadErrorTexts } from "#core/tools/error-results.ts";
import { toBase64 } from "#lib/base64.ts";
import type { TestRequest } from "#spec/index.ts";

import { pngBytes } from "../support/memory-files.ts";
import { scripted, TestRun, tool } from "./support/host-run.ts";

const png = toBase64(pngBytes(60));

/** Runs one call of the tool `look`, and returns the run with the requests that its model received. */
async function lookedAt(returned: unknown, more: Partial<ConstructorParameters<typeof TestRun>[0]> = {}) {
  const requests: TestRequest[] = [];
  const model = scripted((request) => {
    requests.push(request);
    return request.step === 0 ? { toolCalls: [{ name: "look", arguments: {} }] } : { text: "Seen." };
  });
  const run = new TestRun({ models: [model], tools: [tool("look", async () => returned)], ...more });
  expect(await run.execute()).toMatchObject({ end: { status: "completed" } });
  const message = run.journal.messages.find(({ role }) => role === "tool");
  return { run, message, sent: requests[1]?.messages.at(-1), requests };
}

it("The texts among the parts of a tool result follow the result's text, and its images and files are parts of the message with their bytes", async () => {
  const { message, sent } = await lookedAt({
    status: "success",
    result: "Two views.",
    content: [
      { type: "text", text: "The left one:" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "text", text: "The right one:" },
      { type: "image", data: `data:image/png;base64,${png}`, mimeType: "image/png" },
      { type: "file", data: btoa("a,b"), mimeType: "text/csv", name: "a.csv" },
    ],
    attachments: [{ name: "map.png", mimeType: "image/png", data: png }],
  });
  const text = "Two views.\nThe left one:\nThe right one:";
  const image = { type: "image", mime_type: "image/png", data: png };
  expect(message?.parts).toEqual([
    { type: "text", text },
    { ...image, name: "map.png" },
    image,
    image,
    { type: "file", mime_type: "text/csv", data: btoa("a,b"), name: "a.csv" },
  ]);
  expect(message?.result).toEqual({ status: "success", result: text });
  // The test provider receives results with images as other providers do: the files that no result can hold become lines.
  expect(sent?.content).toContain(text);
  expect(sent?.attachments?.filter(({ mimeType }) => mimeType === "image/png")).toHaveLength(3);
});

it("Parts of a tool result that cannot be read become one line of text for the model, and the other parts stay", async () => {
  const trap = {
    get type(): string {
      throw new Error("trap");
    },
  };
  const broken = [
    { type: "audio", data: png },
    trap,
    null,
    { type: "image", data: "no base64!", mimeType: "image/png" },
  ];
  const { message } = await lookedAt({ status: "success", content: [...broken, { type: "text", text: "kept" }] });
  const [kept, forms, data, ...more] = (message?.result?.result ?? "").split("\n");
  expect([kept, more]).toEqual(["kept", []]);
  expect(forms).toMatch(/^\[3 parts of the result were left out: a part is /);
  expect(data).toMatch(/^\[A part of the result was left out: .* with data in base64\.\]$/);
  expect(message?.parts).toHaveLength(1);
});

it("The value in a tool's result is passed unchanged to a caller in the same process, and the model reads the value's JSON", async () => {
  const value = { found: new Map([["a", 1]]), at: new Date(0) };
  const received: unknown[] = [];
  const { message } = await lookedAt(
    { status: "success", value },
    { hooks: { afterCall: async ({ name }, { status }, given) => void received.push(name, status, given) } },
  );
  expect(received).toEqual(["look", "success", value]);
  expect(received[2]).toBe(value);
  expect(message?.result).toEqual({ status: "success", result: '{"found":{},"at":"1970-01-01T00:00:00.000Z"}' });
});

it("The JSON of a tool result's value is stored as details if the result has a text, and never in place of other details", async () => {
  const success = { status: "success", result: "Three rows.", value: [1, 2, 3] };
  expect((await lookedAt(success)).message?.result).toEqual({ ...success, value: undefined, details: [1, 2, 3] });
  const both = await lookedAt({ ...success, details: { rows: 3 } });
  expect(both.message?.result).toEqual({ status: "success", result: "Three rows.", details: { rows: 3 } });
});

it("A tool result with a value that has no JSON form is an error if the result has no text; otherwise the caller receives the value", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const received: unknown[] = [];
  const hooks = { afterCall: async (_call: unknown, _result: unknown, given: unknown) => void received.push(given) };
  for (const value of [circle, 1n, () => 1]) {
    const { message } = await lookedAt({ status: "success", value });
    expect(message?.result).toEqual({ status: "error", error: threadErrorTexts.noJson() });
    const texted = await lookedAt({ status: "success", result: "kept", value }, { hooks });
    expect(texted.message?.result).toEqual({ status: "success", result: "kept" });
    expect(received.pop()).toBe(value);
  }
});

it("The parts of a tool's error follow the error's text, and images of an error are kept", async () => {
  const content = [
    { type: "text", text: "See the page." },
    { type: "image", data: png, mimeType: "image/png" },
  ];
  const { message } = await lookedAt({ status: "error", error: "Not found.", content });
  expect(message?.result).toEqual({ status: "error", error: "Not found.\nSee the page." });
  expect(message?.parts.map(({ type }) => type)).toEqual(["text", "image"]);
});

it("The texts of refused, skipped and failed calls are those that the caller of the run sets", async () => {
  const errorTexts = {
    unknownTool: (name: string) => `Tool ${name} not found`,
    skippedByHook: (name: string) => `${name} was not wanted`,
    threw: (message: string) => `Thrown: ${message}`,
    invalidArguments: (problem: string) => `Wrong: ${problem}`,
  };
  const model = scripted(({ step }) => {
    const names = ["missing", "blocked", "throws"].map((name) => ({ name, arguments: {} }));
    return step === 0 ? { toolCalls: [...names, { name: "throws", arguments: { text: 7 } }] } : { text: "Done." };
  });
  const throws = tool("throws", () => Promise.reject("no luck" as unknown as Error));
  const hooks = {
    beforeCall: async ({ name }: { name: string }) => ({ type: name === "blocked" ? "skip" : "run" }) as const,
  };
  const tools = [throws, tool("blocked", async () => ({ status: "success", result: "ran" }))];
  const run = new TestRun({ models: [model], tools, hooks, errorTexts });
  await run.execute();
  const errors = run.journal.messages.flatMap(({ result }) => (result === null ? [] : [result.error]));
  expect(errors).toEqual([
    "Tool missing not found",
    "blocked was not wanted",
    "Thrown: no luck",
    expect.stringMatching(/^Wrong: .*text/),
  ]);
});
