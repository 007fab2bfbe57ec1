// Messages with any content, for property tests.

import fc from "fast-check";

import type { AssistantContent, UserContent } from "#facade/upp/content-block.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

/** Negative zero and objects without a prototype would not be the same after a conversion to JSON and back. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const object = fc.dictionary(fc.string(), json, { noNullPrototype: true });
const plain = { noNullPrototype: true } as const;
const bytes = fc.uint8Array({ maxLength: 40 });
const base64 = bytes.map((data) => Buffer.from(data).toString("base64"));
const text = fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "grapheme" }) }, plain);
const reasoning = fc.record({ type: fc.constant("reasoning" as const), text: fc.string({ unit: "grapheme" }) }, plain);
const mimeType = fc.constantFrom("image/png", "application/pdf", "audio/wav");
const url = fc.webUrl().map((address) => ({ type: "url" as const, url: address }));
const inBase64 = base64.map((data) => ({ type: "base64" as const, data }));
const image = fc.record(
  {
    type: fc.constant("image" as const),
    source: fc.oneof(
      inBase64,
      url,
      bytes.map((data) => ({ type: "bytes" as const, data })),
    ),
    mimeType,
    width: fc.nat(),
    height: fc.nat(),
  },
  { requiredKeys: ["type", "source", "mimeType"], noNullPrototype: true },
);
const document = fc.record(
  {
    type: fc.constant("document" as const),
    source: fc.oneof(
      inBase64,
      url,
      fc.string().map((data) => ({ type: "text" as const, data })),
    ),
    mimeType,
    title: fc.string(),
  },
  { requiredKeys: ["type", "source", "mimeType"], noNullPrototype: true },
);
const media = { data: bytes, mimeType };
const audio = fc.record(
  { type: fc.constant("audio" as const), ...media, duration: fc.nat() },
  { requiredKeys: ["type", "data", "mimeType"], noNullPrototype: true },
);
const video = fc.record(
  { type: fc.constant("video" as const), ...media, duration: fc.nat() },
  { requiredKeys: ["type", "data", "mimeType"], noNullPrototype: true },
);
const binary = fc.record(
  { type: fc.constant("binary" as const), ...media, metadata: object },
  { requiredKeys: ["type", "data", "mimeType"], noNullPrototype: true },
);

const userContent = fc.oneof(text, image, document, audio, video, binary) as fc.Arbitrary<UserContent>;
const assistantContent = fc.oneof(text, reasoning, image, audio, video) as fc.Arbitrary<AssistantContent>;

const options = fc.record(
  {
    id: fc.uuid({ version: 4 }),
    timestamp: fc.date({ min: new Date(0), max: new Date("2999-01-01"), noInvalidDate: true }),
    metadata: fc.dictionary(fc.constantFrom("anthropic", "openai"), object, { noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const toolCall = fc.record({ toolCallId: fc.string(), toolName: fc.string(), arguments: object }, plain);
const toolResult = fc.record(
  { toolCallId: fc.string(), result: fc.option(json, { nil: undefined }), isError: fc.boolean() },
  { requiredKeys: ["toolCallId", "result"], noNullPrototype: true },
);

/** Any message. */
export const anyMessage: fc.Arbitrary<AnyMessage> = fc.oneof(
  fc
    .tuple(fc.oneof(fc.string(), fc.array(userContent)), options)
    .map(([content, more]) => new UserMessage(content, more)),
  fc
    .tuple(fc.array(assistantContent), fc.option(fc.array(toolCall), { nil: undefined }), options)
    .map(([content, calls, more]) => new AssistantMessage(content, calls, more)),
  fc.tuple(fc.array(toolResult), options).map(([results, more]) => new ToolResultMessage(results, more)),
);
