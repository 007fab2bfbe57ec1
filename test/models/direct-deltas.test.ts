// Plain deltas pass the provider's package by (`direct-deltas.ts`). Each answer is read on both paths, and everything but the number of
// chunks is the same: parts, usage, stop reason, errors and the raw log.

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import type { Usage } from "#contract/usage.ts";
import type { ModelPart } from "#core/ports/model-port.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";

import { framesOfEvents } from "../support/model-server/event-frames.mjs";
import { keys, type Provider } from "./ask-model.ts";
import { cutAt, nextTurn, readBoth, type RequestCase, type ReadAnswer } from "./both-paths.ts";
import { bytesOf } from "./fixture-bytes.ts";
import { grammarFaults } from "./grammar.ts";
import { wireModels, type Block, type End, type WireModel } from "./wire-answers.ts";

const encoder = new TextEncoder();
const seed = inject("modelServerSeed");

/** Texts in pieces: usual ones, characters of several bytes, text that looks like fields, and pieces of a key. */
const piece = fc.oneof(
  fc.constantFrom(
    " the",
    " weather",
    "é",
    "🌧️",
    '"finish_reason":"stop"',
    "\n",
    "{",
    "}",
    "\\",
    keys.OPENAI_API_KEY,
    "sk-te",
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const pieces = fc.array(piece, { minLength: 1, maxLength: 8 });

/** The text of arguments, cut anywhere. */
const args = fc
  .tuple(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(piece, fc.object({ maxDepth: 1 })), {
          maxKeys: 3,
        }),
      },
      // Some models write arguments that are no object.
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    ),
    fc.array(fc.nat(60), { maxLength: 8 }),
  )
  .map(([value, offsets]) => {
    const text = JSON.stringify(value);
    const ends = [...new Set(offsets.map((at) => at % text.length))].filter((at) => at > 0).toSorted((a, b) => a - b);
    return [...ends, text.length].map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end));
  });
const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("text" as const), pieces }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("thinking" as const), pieces }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      pieces: args,
      with: fc.option(args, { nil: undefined }),
    }),
  },
);

/** What stands between two events: mostly nothing. */
const between = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant("") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(": keep-alive\n\n", "data: ping\n\n", "data: {}\n\n", "event: ping\n\n", "data:\n\n"),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

/** Values in place of those of a field. */
const oddValues = [null, 5, "5", "", true, [], [null], {}, { text: "odd" }];

/** The forms in which servers write an event: mostly the usual one. Some events have one field with a value of another type. */
const form = fc.oneof(
  { weight: 12, arbitrary: fc.constant("usual" as const) },
  { weight: 3, arbitrary: fc.constantFrom("lines" as const, "returns" as const, "unknown field" as const) },
  { weight: 2, arbitrary: fc.record({ at: fc.nat(1_000), odd: fc.constantFrom<unknown>(...oddValues) }) },
);
type Form = typeof form extends fc.Arbitrary<infer T> ? T : never;
const forms = fc.array(form, { minLength: 1, maxLength: 40 });

/** The event with another value of the field with this number, also of a field inside of fields. */
function withOdd(event: object, { at, odd }: Extract<Form, object>): object {
  const changed = structuredClone(event);
  const places: [Record<string, unknown>, string][] = [];
  const visit = (fields: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(fields)) {
      places.push([fields, key]);
      if (isObject(value) || Array.isArray(value)) visit(value as Record<string, unknown>);
    }
  };
  visit(changed as Record<string, unknown>);
  const [fields, key] = places[at % places.length] ?? [{}, ""];
  fields[key] = odd;
  return changed;
}

function written(event: object, shape: Form, isNamed: boolean): string {
  const type = "type" in event && isNamed ? `event: ${String(event.type)}\n` : "";
  if (typeof shape === "object") return `${type}data: ${JSON.stringify(withOdd(event, shape))}\n\n`;
  if (shape === "lines") return `${type}data: ${JSON.stringify(event, null, 1).replaceAll("\n", "\ndata: ")}\n\n`;
  if (shape === "returns") {
    return `${type}data:${JSON.stringify(event)}\r\n\r\n`.replace(/^(event: \S+)\n/, "$1\r\n");
  }
  // A field that no list names.
  if (shape === "unknown field") return `${type}data: ${JSON.stringify({ ...event, extra: { nested: [1] } })}\n\n`;
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}

