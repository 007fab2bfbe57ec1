// Images, audio and video of answers: their deltas in a stream, and the whole blocks of a turn.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { AssistantContent } from "#facade/upp/content-block.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { ModelOptions, Provider } from "#facade/upp/model-reference.ts";
import google from "#facade/upp/provider/google-models.ts";
import openai from "#facade/upp/provider/openai-models.ts";
import openrouter from "#facade/upp/provider/openrouter-models.ts";
import type { StreamEvent } from "#facade/upp/stream-event.ts";
import { Thread } from "#facade/upp/upp-thread.ts";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";

// A property runs many turns; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

const paths = new Map<Provider, string>([
  [google, "/v1beta"],
  [openai, "/v1"],
  [openrouter, "/api/v1"],
]);

let exchanges = 0;

function at(provider: Provider, name: string, params?: Record<string, unknown>, options?: ModelOptions) {
  const id = `output-${(exchanges += 1)}`;
  const config = {
    apiKey: "key",
    baseUrl: `${server.url}${paths.get(provider) ?? ""}`,
    headers: { "x-server-id": id },
  };
  const model = llm({ model: provider(`case:${name}`, options), config, ...(params === undefined ? {} : { params }) });
  const sent = async () =>
    (await (await fetch(`${server.url}/__requests?id=${id}`)).json()) as { body: Record<string, unknown> }[];
  return { model, sent };
}

async function read(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Joins the deltas of a stream to blocks, in the order in which the blocks began. Fails for a delta outside of its block. */
function blocksFrom(events: readonly StreamEvent[]): AssistantContent[] {
  const blocks = new Map<number, { type: string; text: string; bytes: number[]; mimeType: string; open: boolean }>();
  for (const { type, index, delta } of events) {
    if (type === "message_start") blocks.clear();
    if (type === "content_block_start") {
      expect(blocks.has(index)).toBe(false);
      blocks.set(index, { type: "", text: "", bytes: [], mimeType: delta.mimeType ?? "", open: true });
    }
    const block = blocks.get(index);
    if (type === "content_block_stop" && block !== undefined) {
      expect(block.open).toBe(true);
      block.open = false;
    }
    if (!type.endsWith("_delta")) continue;
    if (block === undefined) throw new Error(`The delta of block ${index} has no block.`);
    expect([block.open, delta.mimeType ?? ""]).toEqual([true, block.mimeType]);
    block.type = type.slice(0, -"_delta".length);
    block.text += delta.text ?? "";
    block.bytes.push(...(delta.data ?? []));
  }
  return [...blocks.values()].map(({ type, text, bytes, mimeType, open }): AssistantContent => {
    expect(open).toBe(false);
    const data = new Uint8Array(bytes);
    if (type === "text" || type === "reasoning") return { type, text };
    if (type === "image") {
      return { type, source: { type: "base64", data: Buffer.from(data).toString("base64") }, mimeType };
    }
    return { type: type as "audio" | "video", data, mimeType };
  });
}

const audio = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const drawn: AssistantContent[] = [
  { type: "text", text: "Here it is: " },
  { type: "image", source: { type: "base64", data: pixel }, mimeType: "image/png" },
  { type: "text", text: "A dot." },
];
const spoken: AssistantContent[] = [
  { type: "text", text: "Good morning." },
  { type: "audio", data: audio, mimeType: "audio/pcm;rate=24000" },
];

describe.each<[name: string, provider: Provider, answer: string, content: AssistantContent[], deltas: string[]]>([
  ["An image of Gemini", google, "text-and-picture", drawn, ["text_delta", "image_delta", "text_delta"]],
  ["An image of OpenRouter", openrouter, "text-and-picture", drawn, ["text_delta", "image_delta", "text_delta"]],
  [
    "Audio of Gemini in several parts",
    google,
    "audio",
    [{ type: "audio", data: audio, mimeType: "audio/L16;codec=pcm;rate=24000" }],
    ["audio_delta", "audio_delta", "audio_delta", "audio_delta"],
  ],
  [
    "A video of Gemini",
    google,
    "video",
    [
      { type: "text", text: "Here: " },
      { type: "video", data: new Uint8Array([0, 0, 0, 24, 102]), mimeType: "video/mp4" },
    ],
    ["text_delta", "video_delta"],
  ],
  [
    "A spoken answer of OpenAI's Chat Completions",
    openai,
    "spoken",
    spoken,
    ["text_delta", "text_delta", "audio_delta", "text_delta", "audio_delta", "audio_delta"],
  ],
  [
    "A spoken answer of OpenRouter",
    openrouter,
    "spoken",
    spoken,
    ["text_delta", "text_delta", "audio_delta", "text_delta", "audio_delta", "audio_delta"],
  ],
])("%s", (_name, provider, answer, content, deltas) => {
  it("The turn that generate returns contains the blocks of the answer, each joined from all its pieces", async () => {
    const { response } = await at(provider, answer).model.generate("Go.");
    expect(response.content).toEqual(content);
  });

  it("A stream emits a delta for each piece of a block, between the block's start and stop events, and its turn contains the joined blocks", async () => {
    const stream = at(provider, answer).model.stream("Go.");
    const events = await read(stream);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(["message_start", "message_stop"]);
    expect(events.map(({ type }) => type).filter((type) => type.endsWith("_delta"))).toEqual(deltas);
    expect(blocksFrom(events)).toEqual(content);
    expect((await stream.turn).response.content).toEqual(content);
  });
});

it("A message with audio is unchanged after a conversion to JSON and back, and the next request contains only the transcript of the audio", async () => {
  const { model, sent } = at(openai, "spoken");
  const thread = new Thread().append(await model.generate("Go."));
  const restored = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
  expect(restored.messages[1]).toMatchObject({ type: "assistant", content: spoken });
  await model.generate(restored, "Again.");
  const [, next] = await sent();
  expect(next?.body["messages"]).toEqual([
    { role: "user", content: "Go." },
    { role: "assistant", content: "Good morning." },
    { role: "user", content: "Again." },
  ]);
});

it("The answer does not contain an image if the provider sends the image as a URL", async () => {
  const { response } = await at(openrouter, "picture-url").model.generate("Go.");
  expect(response.content).toEqual([{ type: "text", text: "Here it is." }]);
});

it("A request contains the params, such as modalities and an audio format, and the audio block of the answer has the media type of the requested format", async () => {
  const params = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } };
  const { model, sent } = at(openrouter, "spoken", params);
  const { response } = await model.generate("Go.");
  expect((await sent())[0]?.body).toMatchObject(params);
  expect(response.content[1]).toMatchObject({ type: "audio", mimeType: "audio/mpeg" });

  const speech = { generationConfig: { responseModalities: ["AUDIO"] } };
  const gemini = at(google, "audio", speech);
  await gemini.model.generate("Go.");
  expect((await gemini.sent())[0]?.body).toMatchObject(speech);
});

