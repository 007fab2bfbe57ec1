// Bedrock's Converse: what its requests contain for each family of models.

import { describe, expect, it } from "vitest";

import type { ModelMessage, ModelRequest, ToolSpec } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { audioFormats } from "#models/bedrock/media-formats.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ask, callAndResult, emitted, message, user } from "./ask-model.ts";
import { stepAfter, storedAnswer } from "./at-address.ts";
import { overHttp } from "./http-request.ts";

const claude = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const adaptive = "global.anthropic.claude-opus-4-7";
const nova = "us.amazon.nova-2-lite-v1:0";
const llama = "us.meta.llama4-maverick-17b-instruct-v1:0";
const oss = "openai.gpt-oss-120b-1:0";

const tools: ToolSpec[] = ["get_weather", "get_time"].map((name) => ({
  name,
  description: name === "get_time" ? " " : name,
  parameters: { type: "object", properties: { city: { type: "string" } } },
}));

function sent(name: string, more: Partial<ModelRequest> = {}, definition: Partial<AnyModelDefinition> = {}) {
  return overHttp("bedrock", more, { ...definition, model: name });
}

/** The text of a request's body. */
async function bodyOf(...of: Parameters<typeof sent>): Promise<string> {
  return JSON.stringify((await sent(...of)).body);
}

const pdf: StoredPart = {
  type: "file",
  name: "Q3 report (v2).final.pdf",
  mime_type: "application/pdf",
  data: "JVBERi0x",
};
const png: StoredPart = { type: "image", name: "a.png", mime_type: "image/png", data: "iVBORw0KGgo=" };

