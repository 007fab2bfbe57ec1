// The network may split an answer anywhere, and the same bytes give the same parts. Bytes are split exactly where the property chooses,
// inside characters, lines and JSON.

import fc from "fast-check";
import { expect, inject, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";

import { collect, model, providers, request, serverEnv, serverPort, type Provider } from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";

function cut(bytes: Uint8Array, offsets: readonly number[]): ReadableStream<Uint8Array> {
  const ends = [...new Set([...offsets.map((offset) => offset % bytes.length), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      const end = ends.shift();
      if (end === undefined) return controller.close();
      controller.enqueue(bytes.slice(start, end));
      start = end;
    },
  });
}

async function partsOf(provider: Provider, body: ReadableStream<Uint8Array>): Promise<ModelPart[]> {
  const answer = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const port = serverPort({ env: serverEnv("https://provider.example"), fetch: answer });
  return collect(port.stream(request(model(provider, "any")), new AbortController().signal));
}

const seed = inject("modelServerSeed");

it.for(
  providers.flatMap((provider) =>
    ["multibyte-split", "parallel-calls", "thinking"].map((name) => [provider, name] as const),
  ),
)("The recording %s %s gives the same parts wherever its bytes are split", async ([provider, name]) => {
  const bytes = await bytesOf(provider, name);
  expect(bytes.length).toBeGreaterThan(300);
  const whole = await partsOf(provider, cut(bytes, []));
  expect(whole.at(-1)?.type).toBe("finish");
  const offsets = fc.array(fc.nat(bytes.length - 1), { minLength: 1, maxLength: 60 });
  const same = fc.asyncProperty(offsets, async (at) => {
    expect(await partsOf(provider, cut(bytes, at))).toEqual(whole);
  });
  await fc.assert(same, { seed, numRuns: 40 });
  // The same again with one byte at a time.
  expect(await partsOf(provider, cut(bytes, Array.from(bytes.keys())))).toEqual(whole);
});