/** A piece of an answer of Gemini: a text, or bytes of a type. */
const geminiPiece = fc.oneof(
  fc.record({ text: fc.string({ minLength: 1, unit: "grapheme" }) }),
  fc.record({
    inlineData: fc.record({
      mimeType: fc.constantFrom("image/png", "audio/L16;rate=24000", "audio/wav", "video/mp4"),
      data: fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    }),
  }),
);

/** A piece of a spoken answer in Chat Completions. */
const spokenPiece = fc.record(
  {
    content: fc.string({ unit: "grapheme" }),
    audio: fc.record(
      {
        transcript: fc.string({ unit: "grapheme" }),
        data: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64")),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

function answering(body: string): typeof fetch {
  return () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
}

const sse = (chunks: readonly unknown[]): string => chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");

const answers = fc.oneof(
  fc.array(fc.array(geminiPiece, { minLength: 1, maxLength: 3 }), { maxLength: 8 }).map((chunks) => ({
    protocol: "google" as const,
    body: sse([
      ...chunks.map((parts) => ({ candidates: [{ content: { role: "model", parts } }] })),
      { candidates: [{ content: { role: "model", parts: [{ text: "." }] }, finishReason: "STOP" }] },
    ]),
  })),
  fc.array(spokenPiece, { maxLength: 12 }).map((deltas) => ({
    protocol: "openrouter" as const,
    body: sse([
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta: { role: "assistant", ...delta } }] })),
      { choices: [{ index: 0, delta: { content: "." }, finish_reason: "stop" }] },
    ]),
  })),
);

it("The joined deltas of any stream equal the content of its turn and of the turn of generate", async () => {
  await fc.assert(
    fc.asyncProperty(answers, async ({ protocol, body }) => {
      const model = createProvider({ protocol, apiKey: "key", fetch: answering(body) })("any");
      const stream = llm({ model }).stream("Go.");
      const events = await read(stream);
      const { content } = (await stream.turn).response;
      expect(blocksFrom(events)).toEqual(content);
      expect((await llm({ model }).generate("Go.")).response.content).toEqual(content);
    }),
    { numRuns: 100 },
  );
});
