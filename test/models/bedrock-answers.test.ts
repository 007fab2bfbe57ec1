// What is read from the answers and the refusals of Bedrock: exceptions of a stream, stop reasons, pieces of answers, and what to do about errors.

import { describe, expect, it } from "vitest";

import { frame } from "../support/model-server/event-frames.mjs";
import { answerTo } from "./answer-to.ts";
import {
  ask,
  collect,
  emitted,
  message,
  model,
  readAnswer,
  request,
  serverEnv,
  serverPort,
  user,
} from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { storedAnswer } from "./provider-tool-answers.ts";
import { capture } from "./sent-request.ts";

/** The answer to these frames. */
async function answerOf(...frames: Uint8Array[]) {
  const port = serverPort({
    env: serverEnv("https://provider.example"),
    fetch: () => Promise.resolve(new Response(new Blob(frames as never[]))),
  });
  const parts = await collect(port.stream(request(model("bedrock", "any")), new AbortController().signal));
  return { parts, ...readAnswer(parts) };
}
const event = (type: string, payload: object) =>
  frame({ ":event-type": type, ":message-type": "event" }, JSON.stringify(payload));
const exception = (type: string, payload: string) =>
  frame({ ":exception-type": type, ":message-type": "exception" }, payload);
const said = event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "So far" } });

