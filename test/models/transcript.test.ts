// The form in which each provider is sent a transcript.

import { describe, expect, it } from "vitest";

import type { ToolSpec } from "#core/ports/model-port.ts";

import { callAndResult, message, providers, user, wireOf } from "./ask-model.ts";
import { capture } from "./sent-request.ts";

const tool: ToolSpec = {
  name: "get_weather",
  description: "Weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const pixel = "iVBORw0KGgo=";
const image = { type: "image", mime_type: "image/png", data: pixel } as const;

describe("system prompts and roles", () => {
  it.for(providers)(
    "The provider %s is sent the system prompt, with leading system messages joined to it",
    async (provider) => {
      const system = message("system", { parts: [{ type: "text", text: "Second." }] });
      const { body } = await capture(provider, { messages: [system, user("Hi")] });
      expect(JSON.stringify(body)).toContain(String.raw`Be brief.\n\nSecond.`);
    },
  );

  it("A system message after a user message is joined to it for Anthropic, and stays a system message for OpenAI", async () => {
    const late = message("system", { parts: [{ type: "text", text: "Mind the time." }] });
    const messages = [user("Hi"), late];
    const { body: anthropic } = await capture("anthropic", { messages });
    expect(anthropic["messages"]).toHaveLength(1);
    expect(JSON.stringify(anthropic["messages"])).toContain("Mind the time.");
    const { body: openai } = await capture("openai", { messages });
    expect(openai["messages"]).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "system", content: "Mind the time." },
    ]);
  });

  it("Messages to Anthropic and Google alternate between user and model, and begin with the user", async () => {
    const said = message("assistant", { parts: [{ type: "text", text: "I begin." }] });
    const messages = [said, user("One"), user("Two")];
    const { body: anthropic } = await capture("anthropic", { messages });
    const roles = [...(anthropic["messages"] ?? [])].map((entry) => entry["role"]);
    expect(roles).toEqual(["user", "assistant", "user"]);
    const { body: google } = await capture("google", { messages });
    expect([...(google["contents"] ?? [])].map((entry) => entry["role"])).toEqual(["user", "model", "user"]);
  });

  it.for(providers)("The provider %s is never sent an empty message", async (provider) => {
    const thought = message("assistant", { parts: [{ type: "thinking", thinking: "hm" }] });
    const { body } = await capture(provider, { messages: [user(""), thought, user("Go on")] });
    const sent = JSON.stringify(body["messages"] ?? body["contents"] ?? body["input"]);
    expect(sent).toContain("(no text)");
    expect(sent).not.toMatch(/"(text|content)":(""|\[\]|null)/);
    expect(sent).not.toContain("hm");
  });
});

describe("tool calls and results", () => {
  const messages = [user("Weather?"), ...callAndResult("toolu_01AAAA"), user("Thanks")];

  it("OpenAI is sent a call in the assistant's tool_calls, and its result as a message with the role tool", async () => {
    const { body } = await capture("openai", { messages, tools: [tool] });
    const call = {
      id: "toolu_01AAAA",
      type: "function",
      function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
    };
    expect(body["messages"]).toMatchObject([
      {},
      { role: "user", content: "Weather?" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "toolu_01AAAA", content: "sunny" },
      { role: "user", content: "Thanks" },
    ]);
    expect(body["tools"]).toMatchObject([
      { type: "function", function: { name: "get_weather", parameters: tool.parameters } },
    ]);
  });

  it("Anthropic is sent a call and its result in turns that alternate", async () => {
    const { body } = await capture("anthropic", { messages, tools: [tool] });
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_01AAAA", name: "get_weather", input: { city: "Oslo" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_01AAAA", content: "sunny" }, { type: "text" }],
      },
    ]);
  });

  it("Google is sent the results of parallel calls in one turn", async () => {
    const [first, firstResult] = callAndResult("google-fc-0");
    const [second, secondResult] = callAndResult("google-fc-1", "get_time");
    const both = message("assistant", { parts: [...(first?.parts ?? []), ...(second?.parts ?? [])] });
    const results = [firstResult, secondResult].filter((result) => result !== undefined);
    const { body } = await capture("google", { messages: [user("Both?"), both, ...results], tools: [tool] });
    expect(body["contents"]).toMatchObject([
      { role: "user" },
      { role: "model", parts: [{ functionCall: { name: "get_weather" } }, { functionCall: { name: "get_time" } }] },
      {
        role: "user",
        parts: [{ functionResponse: { name: "get_weather" } }, { functionResponse: { name: "get_time" } }],
      },
    ]);
  });

  it("A tool's error is sent to Anthropic with is_error, and to other providers as a text that states that it is an error", async () => {
    const failed = callAndResult("toolu_01AAAA").map((entry) =>
      entry.role === "tool" ? { ...entry, result: { status: "error" as const, error: "no such city" } } : entry,
    );
    const { body: anthropic } = await capture("anthropic", { messages: [user("?"), ...failed], tools: [tool] });
    expect(JSON.stringify(anthropic)).toContain('"content":"no such city","is_error":true');
    for (const provider of ["openai", "google", "openrouter"] as const) {
      const { body } = await capture(provider, { messages: [user("?"), ...failed], tools: [tool] });
      expect(JSON.stringify(body)).toContain("Error: no such city");
    }
  });

  it.for(providers)("Unparsable arguments of a call are sent to %s as an empty object", async (provider) => {
    const broken = callAndResult("toolu_01AAAA").map((entry) =>
      entry.role === "assistant"
        ? message("assistant", {
            parts: [{ type: "tool_call", id: "toolu_01AAAA", name: "get_weather", arguments: '{"ci', invalid: true }],
          })
        : entry,
    );
    const { body } = await capture(provider, { messages: [user("?"), ...broken], tools: [tool] });
    expect(JSON.stringify(body)).toMatch(/"(input|args)":\{\}|"arguments":"\{\}"/);
  });

  it.for(["anthropic", "openai", "azure-chat", "vertex-claude"] as const)(
    "A call id of another provider is converted to one that %s accepts",
    async (provider) => {
      const id = `functions.get_weather:0_${"x".repeat(80)}`;
      const { body } = await capture(provider, { messages: [user("?"), ...callAndResult(id)], tools: [tool] });
      const ids = [...JSON.stringify(body).matchAll(/"(?:id|tool_use_id|tool_call_id)":"([^"]+)"/g)].map(
        ([, found]) => found,
      );
      expect(ids).toHaveLength(2);
      expect(ids[0]).toBe(ids[1]);
      expect(ids[0]).toMatch(wireOf(provider) === "anthropic" ? /^[a-zA-Z0-9_-]{1,64}$/ : /^.{1,40}$/);
    },
  );
});

