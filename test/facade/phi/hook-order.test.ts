// The order of hooks and events (REQ-185) in each mode of calls, on each way that a loop can take.

import { expect, it } from "vitest";

import { CancellationToken, createTool, userMessage } from "#facade/phi/index.ts";
import type { AgentLoopConfig, ToolExecutionStrategy } from "#facade/phi/index.ts";
import { ProviderError } from "#facade/phi/provider/index.ts";

import { play } from "./support/play.ts";
import type { Play } from "./support/play.ts";

const modes: [string, ToolExecutionStrategy][] = [
  ["Parallel", "Parallel"],
  ["Sequential", "Sequential"],
  ["Batched", { Batched: { size: 2 } }],
];

const calls = { tool_calls: ["a", "b", "c"].map((id) => ({ id, name: "work", arguments: {} })) };
const toolFunctions = (execute: () => string) =>
  createTool({
    name: "work",
    description: "",
    parameters: { type: "object" },
    execute(_params, { on_update }) {
      on_update({ content: [{ type: "text", text: "half" }], details: null });
      return execute();
    },
  });
const tools = [toolFunctions(() => "done")];
const retry = { max_retries: 1, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 };
const large = userMessage("long ".repeat(2000));

/** A play, made for each mode; the calls that run in it, and its number of turns. */
interface Way {
  make: () => Play;
  ran: number;
  turns: number;
}

const plays: Record<string, Way> = {
  "a text": { make: () => ({ answers: ["Hi."] }), ran: 0, turns: 1 },
  "three calls": { make: () => ({ answers: [calls, "Done."], tools }), ran: 3, turns: 2 },
  "three calls that fail": {
    make: () => ({
      answers: [calls, "Done."],
      tools: [
        toolFunctions(() => {
          throw new Error("broken");
        }),
      ],
    }),
    ran: 3,
    turns: 2,
  },
  "a call that a hook skips": {
    make: () => ({ answers: [calls, "Done."], tools, config: { beforeToolExecution: (_name, id) => id !== "b" } }),
    ran: 2,
    turns: 2,
  },
  "an abort in an answer": {
    make() {
      const cancel = new CancellationToken();
      const onEvent: Play["onEvent"] = ({ type }) => void (type === "MessageUpdate" && cancel.cancel());
      return { answers: [{ text: ["One ", "two."] }], cancel, onEvent };
    },
    ran: 0,
    turns: 1,
  },
  "a limit": {
    make: () => ({ answers: [calls, "never"], tools, config: { executionLimits: { max_turns: 1 } } }),
    ran: 3,
    turns: 1,
  },
  "an overflow": {
    make: () => ({
      answers: [ProviderError.contextOverflow("prompt is too long"), "Done."],
      prompts: [large],
      config: { contextConfig: {} },
    }),
    ran: 0,
    turns: 2,
  },
  "a retry after deltas": {
    make: () => ({
      answers: [{ text: "Half", error: ProviderError.network("reset") }, "Done."],
      config: { retryConfig: retry },
    }),
    ran: 0,
    turns: 1,
  },
};

const cases = modes.flatMap(([mode, toolExecution]) =>
  Object.entries(plays).map(([name, way]) => [mode, name, { ...way, toolExecution }] as const),
);

it.each(cases)(
  "In the mode %s, a loop with %s calls each hook in its place among the events",
  async (_mode, name, { make, ran, turns, toolExecution }) => {
    const given = make();
    const loop: string[] = [];
    const byCall = new Map<string, string[]>();
    const ofCall = (id: string, entry: string) => void byCall.set(id, [...(byCall.get(id) ?? []), entry]);
    const config: Partial<AgentLoopConfig> = {
      ...given.config,
      toolExecution,
      beforeLoop: () => loop.push("before_loop") > 0,
      afterLoop: () => void loop.push("after_loop"),
      beforeTurn: () => loop.push("before_turn") > 0,
      afterTurn: () => void loop.push("after_turn"),
      beforeToolExecution(tool, id, args) {
        ofCall(id, "before");
        return given.config?.beforeToolExecution?.(tool, id, args) ?? true;
      },
      afterToolExecution: (_tool, id) => ofCall(id, "after"),
      beforeToolExecutionUpdate(_tool, id) {
        ofCall(id, "before_update");
        return true;
      },
      afterToolExecutionUpdate: (_tool, id) => ofCall(id, "after_update"),
    };
    await play({
      ...given,
      config,
      onEvent(event) {
        given.onEvent?.(event);
        if ("tool_call_id" in event) ofCall(event.tool_call_id, event.type.replace("ToolExecution", ""));
        else if (!event.type.startsWith("Message")) loop.push(event.type);
      },
    });
    const turn = ["before_turn", "TurnStart", "TurnEnd", "after_turn"];
    const all = Array.from({ length: turns }, () => turn).flat();
    expect(loop).toEqual(["before_loop", "AgentStart", ...all, "AgentEnd", "after_loop"]);
    const whole = ["before", "Start", "before_update", "Update", "after_update", "End", "after"];
    const orders = [...byCall.values()];
    expect(orders.filter((order) => order.length > 1)).toEqual(Array.from({ length: ran }, () => whole));
    expect(orders.filter((order) => order.length === 1)).toEqual(name.includes("skips") ? [["before"]] : []);
  },
);
