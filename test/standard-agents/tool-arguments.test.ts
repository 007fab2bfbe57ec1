// Standard Agents, tools: the zod types of which a tool's arguments may consist. For each type: the JSON Schema that a
// provider receives, and the values that are accepted and refused.

import { defineTool } from "@standardagents/spec";
import type { AnyToolArgs, ThreadState } from "@standardagents/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { answers, start } from "./project.ts";
import { bodySentBy } from "./wire.ts";

type Node = AnyToolArgs["shape"][string];

/** The schema that the provider receives for an argument of this type, and for each value what the tool receives, or "refused". */
async function follow(node: Node, values: unknown[]) {
  const arrived: unknown[] = [];
  const tool = defineTool("Probes", z.object({ value: node }), async (_state: ThreadState, { value }) => {
    arrived.push(value ?? null);
    return { status: "success" };
  });
  const { thread } = await start({
    tools: { probe: tool },
    prompt: { tools: ["probe"] },
    script: answers({
      toolCalls: values.map((value) => ({ name: "probe", arguments: value === undefined ? {} : { value } })),
    }),
  });
  await thread.say("Hello");
  const results = (await thread.messages()).flatMap(({ result }) => (result === null ? [] : [result.status]));
  const { tools } = await bodySentBy("openai", { tools: { probe: tool }, prompt: { tools: ["probe"] } });
  const parameters = tools?.[0]?.["function"]?.["parameters"];
  return {
    sent: parameters?.["properties"]?.["value"],
    required: parameters?.["required"] !== undefined,
    fared: results.map((status) => (status === "success" ? arrived.shift() : "refused")),
  };
}

describe("an argument", () => {
  it("SATOOL12 A ZodString argument is a string", async () => {
    const { sent, fared } = await follow(z.string(), ["a", 1]);
    expect(sent).toEqual({ type: "string" });
    expect(fared).toEqual(["a", "refused"]);
  });

  it("SATOOL13 A ZodNumber argument is a number", async () => {
    const { sent, fared } = await follow(z.number(), [1.5, "1.5"]);
    expect(sent).toEqual({ type: "number" });
    expect(fared).toEqual([1.5, "refused"]);
  });

  it("SATOOL14 A ZodBoolean argument is a boolean", async () => {
    const { sent, fared } = await follow(z.boolean(), [true, "true"]);
    expect(sent).toEqual({ type: "boolean" });
    expect(fared).toEqual([true, "refused"]);
  });

  it("SATOOL15 A ZodNull argument is null", async () => {
    const { sent, fared } = await follow(z.null(), [null, 0]);
    expect(sent).toEqual({ type: "null" });
    expect(fared).toEqual([null, "refused"]);
  });

  it("SATOOL16 A ZodLiteral argument is exactly that value", async () => {
    const { sent, fared } = await follow(z.literal("yes"), ["yes", "no"]);
    expect(sent).toMatchObject({ const: "yes" });
    expect(fared).toEqual(["yes", "refused"]);
  });

  it("SATOOL17 A ZodEnum argument is one of its values", async () => {
    const { sent, fared } = await follow(z.enum(["red", "blue"]), ["blue", "green"]);
    expect(sent).toEqual({ type: "string", enum: ["red", "blue"] });
    expect(fared).toEqual(["blue", "refused"]);
  });

  it("SATOOL18 A ZodOptional argument may be left out", async () => {
    const { sent, required, fared } = await follow(z.string().optional(), [undefined, "a", 1]);
    expect([sent, required]).toEqual([{ type: "string" }, false]);
    expect(fared).toEqual([null, "a", "refused"]);
    expect((await follow(z.string(), [undefined])).fared).toEqual(["refused"]);
  });

  it("SATOOL19 A ZodNullable argument may be null", async () => {
    const { sent, required, fared } = await follow(z.string().nullable(), [null, "a", undefined]);
    expect(JSON.stringify(sent)).toContain("null");
    expect([required, fared]).toEqual([true, [null, "a", "refused"]]);
  });

  it("SATOOL20 A ZodDefault argument that is left out gets its default", async () => {
    const { sent, required, fared } = await follow(z.number().default(5), [undefined, 2, "2"]);
    expect(sent).toMatchObject({ type: "number", default: 5 });
    expect([required, fared]).toEqual([false, [5, 2, "refused"]]);
  });

  it("SATOOL21 A ZodArray argument is a list", async () => {
    const { sent, fared } = await follow(z.array(z.string()), [["a", "b"], [1], "a"]);
    expect(sent).toEqual({ type: "array", items: { type: "string" } });
    expect(fared).toEqual([["a", "b"], "refused", "refused"]);
  });

  it("SATOOL22 A ZodObject argument is an object with those properties", async () => {
    const { sent, fared } = await follow(z.object({ a: z.number() }), [{ a: 1 }, { a: "1" }, {}]);
    expect(sent).toMatchObject({ type: "object", properties: { a: { type: "number" } }, required: ["a"] });
    expect(fared).toEqual([{ a: 1 }, "refused", "refused"]);
  });

  it("SATOOL23 A ZodRecord argument is an object with any keys", async () => {
    const { sent, fared } = await follow(z.record(z.string(), z.number()), [{ x: 1, y: 2 }, { x: "1" }]);
    expect(sent).toMatchObject({ type: "object", additionalProperties: { type: "number" } });
    expect(fared).toEqual([{ x: 1, y: 2 }, "refused"]);
  });

  it("SATOOL24 A ZodUnion argument is one of several types", async () => {
    const node = z.union([z.string(), z.object({ a: z.number() })]);
    const { sent, fared } = await follow(node, ["a", { a: 1 }, true]);
    expect(sent).toMatchObject({ anyOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] });
    expect(fared).toEqual(["a", { a: 1 }, "refused"]);
  });
});