const requests: fc.Arbitrary<NonNullable<RequestCase["request"]>> = fc.constantFrom(
  {},
  { raw: false },
  { reasoning: { exclude: true } },
  {
    structure: { name: "answer", schema: { type: "object", properties: { city: { type: "string" } } }, strict: false },
  },
);

const answer = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
  end: fc.constantFrom<End>("finish", "finish", "finish", "error", "cut"),
  between,
  forms,
  request: requests,
  /** Each event in a piece of its own, or pieces that are cut anywhere. */
  cuts: fc.option(fc.array(fc.nat(100_000), { maxLength: 60 }), { nil: null }),
  breaks: fc.boolean(),
  isSlow: fc.boolean(),
});

type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

function piecesOf(wire: WireModel, { blocks, end, between: gaps, forms: shapes, cuts }: Answer): Uint8Array[] {
  const texts = wire
    .events(blocks, end)
    .map(
      (event, at) =>
        (gaps[at % gaps.length] ?? "") + written(event, shapes[at % shapes.length] ?? "usual", wire.isNamed),
    );
  if (end === "finish") texts.push(wire.mark);
  return cuts === null ? texts.map((text) => encoder.encode(text)) : cutAt(encoder.encode(texts.join("")), cuts);
}

/** The parts before the abort, without the raw chunks that were held back until then. */
function beforeAbort(parts: readonly ModelPart[]): ModelPart[] {
  return parts.slice(0, -1).filter(({ type }) => type !== "raw");
}

/** The chunks of an answer in its log. A chunk that may end in a part of a secret waits for the next one, and is empty in its own place. */
function chunksOf({ parts }: ReadAnswer): string[] {
  return parts.flatMap((part) => (part.type === "raw" && part.chunk !== "" ? [part.chunk] : []));
}

/** The tokens in the last part of an answer; null if it has none. */
function usageAtEnd({ parts }: ReadAnswer): Usage | null {
  const last = parts.at(-1);
  return (last?.type === "error" || last?.type === "finish" ? last.usage : null) ?? null;
}

describe.for(wireModels.map((wire) => [wire.name, wire] as const))("%s", ([, wire]) => {
  it("ANSWER6 An answer is the same on the direct path and through the package, however it is cut, mixed and ended", async () => {
    let direct = 0;
    const same = fc.asyncProperty(answer, async (given) => {
      // A stream of the platform that breaks drops what its reader has not taken yet, so a slow reader would lose other parts each time.
      const breaks = given.breaks && !given.isSlow;
      const arrival = { pieces: piecesOf(wire, given), breaks };
      const slow = async (): Promise<void> => {
        for (let turn = 0; given.isSlow && turn < 3; turn += 1) await nextTurn();
      };
      const read = await readBoth(arrival, { ...wire, request: given.request }, slow);
      expect(read.direct.parts).toEqual(read.package.parts);
      expect(read.package.chunks).toBeUndefined();
      const isOdd = given.forms.some((shape) => typeof shape === "object");
      if (given.end === "finish" && !isOdd) expect(grammarFaults(read.direct.parts)).toEqual([]);
      direct += read.direct.chunks?.direct ?? 0;
    });
    await fc.assert(same, { seed, numRuns: 60 });
    expect(direct).toBeGreaterThan(30);
  });

  it("ANSWER6 An aborted answer ends with the abort, after what arrived before it", async () => {
    const same = fc.asyncProperty(answer, fc.nat(30), async (given, abortsAfter) => {
      const read = await readBoth({ pieces: piecesOf(wire, given), abortsAfter }, { ...wire, request: given.request });
      const [direct, other] = [read.direct.parts, read.package.parts].map((parts) => beforeAbort(parts));
      // The streams of a package drop what they have not passed on at the abort. The model of Converse is our own and has no such stream: it
      // converts a whole piece of the body, so it may have passed on the end of the call whose delta caused the abort.
      const most = wire.provider === "bedrock" ? direct?.length : undefined;
      expect(direct?.slice(0, other?.length)).toEqual(other?.slice(0, most));
      // The tokens are those of the chunks before the abort, and the direct path has passed on at least those of the package.
      const [own, least] = [usageAtEnd(read.direct), usageAtEnd(read.package)];
      if (chunksOf(read.direct).length === chunksOf(read.package).length && given.request.raw !== false)
        expect(own).toEqual(least);
      for (const [name, count] of Object.entries(least ?? {}))
        expect(fieldsOf(own)[name]).toBeGreaterThanOrEqual(Number(count));
      expect({ ...read.direct.parts.at(-1), usage: null }).toEqual({ ...read.package.parts.at(-1), usage: null });
    });
    await fc.assert(same, { seed, numRuns: 25 });
  });

  it("ANSWER7 Most plain deltas of an answer are direct, and each chunk is counted once", async () => {
    const words = Array.from({ length: 50 }, (_, at) => ` word ${String(at)}`);
    const events = wire.events([{ kind: "text", pieces: words }], "finish");
    const texts = [...events.map((event) => written(event, "usual", wire.isNamed)), wire.mark];
    const { direct } = await readBoth({ pieces: texts.map((text) => encoder.encode(text)) }, wire);
    // Converse does not name the model that answered.
    const model_id = wire.provider === "bedrock" ? null : "real-model";
    expect(direct.parts.at(-1)).toMatchObject({ type: "finish", model_id, usage: { input: 12 } });
    expect(direct.chunks?.direct).toBeGreaterThan(40);
    expect((direct.chunks?.direct ?? 0) + (direct.chunks?.package ?? 0)).toBe(events.length);
  });
});

