// The README's tree of events compared with runs: its names, their order and their nesting.

import { beforeEach, describe, expect, it } from "vitest";

import { eventTypes } from "#contract/event.ts";
import type { ThreadEvent } from "#contract/event.ts";

import { scripts } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const [readme = ""] = Object.values(
  import.meta.glob("../../README.md", { query: "?raw", import: "default", eager: true }),
);
const section = readme.split("\n## ").find((text) => text.startsWith("The events of a run\n")) ?? "";
const drawn = (section.split("```")[1] ?? "")
  .split("\n")
  .map((line) => /^(?<indent>[ │]*)[├└]─ (?<name>\S+)/u.exec(line)?.groups)
  .flatMap((groups) => (groups ? { name: groups["name"], depth: (groups["indent"] ?? "").length / 3 } : []));

/** Event types with repeated deltas as one, as in the tree. */
const order = (events: readonly ThreadEvent[]) =>
  types(events).filter((type, at, all) => !(type.endsWith("_delta") && all[at - 1] === type));

/** The depth of each event in the tree: inside a run, inside a step, and inside the model's message, which has blocks. */
function depths(names: readonly string[]): number[] {
  let depth = 0;
  return names.map((name, at) => {
    const before = names[at - 1];
    if (name === "step_end" || (name === "message_end" && before !== "message_start")) depth -= 1;
    const own = depth;
    if (["run_start", "step_start"].includes(name) || (name === "message_start" && before === "step_start")) depth += 1;
    return own;
  });
}

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
});

describe("the README's tree of events", () => {
  it("The README's tree shows the events of a run with a tool call in their order and nesting", async () => {
    scripts.set("draw", ({ step }) =>
      step === 0
        ? { thinking: "Hm.", text: "One moment.", toolCalls: [{ name: "stream", arguments: { parts: ["a", "b"] } }] }
        : { text: "Done." },
    );
    const id = await newThread("parallel", { title: "A drawing" });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("draw it"), null));
    await following.until(({ type }) => type === "run_end");
    following.close();
    const received = order(following.events);
    expect(drawn.map(({ name }) => name)).toEqual(received);
    expect(drawn.map(({ depth }) => depth)).toEqual(depths(received));
  });

  it("The README's tree names no event that does not exist", () => {
    const quoted = [...section.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name);
    expect(quoted.length).toBeGreaterThan(8);
    for (const name of quoted) expect(eventTypes).toContain(name);
  });

  it("A run emits retractions before a retry or fallback, a sub-agent's events inside its call, a handoff right after a step_end, and one turn_end for each step", async () => {
    const failed = order(await converse(await newThread("falls_back"), "hello"));
    const [step, answer] = [failed.indexOf("step_start"), failed.lastIndexOf("message_start")];
    expect(failed.slice(step + 1, answer).filter((type) => !/^(message_start|text_)/.test(type))).toEqual([
      "message_retracted",
      "model_retry",
      "message_retracted",
      "model_fallback",
    ]);

    scriptedAnswers.set("boss", ({ step: at }) =>
      at === 0 ? { toolCalls: [{ name: "helper", arguments: { task: "look" } }] } : { text: "done" },
    );
    scriptedAnswers.set("helper", () => ({ text: "seen" }));
    const called = await converse(await newThread("boss"), "go");
    const inner = called.map(({ type, depth }) => `${type} ${depth ?? 0}`).filter((type) => !/_delta|text_/.test(type));
    const begun = inner.indexOf("subagent_start 0");
    expect(inner.slice(begun - 1, inner.indexOf("subagent_end 0") + 2)).toEqual([
      "tool_execution_start 0",
      "subagent_start 0",
      "message_start 1",
      "message_end 1",
      "step_start 1",
      "message_start 1",
      "message_end 1",
      "step_end 1",
      "subagent_end 0",
      "tool_execution_end 0",
    ]);

    scriptedAnswers.set("desk", () => ({ toolCalls: [{ name: "billing", arguments: { task: "take over" } }] }));
    scriptedAnswers.set("clerk", () => ({ text: "here" }));
    const handed = order(await converse(await newThread("support"), "my bill"));
    expect(handed[handed.indexOf("agent_handoff") - 1]).toBe("step_end");

    scriptedAnswers.set("pro", () => ({ text: "yes" }));
    scriptedAnswers.set("con", () => ({ text: "no" }));
    const debated = order(await converse(await newThread("debate"), "Cats or dogs?"));
    const turns = debated.filter((type) => type === "turn_end");
    expect(turns.length).toBeGreaterThan(1);
    expect(turns).toHaveLength(debated.filter((type) => type === "step_end").length);
  });

  it("A run emits awaiting_tool_execution after the end of the step's other calls and before the start of the waiting call", async () => {
    scripts.set("asks", ({ step }) => {
      const calls = [
        { name: "pay", arguments: { to: "Ada", amount: 5 } },
        { name: "note", arguments: { text: "x" } },
      ];
      return step === 0 ? { toolCalls: calls } : { text: "Done." };
    });
    const id = await newThread("payer");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("asks"), null));
    const waits = await following.until(({ type }) => type === "awaiting_tool_execution");
    const [call] = waits.type === "awaiting_tool_execution" ? waits.tool_calls : [];
    const results = [{ tool_call_id: call?.id ?? "", approved: true }];
    await value(stubOf(id).call("postToolResults", admin, { results }));
    await following.until(({ type }) => type === "run_end");
    following.close();
    const received = order(following.events);
    const step = received.slice(received.indexOf("tool_execution_start"), received.indexOf("step_end"));
    const ran = ["tool_execution_start", "tool_execution_end", "message_start", "message_end"];
    expect(step).toEqual([...ran, "awaiting_tool_execution", ...ran]);
  });
});
