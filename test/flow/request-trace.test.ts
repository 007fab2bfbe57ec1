// What a log row stores of a model request.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import { requestTrace } from "#flow/request/request-trace.ts";

function message(id: string | null, joined?: string[]): ModelMessage {
  const base = { role: "user", parts: [], name: null, tool_call_id: null, result: null } as const;
  return { id, ...base, parts: [], ...(joined === undefined ? {} : { joined }) };
}

function request(messages: ModelMessage[], changes: Partial<ModelRequest> = {}): Omit<ModelRequest, "model"> {
  const options = {
    toolChoice: "auto",
    parallelToolCalls: false,
    reasoning: null,
    temperature: null,
    maxTokens: null,
  } as const;
  return { prompt: "p", system: "Be kind.", messages, tools: [], ...options, ...changes };
}

it("A request's log row names the first and last sent message, the stored messages between them that were left out, and the number of messages that are not stored", async () => {
  const sent = [message("1"), message(null), message("3", ["4"])];
  const trace = await requestTrace(request(sent), ["1", "2", "3", "4", "5"]);
  expect(trace["messages"]).toEqual({ count: 3, first: "1", last: "4", left_out: ["2", "5"], unstored: 1 });
  const none = await requestTrace(request([message(null)]), []);
  expect(none["messages"]).toEqual({ count: 1, first: null, last: null, left_out: [], unstored: 1 });
});

it("The last message of a log row is the last one of the request, also after an answer that was joined to the one before", async () => {
  const trace = await requestTrace(request([message("1"), message("2", ["3"]), message("4")]), ["1", "2", "3", "4"]);
  expect(trace["messages"]).toMatchObject({ count: 3, first: "1", last: "4", left_out: [] });
});

it("The prompt and the tools are logged as a fingerprint that changes with them, and never as their text", async () => {
  const spec = { name: "it", description: "secret words", parameters: {} };
  const one = await requestTrace(request([], { tools: [spec] }), []);
  const two = await requestTrace(request([], { system: "Be rude.", tools: [{ ...spec, description: "x" }] }), []);
  expect(one["system_hash"]).not.toBe(two["system_hash"]);
  expect(one["tools_hash"]).not.toBe(two["tools_hash"]);
  expect(await requestTrace(request([], { tools: [spec] }), [])).toEqual(one);
  expect(one["tools"]).toEqual(["it"]);
  expect(JSON.stringify(one)).not.toMatch(/Be kind|secret words/);
});

it("The options of a request are logged as they were sent", async () => {
  const options = { toolChoice: "none", temperature: 0.5, maxTokens: 9, reasoning: { effort: "low" } } as const;
  expect(await requestTrace(request([], options), [])).toMatchObject({
    prompt: "p",
    tool_choice: "none",
    temperature: 0.5,
    max_tokens: 9,
    reasoning: { effort: "low" },
  });
});

it("The left-out messages of a log row are the candidate messages that the request does not contain, whatever the order of the sent messages", async () => {
  const ids = fc.subarray(["1", "2", "3", "4", "5", "6"]);
  const shuffled = ids.chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));
  await fc.assert(
    fc.asyncProperty(ids, fc.oneof(ids, shuffled), async (candidates, sent) => {
      const trace = await requestTrace(request(sent.map((id) => message(id))), candidates);
      const left_out = candidates.filter((id) => !sent.includes(id));
      expect(trace["messages"]).toMatchObject({ left_out });
    }),
  );
});
