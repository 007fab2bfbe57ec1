// Values from outside that are checked by a schema elsewhere than in the check of bodies: after the first problems the rest is skipped.

import { expect, it } from "vitest";
import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import { archiveLineSchema } from "#core/archive/archive-line.ts";
import { readPostedInput } from "#dialect/ai-sdk/posted-input.ts";
import { readParams } from "#dialect/mcp/rpc-message.ts";
import { LineReader } from "#thread/archive/line-reader.ts";

/** Wrong parts that count how often a schema reads them. */
function wrongParts(length: number) {
  const counter = { reads: 0 };
  const parts = Array.from({ length }, () => ({
    get type(): number {
      counter.reads += 1;
      return 1;
    },
  }));
  return { counter, parts };
}

it.each<[string, (parts: object[]) => unknown]>([
  ["The AI SDK's chat reads", (parts) => readPostedInput({ messages: [{ id: "a", role: "user", parts }] } as never)],
  [
    "The MCP server reads",
    (parts) =>
      readParams(z.object({ parts: z.array(z.object({ type: z.string() })) }), { parts } as unknown as JsonObject),
  ],
])("%s only the first of 5,000 wrong parts", (_who, read) => {
  const { counter, parts } = wrongParts(5000);
  expect(() => read(parts)).toThrow(/parts/);
  expect([counter.reads > 0, counter.reads < 200]).toEqual([true, true]);
});

it("An import reads only the first of 40,000 wrong parts of a line", async () => {
  // The alternatives of a part: a part that is skipped runs none of them, also if another test has used the schema before.
  const parts = archiveLineSchema.options.flatMap((option) =>
    "message" in option.shape
      ? (option.shape.message.shape.parts.element as unknown as z.ZodUnion<z.ZodType[]>).options.map(({ _zod }) => _zod)
      : [],
  );
  let runs = 0;
  for (const part of parts) {
    const run = part.run.bind(part);
    part.run = (payload, context) => {
      runs += 1;
      return run(payload, context);
    };
  }
  const reading = (count: number) => {
    const text = JSON.stringify({ type: "message", message: { parts: Array(count).fill({ type: "text" }) } });
    return new LineReader(new Blob([`${text}\n`]).stream()).next();
  };
  await expect(reading(1)).rejects.toThrow(/does not have the form/);
  await expect(reading(40_000)).rejects.toThrow(/does not have the form/);
  expect([runs > 0, runs < 200]).toEqual([true, true]);
});