describe("the body of a request", () => {
  it("The system prompt, the limits and the tools are in the fields of Converse, and an empty description is left out", async () => {
    const { body } = await sent(llama, { tools, maxTokens: 300, temperature: 0.5 });
    expect(body).toMatchObject({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Hello?" }] }],
      inferenceConfig: { maxTokens: 300, temperature: 0.5 },
      toolConfig: { toolChoice: { auto: {} } },
    });
    expect(body["toolConfig"]?.["tools"]?.[1]?.["toolSpec"]).not.toHaveProperty("description");
  });

  it.for([178, 179, 180, 181])(
    "A document whose name has a space after %d characters has a name that the API accepts, also if it is repeated",
    async (count) => {
      const long = { ...pdf, name: `${"a".repeat(count)} b.pdf` };
      const body = await bodyOf(claude, { messages: [message("user", { parts: [long, long] })] });
      expect(body).toContain(`"${"a".repeat(Math.min(count, 180))}`);
      expect(body).not.toMatch(/a {2}|a "/);
    },
  );

  it("A document has a name in the characters that the API accepts, which is unique in the request, and a text next to it", async () => {
    const messages = [message("user", { parts: [pdf, pdf] })];
    const { body } = await sent(claude, { messages });
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { text: "(The documents are attached.)" },
          { document: { format: "pdf", name: "Q3 report (v2) final", source: { bytes: "JVBERi0x" } } },
          { document: { format: "pdf", name: "Q3 report (v2) final 2", source: { bytes: "JVBERi0x" } } },
        ],
      },
    ]);
  });

  it.for([
    ["mistral.voxtral-small-24b-2507", true],
    ["us.amazon.nova-2-omni-v1:0", true],
    [nova, false],
    [claude, false],
    ["mistral.mistral-large-2407-v1:0", false],
  ] as const)("Audio for %s is sent as an audio block: %s, and otherwise as a line", async ([name, isHeard]) => {
    const audio = (mime_type: string): StoredPart => ({ type: "file", name: "call", mime_type, data: "SUQz" });
    for (const [type, format] of Object.entries(audioFormats)) {
      const body = await bodyOf(name, { messages: [message("user", { parts: [audio(type)] })] });
      expect(body.includes(`{"audio":{"format":"${format}","source":{"bytes":"SUQz"}}}`)).toBe(isHeard);
      expect(body.includes("[file: call")).toBe(!isHeard);
    }
    const odd = await bodyOf(name, { messages: [message("user", { parts: [audio("audio/midi")] })] });
    expect(odd).toContain("[file: call");
  });

  it("A video in a format that Converse does not have is sent to Nova as a line", async () => {
    const video = (mime_type: string): StoredPart => ({ type: "file", name: "walk", mime_type, data: "AAAA" });
    const parts = [video("video/mp4"), video("video/x-msvideo")];
    const body = await bodyOf(nova, { messages: [message("user", { parts })] });
    expect(body).toContain('{"video":{"format":"mp4","source":{"bytes":"AAAA"}}}');
    expect(body).toContain("[file: walk, video/x-msvideo");
    expect(body).not.toContain('"document"');
  });

  it("An image at an address is sent as a line, because Converse reads only addresses of S3", async () => {
    const at = (url: string): StoredPart => ({ type: "image", mime_type: "image/png", url });
    const messages = [message("user", { parts: [at("https://img.example/a.png"), at("s3://bucket/a.png")] })];
    const body = await bodyOf(nova, { messages });
    expect(body).toContain("[image: a.png, image/png, https://img.example/a.png]");
    expect(body).toContain('{"s3Location":{"uri":"s3://bucket/a.png"}}');
  });

  it("Results of tools have images and documents for Claude, images for Nova, and neither for other models", async () => {
    const [called, result] = callAndResult("tooluse_1");
    const shown = { ...result, parts: [pdf, png] } as ModelMessage;
    const messages = [user("?"), called as ModelMessage, shown];
    const resultOf = async (name: string) =>
      JSON.stringify((await sent(name, { messages, tools })).body["messages"]?.[2]?.["content"]?.[0]?.["toolResult"]);
    expect(await resultOf(claude)).toMatch(/"document":.*"image":/);
    expect(await resultOf(nova)).toMatch(/^(?!.*"document").*"image":/);
    expect(await resultOf(llama)).not.toMatch(/"document"|"image":/);
    // The image follows in the user's message.
    expect(await bodyOf(llama, { messages, tools })).toContain('{"image":{"format":"png"');
  });

  it("The result of a failed tool has a status for Claude and Nova, and begins with Error for other models", async () => {
    const [called, result] = callAndResult("tooluse_1");
    const failed = { ...result, result: { status: "error", error: "no city" } } as ModelMessage;
    const messages = [user("?"), called as ModelMessage, failed];
    for (const name of [claude, nova])
      expect(await bodyOf(name, { messages, tools })).toContain('"content":[{"text":"no city"}],"status":"error"');
    expect(await bodyOf(llama, { messages, tools })).toContain('"content":[{"text":"Error: no city"}]}');
  });

  it("Ids of calls have the form of the model's family, and the call and its result have the same one", async () => {
    const messages = [user("?"), ...callAndResult("call/with:odd.characters"), user("?")];
    for (const [name, form] of [
      [claude, /^[a-zA-Z0-9_-]{1,64}$/],
      ["mistral.mistral-large-2407-v1:0", /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const { body } = await sent(name, { messages, tools });
      const id = body["messages"]?.[1]?.["content"]?.[0]?.["toolUse"]?.["toolUseId"] as unknown as string;
      expect(id).toMatch(form);
      expect(body["messages"]?.[2]?.["content"]?.[0]?.["toolResult"]?.["toolUseId"]).toBe(id);
    }
  });

  it("Options that Converse does not have are named in the log", async () => {
    const none = await sent(claude, { tools, toolChoice: "none" });
    expect(none.warnings).toContain('Converse has no tool choice \\"none\\"');
    expect((await sent(claude, { tools, parallelToolCalls: false })).warnings).toContain("one tool call at a time");
    expect((await sent(llama, {}, { cache: { system: true } })).warnings).toContain("cache marks");
  });

  it("Service tiers, guardrails and fields of a model are set by params", async () => {
    const params = {
      serviceTier: { type: "flex" },
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
      additionalModelRequestFields: { anthropic_beta: ["context-1m-2025-08-07"] },
    };
    expect((await sent(claude, { params, reasoning: { effort: "low" }, maxTokens: 4000 })).body).toMatchObject({
      serviceTier: { type: "flex" },
      guardrailConfig: { guardrailIdentifier: "g" },
      additionalModelRequestFields: { anthropic_beta: ["context-1m-2025-08-07"], thinking: { type: "enabled" } },
    });
  });

  it("Params set further options of Converse next to those of the runtime, and headers of a definition are sent", async () => {
    const params = {
      performanceConfig: { latency: "optimized" },
      requestMetadata: { team: "search" },
      inferenceConfig: { topP: 0.9, stopSequences: ["END"] },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
    };
    const headers = { "X-Amzn-Bedrock-Trace": "ENABLED" };
    const request = await sent(llama, { params, maxTokens: 100 }, { headers });
    expect(request.body).toMatchObject({
      performanceConfig: { latency: "optimized" },
      requestMetadata: { team: "search" },
      inferenceConfig: { topP: 0.9, stopSequences: ["END"], maxTokens: 100 },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
    });
    expect(request.headers).toMatchObject({ "x-amzn-bedrock-trace": "ENABLED" });
  });
});

