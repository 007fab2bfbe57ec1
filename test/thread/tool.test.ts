// Tools in a thread: what the model reads when a call cannot be run, and the events of a running tool.

import { describe, expect, it } from "vitest";

import { scripts } from "../worker/definitions.ts";
import { admin, converse, follow, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

async function resultsOf(toolCalls: { name: string; arguments: unknown }[]) {
  const id = await newThread("parallel");
  scripts.set("tools", ({ step }) => (step === 0 ? { toolCalls: toolCalls as never } : { text: "done" }));
  const events = await converse(id, "tools please");
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  return { events, results: items.filter(({ role }) => role === "tool"), items };
}

describe("calls that cannot be run", () => {
  it("TOOL1 An unknown tool, wrong arguments and a tool that throws each give the call an error result, and the run continues", async () => {
    const { results, items } = await resultsOf([
      { name: "nope", arguments: {} },
      { name: "note", arguments: { text: 7 } },
      { name: "broken", arguments: {} },
      { name: "note", arguments: { text: "fine" } },
    ]);
    expect(results.map(({ result }) => [result?.status, result?.error ?? result?.result])).toEqual([
      ["error", expect.stringContaining('no tool named "nope"')],
      ["error", expect.stringContaining("text:")],
      ["error", "the tool broke"],
      ["success", "noted fine"],
    ]);
    expect(items.at(-1)?.content).toBe("done");
  });

  it("TOOL2 No message and no event contains the stack of an error", async () => {
    const { results, events } = await resultsOf([{ name: "broken", arguments: {} }]);
    expect(JSON.stringify([results, events])).not.toMatch(/definitions\.ts/);
  });
});

describe("a streaming tool", () => {
  it("A streaming tool emits its deltas with offsets and ends with its result", async () => {
    const id = await newThread("parallel");
    scripts.set("stream", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "stream", arguments: { parts: ["ab", "cd"] } }] } : { text: "done" },
    );
    // Output of a running tool is emitted and not stored, so the reader must be there before the tool starts.
    const following = await follow(id, { after: "0" });
    await converse(id, "stream");
    await following.until((event) => event.type === "run_end");
    following.close();
    const { events } = following;
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const results = items.filter(({ role }) => role === "tool");
    const emitted = events.flatMap((event) => (event.type === "tool_execution_delta" ? [event] : []));
    const text = emitted.reduce((before, { offset, delta }) => before.slice(0, offset) + (delta ?? ""), "");
    expect(text).toBe("abcd");
    expect(results[0]?.content).toBe("abcd");
    const order = types(events).filter((type) => type.startsWith("tool_execution"));
    expect(order.at(0)).toBe("tool_execution_start");
    expect(order.at(-1)).toBe("tool_execution_end");
  });
});

describe("a tool that adds a message to the thread", () => {
  it("A message that a tool adds to the thread is stored after the results of its step", async () => {
    const id = await newThread("parallel");
    scripts.set("inject", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "inject", arguments: { text: "kept" } },
              { name: "note", arguments: { text: "n" } },
            ],
          }
        : { text: "done" },
    );
    await converse(id, "inject");
    const { items } = await value(stubOf(id).call("listMessages", admin, { ...page, include_silent: true }));
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "system", "assistant"]);
    const { items: runs } = await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "desc" }));
    expect(items.map(({ run_id }) => run_id)).toEqual(items.map(() => runs[0]?.id));
    expect(runs[0]).toMatchObject({ steps: 2, message_ids: items.map((message) => message.id) });
  });
});
