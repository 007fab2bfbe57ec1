// Plays over the protocols of the providers, with the requests that the model server received.

import { defineTool } from "@standardagents/spec";
import type { AnyModelDefinition } from "@standardagents/spec";
import { inject } from "vitest";
import { z } from "zod";

import { toBase64 } from "#lib/base64.ts";

import { wireModel } from "../../standard-agents/wire.ts";
import type { WireProvider } from "../../standard-agents/wire.ts";
import { pngBytes } from "../../support/memory-files.ts";
import type { GoldenPlay } from "../stage.ts";

const get_weather = defineTool("Weather of a city", z.object({ city: z.string() }), async () => ({
  status: "success",
  result: "sunny",
}));

/** A play with a model of the provider. The model's name lists the answers. */
function wired(
  name: string,
  provider: WireProvider,
  more: Partial<AnyModelDefinition>,
  turns: readonly unknown[],
): GoldenPlay {
  const { definition } = wireModel(provider, {
    ...more,
    headers: { "x-server-id": `golden-${name}`, "x-own": "kept" },
  });
  return {
    name,
    agent: "main",
    project: () => ({
      tools: { get_weather },
      model: { retry: { maxRetries: 1, initialDelayMs: 1 }, inputPrice: 1, outputPrice: 2, ...definition },
      prompt: { includeChat: true, includePastTools: true, reasoning: { effort: "low", include: true } },
    }),
    run: async (stage) => {
      stage.wires.model = { url: inject("modelServer"), id: `golden-${name}` };
      for (const [at, content] of turns.entries())
        await stage.turn(`turn ${String(at + 1)}`, () => stage.ended(() => stage.ask("POST", "/messages", content)));
    },
  };
}

const cat = { name: "cat.png", mime_type: "image/png", data: toBase64(pngBytes(300)) };
const turns = [{ content: "Weather in Rome?" }, { content: "And this?", attachments: [cat] }];

/** An answer that calls a tool, then answers with text. */
const model = "case:thinking-then-call|text|text";

export const wirePlays: GoldenPlay[] = [
  wired("wire-openai-chat", "openai", { api: "chat", model: "case:text-then-call|reasoning-content|text" }, turns),
  wired(
    "wire-openai-responses",
    "openai",
    { api: "responses", model, compat: { supportsReasoningEffort: true } },
    turns,
  ),
  wired("wire-anthropic", "anthropic", { model }, turns),
  wired("wire-google", "google", { model }, turns),
  wired("wire-openrouter", "openrouter", { model }, turns),
  wired("wire-error-in-an-answer", "anthropic", { model: "case:error-mid-stream|text" }, [{ content: "Hello" }]),
  wired("wire-refused", "openai", { api: "responses", model: "case:auth" }, [{ content: "Hello" }]),
  wired("wire-parallel-calls", "anthropic", { model: "case:parallel-calls|length-in-call|text" }, [
    { content: "Both" },
  ]),
];