it.for(providers)("The provider %s is never sent half a surrogate pair", async (provider) => {
  const half = "a\ud83d b \\ud83d 👍";
  const messages = [
    user(half),
    ...callAndResult("toolu_01AAAA").map((entry) =>
      entry.role === "tool" ? { ...entry, result: { status: "success" as const, result: half } } : entry,
    ),
  ];
  const { body } = await capture(provider, { messages, system: half });
  // Two backslashes are text that only looks like half a surrogate pair.
  const sent = JSON.stringify(body);
  expect(sent.match(/a\uFFFD b \\\\ud83d 👍/g)).toHaveLength(3);
});

describe("images and files", () => {
  const withImage = [message("user", { parts: [{ type: "text", text: "Look" }, image] })];

  it.for(providers)("The provider %s is sent an image as its bytes", async (provider) => {
    const { body } = await capture(provider, { messages: withImage });
    expect(JSON.stringify(body)).toContain(pixel);
  });

  it.for(providers)(
    "A model of the provider %s without vision is sent a line of text in place of an image",
    async (provider) => {
      const named = [message("user", { parts: [{ ...image, path: "/attachments/cat.png" }] })];
      const { body } = await capture(provider, { messages: named }, { capabilities: { vision: false } });
      expect(JSON.stringify(body)).toContain("[image: cat.png, image/png, /attachments/cat.png]");
      expect(JSON.stringify(body)).not.toContain(pixel);
    },
  );

  it.for(providers)(
    "The provider %s is sent the content of a text file, and the name of a file that it cannot read",
    async (provider) => {
      const parts = [
        { type: "file" as const, name: "notes.txt", mime_type: "text/plain", data: btoa("bring salt") },
        { type: "file" as const, name: "app.bin", mime_type: "application/octet-stream", data: pixel },
      ];
      const sent = JSON.stringify((await capture(provider, { messages: [message("user", { parts })] })).body);
      expect(sent).toContain("bring salt");
      expect(sent).toContain("[file: app.bin, application/octet-stream]");
    },
  );

  const shown = callAndResult("toolu_01AAAA").map((entry) =>
    entry.role === "tool" ? { ...entry, parts: [{ ...image, name: "chart.png" }] } : entry,
  );

  it.for(providers)("The provider %s is sent an image that a tool returned", async (provider) => {
    const { body } = await capture(provider, { messages: [user("?"), ...shown, user("And now?")], tools: [tool] });
    expect(JSON.stringify(body)).toContain(pixel);
  });

  it("OpenAI and OpenRouter are sent the image of a tool's result in a user message right after the results", async () => {
    const [call, result] = callAndResult("toolu_01BBBB", "get_time");
    const both = message("assistant", { parts: [...(shown[0]?.parts ?? []), ...(call?.parts ?? [])] });
    const messages = [user("?"), both, ...shown.slice(1), ...(result === undefined ? [] : [result]), user("Thanks")];
    for (const provider of ["openai", "openrouter"] as const) {
      const { body } = await capture(provider, { messages, tools: [tool] });
      const sent = [...(body["messages"] ?? [])].map((entry) => entry["role"]);
      expect(sent).toEqual(["system", "user", "assistant", "tool", "tool", "user", "user"]);
      expect(JSON.stringify(body["messages"]?.[3])).toContain("[image: chart.png, image/png]");
      const turn = JSON.stringify(body["messages"]?.[5]);
      expect(turn).toContain("[chart.png, an image that get_weather returned]");
      expect(turn).toContain(pixel);
    }
  });

  it.for(providers)("The provider %s is sent the image of a tool result that is an error", async (provider) => {
    const failed = shown.map((entry) =>
      entry.role === "tool" ? { ...entry, result: { status: "error" as const, error: "it broke" } } : entry,
    );
    const { body } = await capture(provider, { messages: [user("?"), ...failed], tools: [tool] });
    expect(JSON.stringify(body)).toContain(pixel);
    expect(JSON.stringify(body)).toContain(String.raw`it broke\n[image: chart.png, image/png]`);
  });

  it.for(providers)(
    "A model of the provider %s without vision is sent a line of text for the image of a tool result, and no additional turn",
    async (provider) => {
      const { body } = await capture(
        provider,
        { messages: [user("?"), ...shown], tools: [tool] },
        { capabilities: { vision: false } },
      );
      expect(JSON.stringify(body)).not.toContain(pixel);
      expect(JSON.stringify(body)).toContain("[image: chart.png, image/png]");
      expect(JSON.stringify(body)).not.toContain("an image that");
    },
  );
});
