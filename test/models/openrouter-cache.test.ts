// Cache marks of requests for Claude through OpenRouter, read from requests to a server on the loopback. In a long tool loop each
// request marks the last mark of the previous one again, and begins with the same bytes.

import { describe, expect, it } from "vitest";

import type { ModelMessage, ToolSpec } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { callAndResult, message, user } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";

const tools: ToolSpec[] = [{ name: "get_weather", description: "Weather", parameters: { type: "object" } }];

interface SentMessage {
  role: string;
  content: { type: string; text?: string; cache_control?: object }[] | null;
}

async function sentMessages(messages: ModelMessage[], definition: Partial<AnyModelDefinition> = {}) {
  const { body } = await overHttp(
    "openrouter",
    { messages, tools },
    { model: "anthropic/claude-haiku-4.5", ...definition },
  );
  return JSON.parse(JSON.stringify(body["messages"])) as SentMessage[];
}

/** Positions of the messages with a cache mark. */
function marks(messages: SentMessage[]): number[] {
  return messages.flatMap(({ content }, at) => (content ?? []).flatMap((block) => (block.cache_control ? [at] : [])));
}

function withoutMarks(messages: SentMessage[]): string[] {
  return messages.map((entry) =>
    JSON.stringify(entry, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
}

/** The steps of a tool loop: the messages that the model is sent each time. */
const steps = [0, 1, 2, 3, 4, 5].map((step) => [
  user("Weather everywhere?"),
  ...Array.from({ length: step }, (_step, at) => callAndResult(`toolu_0${at}AAAAAAAAAAAA`)).flat(),
]);

describe("Claude through OpenRouter", () => {
  it("The system prompt and the last messages of the last two turns have cache breakpoints in their content blocks", async () => {
    // 0 is the system prompt, 1 the question; a step adds a call and its result.
    expect(await Promise.all(steps.map(async (messages) => marks(await sentMessages(messages))))).toEqual([
      [0],
      [0, 1, 3],
      [0, 3, 5],
      [0, 5, 7],
      [0, 7, 9],
      [0, 9, 11],
    ]);
  });

  it("Every cache breakpoint is inside a content block, and no request has more than four", async () => {
    for (const messages of steps) {
      const { body } = await overHttp("openrouter", { messages, tools }, { model: "anthropic/claude-haiku-4.5" });
      const all = JSON.stringify(body).match(/"cache_control"/g) ?? [];
      expect(all.length).toBeLessThanOrEqual(4);
      expect(all).toHaveLength(marks(JSON.parse(JSON.stringify(body["messages"])) as SentMessage[]).length);
    }
  });

  it("Each request begins with the messages of the previous one, which are unchanged except for their cache breakpoints", async () => {
    const sent = await Promise.all(steps.map((messages) => sentMessages(messages)));
    for (const [at, now] of sent.entries()) {
      const before = sent[at - 1];
      if (before !== undefined) expect(withoutMarks(now).slice(0, before.length)).toEqual(withoutMarks(before));
    }
  });

  it("Results of parallel calls get one cache breakpoint, and in a message with an image the text gets it", async () => {
    const image = { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" } as const;
    const both = message("assistant", {
      parts: ["a", "b"].map((id) => ({
        type: "tool_call",
        id: `toolu_0${id}AAAAAAAAAAAA`,
        name: "get_weather",
        arguments: {},
      })),
    });
    const results = ["a", "b"].map((id) =>
      message("tool", {
        name: "get_weather",
        tool_call_id: `toolu_0${id}AAAAAAAAAAAA`,
        result: { status: "success", result: id },
      }),
    );
    const shown = message("user", { parts: [{ type: "text", text: "See" }, image] });
    const sent = await sentMessages([shown, both, ...results]);
    expect(marks(sent)).toEqual([0, 1, 4]);
    expect(sent[1]?.content?.find((block) => block.cache_control)).toMatchObject({ type: "text", text: "See" });
  });

  it("A model's `cache` option turns cache breakpoints off, and requests of other models are unchanged", async () => {
    const messages = steps[3] ?? [];
    expect(marks(await sentMessages(messages, { cache: "disabled" }))).toEqual([]);
    expect(marks(await sentMessages(messages, { cache: { system: true } }))).toEqual([0]);
    expect(marks(await sentMessages(messages, { cache: { messages: true } }))).toEqual([5, 7]);
    const { body } = await overHttp("openrouter", { messages, tools }, { model: "google/gemini-2.5-flash" });
    expect(body["messages"]?.[1]?.["content"]).toBe("Weather everywhere?");
    expect(JSON.stringify(body)).not.toContain("cache_control");
  });
});