describe("errors in a stream", () => {
  it.for([
    ["throttlingException", { kind: "rate_limited", status: 429, retryable: true }],
    ["modelStreamErrorException", { kind: "api", retryable: true }],
    ["internalServerException", { kind: "network", status: 500, retryable: true }],
    ["serviceUnavailableException", { kind: "network", status: 503, retryable: true }],
    ["validationException", { kind: "api", status: 400, retryable: false }],
    ["accessDeniedException", { kind: "auth", status: 403, retryable: false }],
    ["resourceNotFoundException", { kind: "api", status: 404, retryable: false }],
  ] as const)(
    "BEDROCK4 The exception %s in the middle of a stream is classified by its type",
    async ([type, failure]) => {
      const { text, end } = await answerOf(said, exception(type, '{"message":"Something failed."}'));
      expect(text).toBe("So far");
      expect(end).toMatchObject({
        type: "error",
        failure: { ...failure, message: expect.stringContaining("Something failed.") as string },
      });
    },
  );

  it.for([
    ["", "throttlingException"],
    ["{}", "throttlingException"],
    ["not JSON", "not JSON"],
    ['{"message":', '{"message":'],
    ["{Slow down, please}", "Slow down, please"],
    ['{"message":"Slow down."},{}', "Slow down."],
    [`{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "[[["],
    ['{"Message":"Slow down."}', "Slow down."],
    ["[1]", "[1]"],
  ] as const)(
    "BEDROCK4 An exception with the payload %j has the class of its type, and names its type or its text: %s",
    async ([payload, message]) => {
      const { end } = await answerOf(said, exception("throttlingException", payload));
      const failure = { kind: "rate_limited", status: 429, retryable: true };
      expect(end).toMatchObject({
        type: "error",
        failure: { ...failure, message: expect.stringContaining(message) as string },
      });
    },
  );

  it("BEDROCK4 The class of an exception is that of its frame, whatever its payload states as type", async () => {
    const { end } = await answerOf(said, exception("throttlingException", '{"type":"other","message":"Slow down."}'));
    expect(end).toMatchObject({ type: "error", failure: { kind: "rate_limited", message: "Slow down." } });
  });

  it("BEDROCK4 An error frame has its message in its headers", async () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "It broke." };
    expect((await answerOf(said, frame(headers, ""))).end).toMatchObject({
      type: "error",
      failure: { kind: "network", status: 500, message: "It broke." },
    });
  });

  it("BEDROCK3 An exception after the end of an answer is noted in the log, and the answer is complete", async () => {
    const stop = event("messageStop", { stopReason: "end_turn" });
    const { end, parts } = await answerOf(said, stop, exception("internalServerException", '{"message":"Late."}'));
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop" });
    expect(JSON.stringify(parts)).toContain("After the end of the answer");
  });

  it("The log has the events as JSON, without their padding", async () => {
    const raw = (await ask("bedrock", "text")).flatMap((part) => (part.type === "raw" ? part.chunk : []));
    expect(raw).toContain('{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hello "}}}');
    expect(raw.join("")).not.toContain('"p":');
  });

  it.for([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
  ] as const)("The stop reason %s of Bedrock is %s", async ([stopReason, expected]) => {
    const { end } = await answerOf(said, event("messageStop", { stopReason }));
    expect(end).toMatchObject({ type: "finish", stop_reason: expected });
  });

  it.for([
    ["malformed_model_output", "api", true],
    ["malformed_tool_use", "api", true],
    ["model_context_window_exceeded", "overflow", false],
  ] as const)("The stop reason %s of Bedrock is a failure of the class %s", async ([stopReason, kind, retryable]) => {
    const { end } = await answerOf(said, event("messageStop", { stopReason }));
    expect(end).toMatchObject({ type: "error", failure: { kind, retryable } });
  });
});

describe("pieces of an answer", () => {
  const lines = (...events: object[]) => events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
  const stop = { messageStop: { stopReason: "end_turn" } };

  it("A tool that AWS runs itself is not called, and the page that an answer cites is a source", async () => {
    const { calls, end } = await answerTo(
      "bedrock",
      lines(
        {
          contentBlockStart: {
            contentBlockIndex: 0,
            start: { toolUse: { toolUseId: "t1", name: "nova_grounding", type: "server_tool_use" } },
          },
        },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"q":"x"}' } } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        {
          contentBlockStart: {
            contentBlockIndex: 1,
            start: { toolResult: { toolUseId: "t1", type: "nova_grounding_result" } },
          },
        },
        { contentBlockStop: { contentBlockIndex: 1 } },
        { contentBlockDelta: { contentBlockIndex: 2, delta: { text: "Yes." } } },
        {
          contentBlockDelta: {
            contentBlockIndex: 2,
            delta: {
              citation: { title: "A page", location: { web: { url: "https://page.example/a", domain: "page" } } },
            },
          },
        },
        stop,
      ),
    );
    expect(calls).toEqual([]);
    expect(end).toMatchObject({
      type: "finish",
      stop_reason: "stop",
      sources: [{ url: "https://page.example/a", title: "A page" }],
    });
  });

  it.for([
    { documentChar: { documentIndex: 0, start: 0, end: 20 } },
    { documentPage: { documentIndex: 0, start: 1, end: 2 } },
    { documentChunk: { documentIndex: 0, start: 0, end: 1 } },
  ])("The citation of a document at %j changes no text, is no source, and is in the log", async (location) => {
    const delta = (value: object) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: value } });
    const citation = { title: "Report", sourceContent: [{ text: "Rain until noon." }], location };
    const { text, end, parts } = await answerTo(
      "bedrock",
      lines(delta({ text: "It rains" }), delta({ citation }), delta({ text: " until noon." }), stop),
    );
    expect(text).toBe("It rains until noon.");
    expect(parts.filter(({ type }) => type === "text_start")).toHaveLength(1);
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop" });
    expect(end).not.toHaveProperty("sources");
    const logged = parts.flatMap((part) => (part.type === "raw" ? part.chunk : [])).join("");
    expect(logged).toContain(JSON.stringify(citation));
  });

  it("A generated image is media of the answer", async () => {
    const { parts } = await answerTo(
      "bedrock",
      lines(
        { contentBlockStart: { contentBlockIndex: 0, start: { image: { format: "png" } } } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { image: { source: { bytes: "iVBORw0KGgo=" } } } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        stop,
      ),
    );
    expect(emitted(parts).slice(0, 3)).toMatchObject([
      { type: "media_start", mime_type: "image/png" },
      { type: "media_delta", delta: "iVBORw0KGgo=" },
      { type: "media_end" },
    ]);
  });

  it.for([
    [["EmwK", "AhgBEgyVZx=="], "EmwKAhgBEgyVZx=="],
    [["EmwKAg==", "GAES"], "EmwKAhgBEg=="],
    [["%%%"], null],
    [["EmwKAg==", "no base64"], null],
  ] as const)(
    "BEDROCK5 Redacted thinking in the pieces %j is sent back as %j, and the answer is complete",
    async ([pieces, sentBack]) => {
      const events = pieces.map((redactedContent) => ({
        contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent } } },
      }));
      const said = { contentBlockDelta: { contentBlockIndex: 1, delta: { text: "Yes." } } };
      const { text, end, parts } = await answerTo(
        "bedrock",
        lines(...events, { contentBlockStop: { contentBlockIndex: 0 } }, said, stop),
      );
      expect([text, end.type]).toEqual(["Yes.", "finish"]);
      const answer = message("assistant", { parts: storedAnswer(parts).parts });
      const { body } = await capture("bedrock", { messages: [user("First?"), answer, user("And then?")] });
      const thinking = { reasoningContent: { redactedContent: sentBack } };
      expect(body["messages"]?.[1]?.["content"]).toEqual([...(sentBack === null ? [] : [thinking]), { text: "Yes." }]);
    },
  );

  it("BEDROCK5 An image whose pieces are not base64 is left out, and the answer is complete", async () => {
    const piece = (bytes: string) => ({
      contentBlockDelta: { contentBlockIndex: 0, delta: { image: { source: { bytes } } } },
    });
    const { text, end, parts } = await answerTo(
      "bedrock",
      lines(
        { contentBlockStart: { contentBlockIndex: 0, start: { image: { format: "png" } } } },
        piece("iVBORw=="),
        piece("no base64"),
        { contentBlockStop: { contentBlockIndex: 0 } },
        { contentBlockDelta: { contentBlockIndex: 1, delta: { text: "Yes." } } },
        stop,
      ),
    );
    expect([text, end.type]).toEqual(["Yes.", "finish"]);
    expect(parts.some(({ type }) => type === "media_start")).toBe(false);
  });

  it("A block that begins at the index of an open block ends it", async () => {
    const begin = (toolUseId: string) => ({ contentBlockIndex: 0, start: { toolUse: { toolUseId, name: "w" } } });
    const { parts, calls } = await answerOf(
      event("contentBlockStart", begin("a")),
      event("contentBlockStart", begin("b")),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"x":1}' } } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("messageStop", { stopReason: "tool_use" }),
    );
    expect(grammarFaults(parts)).toEqual([]);
    expect(calls.map((call) => call.arguments).toSorted()).toEqual(['{"x":1}', "{}"]);
  });

  it("Unknown events, blocks and deltas are left out", async () => {
    const { text, end } = await answerTo(
      "bedrock",
      lines(
        { newEvent: { a: 1 } },
        { contentBlockStart: { contentBlockIndex: 0, start: { hologram: {} } } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { hologram: "x" } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        { contentBlockDelta: { contentBlockIndex: 1, delta: { text: "Yes." } } },
        stop,
      ),
    );
    expect([text, end.type]).toEqual(["Yes.", "finish"]);
  });
});

describe("hints", () => {
  it.for([
    [
      400,
      "Invocation of model ID m with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile.",
      'set model: "us.m", the id of an inference profile',
    ],
    [
      403,
      "You don't have access to the model with the specified model ID.",
      'Request access to "m" in the region us-east-1',
    ],
    [403, "The security token included in the request is expired", "Set a new value of AWS_BEARER_TOKEN_BEDROCK"],
    [403, "Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z", "The clock of this machine"],
    [400, "The provided model identifier is invalid.", "may not exist in the region us-east-1"],
  ] as const)(
    "BEDROCK4 The refusal with status %d and the text %j is followed by what to do",
    async ([status, text, hint]) => {
      const port = serverPort({
        env: { AWS_BEARER_TOKEN_BEDROCK: "token", AWS_REGION: "us-east-1" },
        fetch: () => Promise.resolve(Response.json({ message: text }, { status })),
      });
      const parts = await collect(port.stream(request(model("bedrock", "m")), new AbortController().signal));
      const { end } = readAnswer(parts);
      const reported = end.type === "error" ? end.failure.message : "";
      expect(reported).toContain(text);
      expect(reported).toContain(hint);
      expect(end).toMatchObject({
        type: "error",
        failure: { kind: status === 403 ? "auth" : "api", retryable: false },
      });
    },
  );

  it.for([
    [429, "ThrottlingException", "rate_limited", true],
    [429, "ModelNotReadyException", "rate_limited", true],
    [424, "ModelErrorException", "api", true],
    [408, "ModelTimeoutException", "api", true],
    [400, "ServiceQuotaExceededException", "api", false],
    [404, "ResourceNotFoundException", "api", false],
  ] as const)("BEDROCK4 The refusal %d %s is of the class %s", async ([status, type, kind, retryable]) => {
    const headers = { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` };
    const port = serverPort({
      fetch: () => Promise.resolve(Response.json({ message: "No." }, { status, headers })),
    });
    const parts = await collect(port.stream(request(model("bedrock", "m")), new AbortController().signal));
    expect(readAnswer(parts).end).toMatchObject({ type: "error", failure: { kind, status, retryable } });
  });
});
