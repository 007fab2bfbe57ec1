// The descriptions of invalid arguments and results, in text of a bounded length.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { checkArguments } from "#core/tools/check-arguments.ts";

describe("a value against a schema", () => {
  it("REMOTE13 The error for a result that does not fit its schema has a bounded length, however many fields are wrong", () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, at]));
    const checked = checkArguments(z.strictObject({ place: z.string() }), keys);
    expect(checked.ok).toBe(false);
    expect(JSON.stringify(checked).length).toBeLessThan(5000);
    expect(checked).toMatchObject({ problem: expect.stringContaining("place: ") });
  });
});
