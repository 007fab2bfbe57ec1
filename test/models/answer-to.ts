// The answer that the model port reads from bytes of a test.

import { expect } from "vitest";

import type { ModelRequest, ToolSpec } from "#core/ports/model-port.ts";

import { collect, model, readAnswer, request, serverEnv, serverPort, type Provider } from "./ask-model.ts";
import { withPlainId } from "./both-paths.ts";
import { grammarFaults } from "./grammar.ts";

const tools: ToolSpec[] = ["get_weather", "get", "get_time"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

/**
 * The answer of a provider that sends these bytes with status 200: at once, byte by byte, or at once before its connection breaks. It is the
 * same on the direct path and through the provider's package.
 */
export async function answerTo(
  provider: Provider,
  text: string,
  pieces: "whole" | "bytes" | "reset" = "whole",
  more: Partial<ModelRequest> = {},
) {
  const bytes = new TextEncoder().encode(text);
  const body = (): ReadableStream<Uint8Array> => {
    const cut = pieces === "bytes" ? Array.from(bytes, (_byte, at) => bytes.slice(at, at + 1)) : [bytes];
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = cut.shift();
        if (next !== undefined) controller.enqueue(next);
        else if (pieces === "reset") controller.error(new Error("reset"));
        else controller.close();
      },
    });
  };
  const headers = { "content-type": "text/event-stream" };
  const read = (direct: boolean) => {
    const port = serverPort({
      env: serverEnv("https://provider.example"),
      fetch: () => Promise.resolve(new Response(body(), { headers })),
      direct,
    });
    return collect(port.stream(request(model(provider, "any"), { tools, ...more }), new AbortController().signal));
  };
  const parts = await read(true);
  expect(parts.map(withPlainId)).toEqual((await read(false)).map(withPlainId));
  expect(grammarFaults(parts)).toEqual([]);
  return { parts, ...readAnswer(parts) };
}
