// Messages and threads of UPP: their fields, their guards, and their JSON.

import fc from "fast-check";
import { expect, it, vi } from "vitest";

import { messageFromJSON } from "#facade/upp/message-json.ts";
import { UPPError, codeOfStatus } from "#facade/upp/upp-error.ts";
import {
  AssistantMessage,
  ToolResultMessage,
  UserMessage,
  isAssistantMessage,
  isToolResultMessage,
  isUserMessage,
} from "#facade/upp/upp-message.ts";
import { Thread } from "#facade/upp/upp-thread.ts";

import { anyMessage } from "./support/arbitrary-messages.ts";

it("A UPP message keeps its id, time and bytes when it is converted to JSON and back", () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const restored = messageFromJSON(JSON.parse(JSON.stringify(message)));
      expect(restored).toStrictEqual(message);
      expect(restored.constructor).toBe(message.constructor);
      expect(restored.toJSON()).toStrictEqual(message.toJSON());
    }),
    { verbose: true },
  );
});

it("A UPP thread keeps its messages and times when it is converted to JSON and back", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 5 }), (messages) => {
      const thread = new Thread(messages, { createdAt: new Date(1000), updatedAt: new Date(2000) });
      const restored = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
      expect(restored.toMessages()).toStrictEqual(messages);
      expect(restored.toJSON()).toStrictEqual(thread.toJSON());
      expect([restored.id, restored.createdAt, restored.updatedAt]).toEqual([
        thread.id,
        new Date(1000),
        new Date(2000),
      ]);
    }),
    { verbose: true },
  );
});

it("A message has a new UUIDv4 and the current time unless they are given", () => {
  const before = Date.now();
  const [one, other] = [new UserMessage("Hi"), new AssistantMessage("Hello")];
  expect(one.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(other.id).not.toBe(one.id);
  expect(one.timestamp.getTime()).toBeGreaterThanOrEqual(before);
  const timestamp = new Date(0);
  const given = new ToolResultMessage([], { id: "id-1", timestamp, metadata: { anthropic: { a: 1 } } });
  expect(given).toMatchObject({ id: "id-1", timestamp, metadata: { anthropic: { a: 1 } }, type: "tool_result" });
});

it("A UPP message has members for its text, images, documents and reasoning", () => {
  const image = {
    type: "image",
    source: { type: "url", url: "https://example.com/a.png" },
    mimeType: "image/png",
  } as const;
  const document = { type: "document", source: { type: "text", data: "Body" }, mimeType: "text/plain" } as const;
  const user = new UserMessage([{ type: "text", text: "One" }, image, { type: "text", text: "Two" }, document]);
  expect([user.text, user.images, user.documents]).toEqual(["One\n\nTwo", [image], [document]]);
  const answer = new AssistantMessage(
    [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "So." },
    ],
    [],
  );
  expect([answer.text, answer.reasoning, answer.hasToolCalls]).toEqual([
    "So.",
    [{ type: "reasoning", text: "Hm." }],
    false,
  ]);
  const calling = new AssistantMessage("", [{ toolCallId: "1", toolName: "add", arguments: {} }]);
  expect(calling.hasToolCalls).toBe(true);
  expect(new ToolResultMessage([{ toolCallId: "1", result: 3 }]).text).toBe("");
});

it("A type guard accepts a message of another copy of the UPP classes, because it checks the message's type and not its class", () => {
  const foreign = { type: "assistant" } as AssistantMessage;
  expect([isUserMessage(foreign), isAssistantMessage(foreign), isToolResultMessage(foreign)]).toEqual([
    false,
    true,
    false,
  ]);
});

it.each([
  [
    { type: "image", source: { type: "bytes", data: "§" }, mimeType: "image/png" },
    "message.content.0.source.data: Has to be base64",
  ],
  [{ type: "hologram" }, "message.content.0.type"],
  [{ type: "text" }, "message.content.0.text"],
])("An error about the JSON of a message names the path of the value that does not fit: %j", (block, path) => {
  const json = { ...new UserMessage("Hi").toJSON(), content: [block] };
  expect(() => messageFromJSON(json)).toThrow(path);
});

it("An error about the JSON of a thread has the code INVALID_REQUEST and names the index of the invalid message", () => {
  const json = new Thread([new UserMessage("Hi"), new UserMessage("Ho")]).toJSON();
  const broken = { ...json, messages: [json.messages[0], { ...json.messages[1], timestamp: "yesterday" }] };
  expect(() => Thread.fromJSON(broken)).toThrow(
    expect.objectContaining({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("thread.messages.1.timestamp"),
    }),
  );
  expect(() => Thread.fromJSON(null)).toThrow(UPPError);
});

it("A UPP thread can add, filter, slice, clear and copy its messages", () => {
  const thread = new Thread().user("One").assistant("Two").push(new ToolResultMessage([]));
  thread.append({ messages: [new UserMessage("Three")] });
  expect(thread.length).toBe(4);
  expect([...thread].map(({ type }) => type)).toEqual(["user", "assistant", "tool_result", "user"]);
  expect(thread.filter("user").map(({ text }) => text)).toEqual(["One", "Three"]);
  expect([thread.tail(1), thread.tail(0), thread.tail(9)].map(({ length }) => length)).toEqual([1, 0, 4]);
  const part = thread.slice(0, 2);
  expect([part.length, part.id === thread.id]).toEqual([2, false]);
  const copy = thread.toMessages();
  thread.clear();
  expect([thread.length, copy.length, part.length]).toEqual([0, 4, 2]);
});

it.each([
  [400, "INVALID_REQUEST"],
  [401, "AUTHENTICATION_FAILED"],
  [402, "QUOTA_EXCEEDED"],
  [403, "AUTHENTICATION_FAILED"],
  [404, "MODEL_NOT_FOUND"],
  [408, "TIMEOUT"],
  [409, "INVALID_REQUEST"],
  [413, "CONTEXT_LENGTH_EXCEEDED"],
  [422, "INVALID_REQUEST"],
  [429, "RATE_LIMITED"],
  [451, "CONTENT_FILTERED"],
  [500, "PROVIDER_ERROR"],
  [529, "PROVIDER_ERROR"],
])("A provider's response with the status %i is an error with the code %s", (status, code) => {
  expect(codeOfStatus(status)).toBe(code);
});

it("An error has its code, its provider, its status and its cause", () => {
  const cause = new Error("Below.");
  const error = new UPPError("Above.", "RATE_LIMITED", "anthropic", "llm", 429, cause);
  expect(error).toMatchObject({
    name: "UPPError",
    code: "RATE_LIMITED",
    provider: "anthropic",
    modality: "llm",
    statusCode: 429,
    cause,
  });
  expect(error).toBeInstanceOf(Error);
  expect(new UPPError("", "TIMEOUT", "", "llm").statusCode).toBeUndefined();
});

it("A message and a thread can be created in the global scope of a Worker, where random values are not available, and get their ids later", () => {
  const random = vi.spyOn(crypto, "randomUUID").mockImplementation(() => {
    throw new Error("Disallowed operation called within global scope.");
  });
  const created = [new UserMessage("Hi."), new Thread()];
  random.mockRestore();
  for (const each of created) {
    expect(each.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
    expect([each.id, each.toJSON().id]).toEqual([each.id, each.id]);
  }
});
