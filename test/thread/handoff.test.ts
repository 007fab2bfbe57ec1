// A thread whose agent changes.

import { beforeEach, describe, expect, it } from "vitest";

import { crossing } from "../worker/crossing.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const agentOf = async (id: string) => (await value(stubOf(id).call("describe", admin))).agent_id;
const hand = (name: string) => ({ name, arguments: { task: "take over" } });

describe("a handoff", () => {
  it("A handoff changes the agent once its step is recorded and keeps origin_agent_id; the run continues with the new prompt", async () => {
    const id = await newThread("support");
    scriptedAnswers.set("desk", () => ({ toolCalls: [hand("billing")] }));
    scriptedAnswers.set("clerk", ({ messages }) => ({ text: `I am billing after ${messages.length}` }));
    const events = await converse(id, "my bill");
    expect(events.find((event) => event.type === "agent_handoff")).toMatchObject({ from: "support", to: "billing" });
    const thread = await value(stubOf(id).call("describe", admin));
    expect(thread).toMatchObject({ agent_id: "billing", origin_agent_id: "support", status: "idle" });
    await converse(id, "and now?");
    expect(requested.at(-1)?.persona).toBe("clerk");
  });

  it("A handoff inside a sub-prompt takes effect when the caller's step ends, and two handoffs in one step emit one agent_handoff event", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "helper", arguments: { task: "x" } }] }));
    scriptedAnswers.set("helper", ({ step }) =>
      step === 0 ? { toolCalls: [hand("billing")] } : { text: "helper done" },
    );
    scriptedAnswers.set("clerk", () => ({ text: "clerk here" }));
    const events = await converse(id, "go");
    expect(requested.map(({ persona }) => persona)).toEqual(["boss", "helper", "helper", "clerk"]);
    const order = events.map(({ type, depth }) => (type === "step_end" ? `step_end ${depth}` : type));
    expect(order.indexOf("agent_handoff")).toBeGreaterThan(order.indexOf("step_end 0"));
    expect(await agentOf(id)).toBe("billing");

    const twice = await newThread("support");
    scriptedAnswers.set("desk", () => ({ toolCalls: [hand("billing"), hand("billing")] }));
    const emitted = await converse(twice, "go");
    expect(emitted.filter(({ type }) => type === "agent_handoff")).toHaveLength(1);
  });

  it("If a crash interrupts a handoff, the handoff is made once and emitted once", async () => {
    const id = await newThread("support");
    let hang = true;
    const { promise: reached, resolve: reach } = crossing();
    // The step with the handoff also waits in another tool: the crash comes after the handoff's result and before the step's end.
    toolEffects.set("wait", async () => {
      if (!hang) return null;
      reach();
      return new Promise(() => {});
    });
    scriptedAnswers.set("desk", () => ({
      toolCalls: [hand("billing"), { name: "act", arguments: { key: "wait" } }],
    }));
    scriptedAnswers.set("clerk", () => ({ text: "clerk here" }));
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    hang = false;
    await crash(id);
    expect(await agentOf(id)).toBe("support");
    const following = await follow(id, { after: "0" });
    await following.until((event) => event.type === "run_end");
    following.close();
    expect(following.events.filter(({ type }) => type === "agent_handoff")).toHaveLength(1);
    expect(await agentOf(id)).toBe("billing");
    const items = (await value(stubOf(id).call("listMessages", admin, page))).items;
    expect(items.at(-1)?.content).toBe("clerk here");
  });

  it("A failed call of a handoff tool does not hand the thread over to another agent", async () => {
    const id = await newThread("support");
    scriptedAnswers.set("desk", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "billing", arguments: { wrong: true } }] } : { text: "still the desk" },
    );
    const events = await converse(id, "go");
    expect(events.some(({ type }) => type === "agent_handoff")).toBe(false);
    expect(await agentOf(id)).toBe("support");
  });
});