describe("cache points", () => {
  const conversation = [user("One"), message("assistant", { parts: [{ type: "text", text: "1" }] }), user("Two")];
  const points = async (name: string, definition: Partial<AnyModelDefinition> = {}) => {
    const { body } = await sent(name, { messages: conversation, tools }, definition);
    const count = (part: unknown): number => JSON.stringify(part).split('"cachePoint"').length - 1;
    return [count(body["system"]), count(body["toolConfig"]), count(body["messages"])];
  };

  it("Claude gets a cache point after the system prompt, the tools and the second-to-last turn; Nova gets none for tools", async () => {
    expect(await points(claude)).toEqual([1, 1, 1]);
    expect(await points(nova)).toEqual([1, 0, 1]);
    expect(await points(llama)).toEqual([0, 0, 0]);
    expect(await points("anthropic.claude-3-haiku-20240307-v1:0")).toEqual([0, 0, 0]);
  });

  it("The definition of a model selects the cache points, or disables them", async () => {
    expect(await points(claude, { cache: "disabled" })).toEqual([0, 0, 0]);
    expect(await points(claude, { cache: { tools: true } })).toEqual([0, 1, 0]);
  });
});

describe("thinking", () => {
  const fields = async (name: string, more: Partial<ModelRequest>) => {
    const { body, warnings } = await sent(name, more);
    return { fields: body["additionalModelRequestFields"], config: body["inferenceConfig"], warnings };
  };

  it("Claude gets a budget below the limit of the answer, or an effort, and no temperature", async () => {
    const budget = await fields(claude, { reasoning: { effort: "high" }, maxTokens: 6000, temperature: 0.3 });
    expect(budget).toMatchObject({
      fields: { thinking: { type: "enabled", budget_tokens: 4976 } },
      config: { maxTokens: 6000 },
    });
    expect(budget.config).not.toHaveProperty("temperature");
    expect(budget.warnings).toContain("temperature 0.3 was left out");
    const floor = await fields(claude, { reasoning: { effort: "low" } });
    expect(floor).toMatchObject({ fields: { thinking: { budget_tokens: 1024 } } });
    expect(floor.warnings).toContain("raised to the floor of 1024");
    expect((await fields(adaptive, { reasoning: { effort: "medium", exclude: true } })).fields).toEqual({
      thinking: { type: "adaptive", display: "omitted" },
      output_config: { effort: "medium" },
    });
    expect((await fields(claude, { reasoning: { effort: "low" }, tools, toolChoice: "required" })).fields).toBe(
      undefined,
    );
  });

  it("Nova 2 and gpt-oss get an effort, and a model whose thinking is not known gets none and a warning", async () => {
    const high = await fields(nova, { reasoning: { effort: "high" }, maxTokens: 500 });
    expect(high).toMatchObject({ fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } } });
    expect(high.config).toBeUndefined();
    expect(high.warnings).toContain("maxTokens 500 was left out");
    expect((await fields(oss, { reasoning: { effort: "medium" } })).fields).toEqual({ reasoning_effort: "medium" });
    expect((await fields(llama, { reasoning: { effort: "low" } })).warnings).toContain("reasoning was not requested");
  });

  it.for(["thinking-then-call", "redacted-thinking"])(
    "The signed thinking of the case %s is sent back to Claude unchanged in the next step, and to no other family",
    async (name) => {
      const answered = await ask("bedrock", name);
      const stored = storedAnswer(answered);
      // The server knows the case by its name, so the owner is that of Claude's models here.
      for (const part of stored.parts) if (part.provider_data) part.provider_data.provider = "bedrock-claude";
      const messages = stepAfter(stored);
      const expected =
        name === "redacted-thinking"
          ? '{"reasoningContent":{"redactedContent":"EmwKAhgBEgyVZx=="}}'
          : '{"reasoningContent":{"reasoningText":{"text":"I need the weather.","signature":"EqQBCkYIBxgCKkD+sig2"}}}';
      expect(await bodyOf(claude, { messages, tools })).toContain(expected);
      expect(await bodyOf(nova, { messages, tools })).not.toContain("reasoningContent");
    },
  );

  it("Redacted thinking is a block without text", async () => {
    const parts = emitted(await ask("bedrock", "redacted-thinking"));
    expect(parts[0]).toEqual({ type: "thinking_start", index: 0, redacted: true });
  });
});
