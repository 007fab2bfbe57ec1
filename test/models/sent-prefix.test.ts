// The request bodies of a growing conversation with tools and images, as a server on the loopback receives them from each provider's
// adapter. Between two compactions a body begins with all messages of the body before it, so a provider's prompt cache holds.
//
// Equal bytes: the system prompt, the tools, and each message of the request before. The one exception is the field `cache_control` in
// requests to Claude. Anthropic accepts at most four marks in a request, so marks move to newer messages. They are no part of the cached
// content.

import { describe, expect, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";

import { project } from "../flow/support/step-project.ts";
import { messageRecord } from "../store/records.ts";
import { MemoryFiles, pngBytes } from "../support/memory-files.ts";
import { wireOf, type Provider } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";
import type { Sent } from "./sent-request.ts";

const turns = 20;

/** The field of each provider's request body with the messages. The other fields are the system prompt and the tools. */
const adapters: { provider: Provider; model: string; messages: string; fields: string[] }[] = [
  { provider: "openai", model: "some-model", messages: "messages", fields: ["tools"] },
  { provider: "openai-responses", model: "some-model", messages: "input", fields: ["tools"] },
  { provider: "anthropic", model: "some-model", messages: "messages", fields: ["system", "tools"] },
  { provider: "google", model: "some-model", messages: "contents", fields: ["systemInstruction", "tools"] },
  { provider: "openrouter", model: "some-model", messages: "messages", fields: ["tools"] },
  { provider: "azure", model: "some-model", messages: "input", fields: ["tools"] },
  { provider: "azure-chat", model: "some-model", messages: "messages", fields: ["tools"] },
  { provider: "vertex", model: "some-model", messages: "contents", fields: ["systemInstruction", "tools"] },
  { provider: "vertex-claude", model: "some-model", messages: "messages", fields: ["system", "tools"] },
  { provider: "openrouter", model: "anthropic/claude-haiku-4.5", messages: "messages", fields: ["tools"] },
];

const files = new MemoryFiles();
const image = (path: string): StoredPart => {
  files.put(path, pngBytes(900), "image/png");
  return { type: "image", mime_type: "image/png", path, name: path.slice(1), size: 900 };
};
const text = (value: string): StoredPart => ({ type: "text", text: value });

/** The messages of a turn up to each of its two requests: a question, and a call with its result. Then the turn's answer. */
function turn(at: number): { question: MessageRecord; called: MessageRecord[]; answer: MessageRecord } {
  const first = at * 4 + 1;
  const id = `toolu_${String(at).padStart(16, "0")}`;
  const requested = text(`Question ${at}: ${"word ".repeat(120)}`);
  const call: StoredPart = { type: "tool_call", id, name: "look", arguments: { at: `place ${at}` } };
  const shown =
    at % 2 === 0
      ? []
      : [{ id, type: "file" as const, path: `/r${at}.png`, name: `r${at}.png`, mimeType: "image/png", size: 900 }];
  if (shown.length > 0) files.put(`/r${at}.png`, pngBytes(900), "image/png");
  const lines = Array.from({ length: 20 }, (_, line) => `line ${line} of place ${at}`).join("\n");
  const loop = { run_id: "run", side: "a", step: at } as const;
  return {
    question: messageRecord(first, { parts: at % 3 === 0 ? [requested, image(`/q${at}.png`)] : [requested] }),
    called: [
      messageRecord(first + 1, { ...loop, role: "assistant", parts: [text("I look."), call] }),
      messageRecord(first + 2, {
        ...loop,
        role: "tool",
        name: "look",
        tool_call_id: id,
        parts: [text(lines)],
        result: { status: "success", result: lines, ...(shown.length === 0 ? {} : { attachments: shown }) },
      }),
    ],
    answer: messageRecord(first + 3, {
      ...loop,
      role: "assistant",
      parts: [text(`Answer ${at}: ${"so ".repeat(80)}`)],
    }),
  };
}

/** The requests of the whole conversation, and whether each was compacted. */
async function conversation(): Promise<{ request: Omit<ModelRequest, "model">; compacted: boolean }[]> {
  const own: MessageRecord[] = [];
  const { builder } = project({
    model: { contextWindow: 6000 },
    prompt: { includeChat: true },
    own,
    earlier: [],
    files,
  });
  const requests: { request: Omit<ModelRequest, "model">; compacted: boolean }[] = [];
  const plan = async () => {
    const planned = await builder.plan({});
    if ("problem" in planned) throw new Error(planned.problem.message);
    requests.push({ request: planned.request, compacted: planned.compaction !== undefined });
  };
  for (let at = 0; at < turns; at += 1) {
    const { question, called, answer } = turn(at);
    own.push(question);
    await plan();
    own.push(...called);
    await plan();
    own.push(answer);
  }
  return requests;
}

const marks = (body: unknown) => JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0;
const withoutMarks = (body: unknown) =>
  JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value));

describe.for(adapters)("$provider $model", ({ provider, model, messages, fields }) => {
  it("Between compactions each request body has the tools of the previous request and begins with its messages and images", async () => {
    const sent: { body: Sent; compacted: boolean }[] = [];
    for (const { request, compacted } of await conversation()) {
      sent.push({ body: (await overHttp(provider, request, { model })).body, compacted });
    }
    const head = (body: Sent) => withoutMarks(fields.map((field) => body[field]));
    const list = (body: Sent) => withoutMarks(body[messages]).slice(0, -1);
    const breaks = sent.flatMap(({ body, compacted }, at) => {
      const before = sent[at - 1]?.body;
      if (before === undefined) return [];
      expect(head(body)).toBe(head(before));
      const continues = list(body).startsWith(list(before));
      expect(continues).toBe(!compacted);
      return continues ? [] : [at];
    });
    expect(breaks.length).toBeGreaterThan(1);
    const bodies = JSON.stringify(sent.map(({ body }) => body));
    expect(bodies).toContain("place 3");
    expect(bodies.match(/iVBORw0KGgo/g)?.length ?? 0).toBeGreaterThan(turns);
    const most = wireOf(provider) === "anthropic" || model.startsWith("anthropic/") ? 4 : 0;
    const counts = sent.map(({ body }) => marks(body));
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
    expect(counts.some((count) => count > 0)).toBe(most > 0);
  });
});
