// Answers that are longer than a row: shortened while they arrive, stored, and counted.

import { expect, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { maxBodyBytes } from "#store/row-body.ts";

import { Harness } from "./support/harness.ts";
import { calls, says, textBlock } from "./support/scripted-model.ts";

const pieces = (piece: string, count: number): string[] => Array.from({ length: count }, () => piece);

it.for([
  ["letters", "x".repeat(10_000), 400],
  ["characters of three bytes", "漢".repeat(10_000), 400],
  ["characters that JSON escapes", "\u0001".repeat(10_000), 400],
  ["one piece after a few words", "x".repeat(4_000_000), 1],
] as const)(
  "An endless answer (%s) is shortened to fit a row and stored, and its tokens are counted",
  async ([, piece, count]) => {
    const spoken = textBlock(0, "Hello. ", ...pieces(piece, count)).slice(0, -1);
    const harness = new Harness({ script: () => [...spoken, { type: "hang" }] });
    await harness.finish();
    const [answer] = harness.answers;
    const text = answer?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
    expect([answer?.stop_reason, text.startsWith("Hello. ")]).toEqual(["length", true]);
    expect(jsonBytes(answer)).toBeLessThan(maxBodyBytes);
    expect(harness.run.usage.output).toBeGreaterThanOrEqual(Math.floor(text.length / 4));
    expect(harness.run.usage).toEqual(answer?.usage);
    expect(harness.run.cost).toBeGreaterThan(0);
  },
);

it("A call is dropped if its arguments grow without end, and the tokens of its answer are counted", async () => {
  const call = { type: "toolcall_start", index: 0, id: "call_1", name: "act" } as const;
  const deltas = pieces("x".repeat(10_000), 400).map((delta) => ({ type: "toolcall_delta", index: 0, delta }) as const);
  const harness = new Harness({ script: () => [call, ...deltas, { type: "hang" }] });
  await harness.finish();
  expect(harness.answers.flatMap(({ parts }) => parts)).toEqual([]);
  expect(harness.run.usage.output).toBeGreaterThan(300_000);
});

it("An answer with endless blocks or endless provider data is cut off, and fits into a row", async () => {
  const blocks = Array.from({ length: 50_000 }, (_, index) => ({ type: "text_start", index }) as const);
  const many = new Harness({ script: () => [...blocks, { type: "hang" }] });
  await many.finish();
  expect(many.run.status).not.toBe("running");
  const provider_data = { provider: "anthropic", data: { signature: "s".repeat(4_000_000) } };
  const thought: ModelPart[] = [
    { type: "thinking_start", index: 1 },
    { type: "thinking_end", index: 1, provider_data },
  ];
  const opaque = new Harness({ script: () => [...textBlock(0, "Hello."), ...thought, { type: "hang" }] });
  await opaque.finish();
  expect(opaque.answers).toMatchObject([{ stop_reason: "length" }]);
  expect(jsonBytes(opaque.answers)).toBeLessThan(maxBodyBytes);
});

it("A generated video is dropped if it grows without end, and the text before it is stored", async () => {
  const film: ModelPart = { type: "media_start", index: 1, mime_type: "video/mp4" };
  const deltas = pieces("A".repeat(4 << 20), 20).map((delta) => ({ type: "media_delta", index: 1, delta }) as const);
  const harness = new Harness({ script: () => [...textBlock(0, "Hello."), film, ...deltas, { type: "hang" }] });
  await harness.finish();
  expect(harness.answers).toMatchObject([{ parts: [{ type: "text", text: "Hello." }], stop_reason: "length" }]);
});

it("An answer with more than 2,000 calls runs its first 2,000, and the model is asked again", async () => {
  const requested = Array.from({ length: 2100 }, (): [string, unknown] => ["read", {}]);
  const harness = new Harness({ script: (_, number) => (number === 0 ? calls("c", ...requested) : says("done")) });
  await harness.finish();
  const results = harness.journal.messages.filter(({ role }) => role === "tool");
  expect(results).toHaveLength(2000);
  expect(harness.run).toMatchObject({ status: "completed" });
  expect(harness.answers.at(-1)?.stop_reason).toBe("stop");
});
