// The values that the define functions return at run time.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  defineController,
  defineHook,
  defineRemoteTool,
  defineThreadEndpoint,
  defineTool,
  hookNameOf,
  readTool,
  threadEndpointHandler,
  type ThreadState,
  type ToolCall,
} from "#spec/index.ts";

const call: ToolCall = { id: "c1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
const state = { threadId: "t1" } as ThreadState;

describe("defineTool", () => {
  it("defineTool returns the three elements of Standard Agents, with options as a property and no fourth element", () => {
    const schema = z.object({ q: z.string() });
    const run = async () => ({ status: "success" }) as const;
    const plain = defineTool("Does", schema, run);
    expect([...plain]).toEqual(["Does", schema, run]);
    expect(plain).toHaveLength(3);
    expect(Object.keys(plain)).toEqual(["0", "1", "2"]);
    const optional = defineTool("Does", schema, run, { idempotent: true });
    expect(optional).toHaveLength(3);
    expect(optional.options).toEqual({ idempotent: true });
    expect([...defineTool("Bare", run)]).toEqual(["Bare", null, run]);
    expect([...defineTool("Remote")]).toEqual(["Remote", null, undefined]);
  });

  it("defineRemoteTool returns the same as defineTool without a function", () => {
    const schema = z.object({ q: z.string() });
    const options = { deadlineMs: 5, resultSchema: z.object({ a: z.string() }) };
    const named = defineRemoteTool({ description: "Asks", args: schema, ...options });
    const positional = defineTool("Asks", schema, undefined, options);
    expect([...named]).toEqual([...positional]);
    expect(named).toHaveLength(3);
    expect(named.options).toEqual(positional.options);
    const bare = defineRemoteTool({ description: "Asks" });
    expect([...bare]).toEqual(["Asks", null, undefined]);
    expect(bare.options).toBeUndefined();
    expect(readTool(named).run).toBeUndefined();
  });

  it("A tool's function receives arguments only if the tool has a schema, whatever the number of the function's parameters", async () => {
    const received: unknown[][] = [];
    const note = async (...values: unknown[]) => {
      received.push(values);
      return { status: "success" } as const;
    };
    await readTool(defineTool("With", z.object({}), note)).run?.(state, { a: 1 }, call);
    await readTool(defineTool("Bare", note)).run?.(state, { a: 1 }, call);
    await readTool(["By hand", null, note]).run?.(state, {}, call);
    expect(received).toEqual([
      [state, { a: 1 }, call],
      [state, call],
      [state, call],
    ]);
    expect(readTool(defineTool("Remote", z.object({}))).run).toBeUndefined();
  });
});

describe("tags", () => {
  it("A call of defineHook returns the function itself, tagged by a symbol", () => {
    const filter = async () => [];
    const hook = defineHook("filter_messages", filter);
    expect(hook).toBe(filter);
    expect(hookNameOf(hook)).toBe("filter_messages");
    expect(Object.keys(hook)).toEqual([]);
    expect(hookNameOf(async () => [])).toBeUndefined();
  });

  it("defineHook accepts the same function for two hooks, and also a frozen function", () => {
    const shared = async (_state: unknown, message: Record<string, unknown>) => message;
    const create = defineHook("before_create_message", shared);
    const after = defineHook("after_create_message", shared as never);
    expect([hookNameOf(create), hookNameOf(after)]).toEqual(["before_create_message", "after_create_message"]);
    expect(
      hookNameOf(
        defineHook(
          "filter_messages",
          Object.freeze(async () => []),
        ),
      ),
    ).toBe("filter_messages");
  });

  it("A thread endpoint is a controller that contains its handler, and throws if it is called without a thread", () => {
    const handler = (): Response => new Response("ok");
    const endpoint = defineThreadEndpoint(handler);
    expect(threadEndpointHandler(endpoint)).toBe(handler);
    expect(() => endpoint({} as never)).toThrow("needs a thread");
    const controller = (): string => "ok";
    expect(defineController(controller)).toBe(controller);
    expect(threadEndpointHandler(controller)).toBeUndefined();
  });
});
