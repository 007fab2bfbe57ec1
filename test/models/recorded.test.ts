// Real answers of real providers, if RECORDED_DIR names a folder of them: the model server sends each one, split at random, and the parts
// are compared with those that the provider's own client and the AI SDK read from the same bytes. Without a folder the suite reports that
// it was skipped.

import { describe, expect, inject, it } from "vitest";
import { z } from "zod";

import type { ModelPort } from "#core/ports/model-port.ts";
import { modelPresets, type PresetName } from "#spec/index.ts";

import { collect, model, readAnswer, request, serverEnv, serverPort, type Provider } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import type { Sent } from "./sent-request.ts";

const resultSchema = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), args: z.unknown() })),
});

const listSchema = z.object({
  folder: z.string().nullable(),
  cases: z.array(z.looseObject({ model: z.string(), wire: z.string(), id: z.string() })),
});

const caseSchema = z.object({
  model: z.string(),
  wire: z.string(),
  id: z.string(),
  expected: z.object({
    officialSdk: z.object({ result: resultSchema }),
    aiSdk: z.object({
      result: resultSchema.extend({
        reasoning: z.string(),
        finishReason: z.object({ unified: z.string() }),
        usage: z.object({
          inputTokens: z.object({ total: z.number().optional(), cacheRead: z.number().optional() }),
          outputTokens: z.object({ total: z.number().optional() }),
        }),
      }),
    }),
  }),
});

/** The provider through which each recorded protocol is tested; the other protocols have none yet. */
const adapters: Record<string, Provider | "openai-compatible"> = {
  anthropic: "anthropic",
  gemini: "google",
  "vertex-gemini": "vertex",
  "openai-chat": "openai",
  "azure-chat": "azure-chat",
  "deepseek-chat": "openai-compatible",
  "groq-chat": "openai-compatible",
  "mistral-chat": "openai-compatible",
  "xai-chat": "openai-compatible",
  "openrouter-chat": "openrouter",
  "openai-responses": "openai",
  "azure-responses": "azure",
  "bedrock-converse-stream": "bedrock",
};

/** The server of each recorded protocol that has a preset. */
const presets: Partial<Record<string, PresetName>> = {
  "deepseek-chat": "deepseek",
  "groq-chat": "groq",
  "mistral-chat": "mistral",
  "xai-chat": "xai",
};

/** These recordings are served under a separate path, which the model's `api` selects. */
const responsesWires = new Set(["openai-responses", "azure-responses"]);

/** The protocols that every folder of recordings must contain. */
const essential = ["anthropic", "gemini", "openai-chat", "openai-responses", "openrouter-chat"];

const stopReasons: Record<string, string> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

const recorded = listSchema.parse(await (await fetch(`${inject("modelServer")}/__recorded`)).json());
const known = recorded.cases.filter(({ wire }) => adapters[wire] !== undefined);
const playable = z.array(caseSchema).parse(known);

describe("recorded answers", () => {
  if (recorded.folder === null) {
    it("Recorded cases are skipped if there is no folder of recordings", ({ skip }) => skip("RECORDED_DIR is not set"));
    return;
  }

  it("The folder of recordings has cases of every protocol", () => {
    const wires = new Set(playable.map(({ wire }) => wire));
    expect(essential.filter((wire) => !wires.has(wire))).toEqual([]);
    console.log(`recorded cases: ${playable.length} run, ${recorded.cases.length - known.length} without an adapter`);
  });

  const titled = playable.map((entry) => [`${entry.wire} ${entry.id}`, entry] as const);
  it.for(titled)(
    "The recording %s is read as the provider's own client reads it",
    async ([title, { model: name, wire, expected }]) => {
      const provider = adapters[wire] ?? "openai";
      const headers = { "x-server-id": title };
      const more = responsesWires.has(wire)
        ? { headers, api: "responses" as const, compat: { supportsReasoningEffort: true } }
        : { headers };
      const preset = presets[wire];
      const url = inject("modelServer");
      const at = preset === undefined ? {} : { preset, baseUrl: `${url}/v1` };
      const key = preset === undefined ? {} : { [modelPresets[preset].keyVariable]: "key-of-the-preset" };
      const env = { ...serverEnv(url), ...key };
      const call = request(model(provider, name, { ...more, ...at }));
      const read = (port: ModelPort) => collect(port.stream(call, new AbortController().signal));
      const parts = await read(serverPort({ env }));
      expect(await read(serverPort({ env, direct: false }))).toEqual(parts);
      expect(grammarFaults(parts)).toEqual([]);
      const id = encodeURIComponent(title);
      const [sent] = await (
        await fetch(`${inject("modelServer")}/__requests?id=${id}`)
      ).json<{ path: string; body: Sent }[]>();
      if (responsesWires.has(wire)) {
        expect(sent).toMatchObject({
          path: expect.stringMatching(/^\/(?:openai\/)?v1\/responses$/) as string,
          body: { store: false, stream: true, include: ["reasoning.encrypted_content"], input: [{}, { role: "user" }] },
        });
      } else expect(sent?.path).not.toContain("responses");
      const { text, thinking, calls, end } = readAnswer(parts);
      const official = expected.officialSdk.result;
      const other = expected.aiSdk.result;

      expect(text).toBe(official.text);
      expect(thinking).toBe(other.reasoning);
      const requested = official.toolCalls.map(({ name: tool, args }) => [tool, args]);
      expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(requested);

      if (end.type === "error") throw new Error(`${end.failure.kind}: ${end.failure.message}`);
      const expectedStop = calls.length > 0 ? "tool_calls" : stopReasons[other.finishReason.unified];
      expect(end.stop_reason).toBe(expectedStop);
      const { inputTokens, outputTokens } = other.usage;
      const { input, cache_read, cache_write, output } = end.usage;
      const cached = inputTokens.cacheRead ?? 0;
      expect(cache_read).toBe(cached);
      // xAI counts more cached tokens than the prompt has; the uncached count is then zero.
      expect(input + cache_read + cache_write).toBe(Math.max(inputTokens.total ?? 0, cached));
      expect(output).toBe(outputTokens.total ?? 0);
    },
  );
});
