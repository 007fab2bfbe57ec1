// The two conversions of answers: a port's parts to a provider's events, and a provider's events to a port's parts.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import { StreamAnswer } from "#facade/phi/provider/stream-answer.ts";

import { grammarFaults } from "../../models/grammar.ts";
import { answer, custom, modelsWith } from "./support/custom-provider.ts";
import { answerOf, modelRequest, partsOf } from "./support/served-models.ts";

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const data = fc.option(
  fc.record(
    {
      provider: fc.constant("custom"),
      data: fc.dictionary(fc.constantFrom("custom", "other"), fc.constant({ signature: "s" }), {
        noNullPrototype: true,
      }),
    },
    { noNullPrototype: true },
  ),
  { nil: undefined },
);
const deltas = fc.array(
  text.filter((piece) => piece !== ""),
  { maxLength: 4 },
);

/** A block with its deltas. */
const block = fc.oneof(
  fc.record({ kind: fc.constantFrom("text" as const, "thinking" as const), deltas, data }),
  fc.record({
    kind: fc.constant("call" as const),
    id: fc.uuid(),
    name: fc.constantFrom("a", "b"),
    // Arguments that are no object, and no JSON, are texts.
    written: fc.oneof(
      fc.dictionary(fc.string(), json, { noNullPrototype: true }).map((value) => JSON.stringify(value)),
      fc.constantFrom("{", "[1]", "no JSON"),
    ),
    pieces: fc.nat({ max: 4 }),
    data,
  }),
  fc.record({ kind: fc.constant("image" as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }) }),
);
type Block = typeof block extends fc.Arbitrary<infer B> ? B : never;

function cut(whole: string, pieces: number): string[] {
  const length = Math.ceil(whole.length / (pieces + 1));
  return Array.from({ length: pieces + 1 }, (_, at) => whole.slice(at * length, (at + 1) * length)).filter(
    (piece) => piece !== "",
  );
}

/** The parts of one block. */
function partsOfBlock(of: Block, index: number): ModelPart[] {
  if (of.kind === "image") {
    const delta = Buffer.from(of.bytes).toString("base64");
    return [
      { type: "media_start", index, mime_type: "image/png" },
      { type: "media_delta", index, delta },
      { type: "media_end", index },
    ];
  }
  const extra = of.data === undefined ? {} : { provider_data: of.data };
  if (of.kind === "call") {
    const { id, name, written } = of;
    return [
      { type: "toolcall_start", index, id, name },
      ...cut(written, of.pieces).map((delta): ModelPart => ({ type: "toolcall_delta", index, delta })),
      { type: "toolcall_end", index, id, name, arguments: written, ...extra },
    ];
  }
  const { kind } = of;
  return [
    { type: `${kind}_start`, index },
    ...of.deltas.map((delta): ModelPart => ({ type: `${kind}_delta`, index, delta })),
    { type: `${kind}_end`, index, ...extra },
  ];
}

/** Merges the parts of blocks so that the blocks begin in order and otherwise overlap as the numbers say. */
function merged(blocks: readonly Block[], order: readonly number[]): ModelPart[] {
  const queues = blocks.map(partsOfBlock);
  const parts: ModelPart[] = [];
  let begun = 0;
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const open = queues.flatMap((queue, at) => (queue.length > 0 && at <= begun ? [at] : []));
    const at = open[(order[turn % order.length] ?? 0) % open.length] ?? 0;
    const part = queues[at]?.shift();
    if (part === undefined) continue;
    if (at === begun) begun += 1;
    parts.push(part);
  }
  return parts;
}

const usage = { input: 3, output: 2, cache_read: 1, cache_write: 0, total_tokens: 6 };

it("Any answer has the same blocks, stop reason and token counts after its conversion to a provider's events and back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 5 }),
      fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 12 }),
      fc.constantFrom("stop" as const, "length" as const, "content_filter" as const),
      async (blocks, order, reason) => {
        const parts = merged(blocks, order);
        const hasCalls = blocks.some(({ kind }) => kind === "call");
        const stop_reason = hasCalls ? ("tool_calls" as const) : reason;
        const detail = stop_reason === "content_filter" ? { stop_detail: "Not this." } : {};
        const finish: ModelPart = {
          type: "finish",
          stop_reason,
          usage,
          reported_cost: null,
          model_id: "m-1",
          ...detail,
        };
        const provider = custom((_config, tx) => {
          const received = new StreamAnswer({ model: "m-1", provider: "custom", timestamp: 1 });
          for (const part of parts) {
            if (part.type === "finish" || part.type === "error") continue;
            const event = received.add(part);
            if (event !== null) tx.send(event);
          }
          const message = received.finished(finish as Extract<ModelPart, { type: "finish" }>);
          tx.send({ type: "Done", message });
          return Promise.resolve(message);
        });
        const { port, model } = modelsWith(provider);
        const converted = await partsOf(port, modelRequest(model));
        expect(grammarFaults(converted)).toEqual([]);
        expect(answerOf(converted)).toEqual(answerOf([...parts, finish]));
      },
    ),
    { verbose: true, numRuns: 500 },
  );
});

it("An answer is restored from its JSON before it becomes parts, without a difference", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 5 }), async (blocks) => {
      const received = new StreamAnswer({ model: "m-1", provider: "custom", timestamp: 1 });
      for (const part of merged(blocks, [0])) if (part.type !== "finish" && part.type !== "error") received.add(part);
      const message = received.finished({
        type: "finish",
        stop_reason: "stop",
        usage,
        reported_cost: null,
        model_id: null,
      });
      expect(JSON.parse(JSON.stringify(message))).toEqual(message);
      const parts = async (of: typeof message) => {
        const { port, model } = modelsWith(custom(() => Promise.resolve(of)));
        return partsOf(port, modelRequest(model));
      };
      expect(await parts(JSON.parse(JSON.stringify(message)) as typeof message)).toEqual(await parts(message));
    }),
    { verbose: true },
  );
});

it("The blocks of any answer are complete, whichever of its events a provider sends, and in whatever order of blocks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 3 })), { maxLength: 12 }),
      async (texts, sent) => {
        const provider = custom((_config, tx) => {
          const positions = texts.map(() => 0);
          for (const [at, length] of sent) {
            const whole = texts[at];
            if (whole === undefined) continue;
            const from = positions[at] ?? 0;
            positions[at] = from + length;
            tx.send({ type: "TextDelta", content_index: at, delta: whole.slice(from, from + length) });
          }
          return Promise.resolve(answer(texts.map((of) => ({ type: "text" as const, text: of }))));
        });
        const { port, model } = modelsWith(provider);
        const parts = await partsOf(port, modelRequest(model));
        expect(grammarFaults(parts)).toEqual([]);
        expect(answerOf(parts).blocks).toMatchObject(texts.map((of, index) => ({ type: "text_end", index, text: of })));
      },
    ),
    { verbose: true, numRuns: 300 },
  );
});