/** Arguments that are JSON before their last piece. OpenRouter's package ends a call there. */
const early = ["[ 1 ] 2 3", '" a " : b', "1 2 3", "nu ll x y", "{ } x y", "0 .5 e 3 x"].map((text) => text.split(" "));

it.for(wireModels.filter(({ provider }) => provider !== "google").map((wire) => [wire.name, wire] as const))(
  "ANSWER6 Arguments that are JSON before their end are the same on both paths of %s",
  async ([, wire]) => {
    for (const given of early) {
      const events = wire.events([{ kind: "call", pieces: given }], "finish");
      const texts = [...events.map((event) => written(event, "usual", wire.isNamed)), wire.mark];
      const read = await readBoth({ pieces: texts.map((text) => encoder.encode(text)) }, wire);
      expect([given, read.direct.parts]).toEqual([given, read.package.parts]);
    }
  },
);

it("ANSWER6 An aborted answer of Gemini has the tokens of the last chunk that it passed on, on both paths", async () => {
  const wire = wireModels.find(({ provider }) => provider === "google");
  const events = wire?.events([{ kind: "thinking", pieces: [" ", " the", " weather", " is", " fine"] }], "cut") ?? [];
  const text = events.map((event) => written(event, "usual", false)).join("");
  // The first four chunks arrive together, and the package drops some of them at the abort.
  const at = text.split("\n\n").slice(0, 4).join("\n\n").length + 2;
  const read = await readBoth({ pieces: cutAt(encoder.encode(text), [at]), abortsAfter: 1 }, { provider: "google" });
  expect(chunksOf(read.direct)).toHaveLength(4);
  for (const answered of [read.direct, read.package]) {
    expect(answered.parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
    const { usageMetadata } = JSON.parse(chunksOf(answered).at(-1) ?? "{}") as Record<string, unknown>;
    expect(usageAtEnd(answered)?.output).toBe(fieldsOf(usageMetadata)["candidatesTokenCount"]);
  }
});

it("ANSWER6 The body of an answer is read no faster than its direct deltas are taken", async () => {
  const wire = wireModels.find(({ provider }) => provider === "anthropic");
  const words = Array.from({ length: 200 }, (_, at) => ` word ${String(at)}`);
  const events = wire?.events([{ kind: "text", pieces: words }], "finish") ?? [];
  const arrival = { pieces: events.map((event) => encoder.encode(written(event, "usual", true))), sent: 0 };
  let received = 0;
  let most = 0;
  const watched = async (part: ModelPart): Promise<void> => {
    if (part.type === "text_delta") received += 1;
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    if (received > 20) most = Math.max(most, arrival.sent - received);
  };
  const { direct } = await readBoth(arrival, { provider: "anthropic" }, watched);
  expect(direct.chunks?.direct).toBeGreaterThan(100);
  expect(most).toBeLessThan(10);
});

const streams = (await (await fetch(`${inject("modelServer")}/__streams`)).json()) as Record<Provider, string[]>;

describe.for(Object.entries(streams) as [Provider, string[]][])("the streams of %s", ([provider, names]) => {
  it.for(names)("ANSWER6 The stream %s is the same on both paths, by its events and byte by byte", async (name) => {
    const bytes = await bytesOf(provider, name);
    const ends = [...new TextDecoder("latin1").decode(bytes).matchAll(/\n\n/g)].map(({ index }) => index + 2);
    for (const offsets of [ends, Array.from(bytes.keys())]) {
      const read = await readBoth({ pieces: cutAt(bytes, offsets) }, { provider });
      expect(read.direct.parts).toEqual(read.package.parts);
    }
  });
});

it("ANSWER7 Most plain deltas in the binary frames of Bedrock are direct", async () => {
  const words = Array.from({ length: 50 }, (_, at) => ` word ${String(at)}`);
  const wire = wireModels.find(({ provider }) => provider === "bedrock");
  const events = wire?.events([{ kind: "text", pieces: words }], "finish") ?? [];
  const frames = events.map((event) => framesOfEvents(`data: ${JSON.stringify(event)}\n\n`));
  const read = await readBoth({ pieces: frames }, { provider: "bedrock" });
  expect(read.direct.parts).toEqual(read.package.parts);
  expect(read.direct.chunks?.direct).toBeGreaterThan(40);
  expect(JSON.stringify(read.direct.parts)).not.toContain('"p\\":');
});

it("ANSWER7 A turn that Anthropic pauses is sent back with its direct deltas, and each chunk of all its responses is counted once", async () => {
  const frame = (event: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
  const message = {
    id: "msg_1",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const delta = (text: string): object => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text },
  });
  const turn = (words: readonly string[], stop_reason: string): Uint8Array[] =>
    [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...words.map(delta),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ].map(frame);
  const words = Array.from({ length: 20 }, (_, at) => ` word ${String(at)}`);
  const turns = [turn(words, "pause_turn"), turn([" and", " more"], "end_turn")];
  const read = await readBoth({ pieces: turns[0] ?? [], later: turns.slice(1) }, { provider: "anthropic" });
  expect(read.direct.parts).toEqual(read.package.parts);
  expect(read.direct.chunks?.direct).toBeGreaterThan(10);
  // All 32 events but the pause, the end of the paused response and the beginning of the next one.
  expect((read.direct.chunks?.direct ?? 0) + (read.direct.chunks?.package ?? 0)).toBe(29);
  for (const { bodies } of [read.direct, read.package]) {
    expect(bodies).toHaveLength(2);
    expect(JSON.parse(bodies[1] ?? "")).toMatchObject({
      messages: [{}, { role: "assistant", content: [{ type: "text", text: words.join("") }] }],
    });
  }
});

it("ANSWER6 A structured answer under renamed arguments is complete if its arguments were direct", async () => {
  // Anthropic refuses this name, so the arguments arrive under another one.
  const schema = { type: "object", properties: { "der Ort!": { type: "string" } } };
  const wire = wireModels.find(({ provider }) => provider === "anthropic");
  const sent =
    wire?.events([{ kind: "call", pieces: ['{"der', "_Or", 't_"', ":", '"Os', "lo", '"', "}"] }], "finish") ?? [];
  const text = sent.map((event) => written(event, "usual", true).replace("get_weather", "answer"));
  const requested: RequestCase = {
    provider: "anthropic",
    definition: { model: "claude-3-haiku" },
    request: { tools: [], structure: { name: "answer", schema } },
  };
  const read = await readBoth({ pieces: text.map((event) => encoder.encode(event)) }, requested);
  expect(read.direct.parts).toEqual(read.package.parts);
  expect(read.direct.chunks?.direct).toBeGreaterThan(3);
  expect(read.direct.parts.at(-1)).toMatchObject({ type: "finish", data: { "der Ort!": "Oslo" } });
});
