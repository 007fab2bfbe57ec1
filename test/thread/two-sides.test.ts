// Two models that answer each other in one thread: whose turn it is, what each is sent, and when the run ends.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { ExecutionState } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const act = (key: string) => ({ toolCalls: [{ name: "act", arguments: { key } }] });
const conclude = { toolCalls: [{ name: "conclude", arguments: { said: "done" } }] };
const turnsIn = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "turn_end" ? [[event.side, event.reason]] : []));

/** Starts a run without a message and follows it to its end. */
async function goOn(id: string, side?: "a" | "b"): Promise<ThreadEvent[]> {
  const input = { kind: "continue" as const, ...(side === undefined ? {} : { side }) };
  const { run, after } = await value(stubOf(id).call("postRun", admin, input, null));
  const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
  await following.closed;
  return following.events;
}

describe("two sides", () => {
  it("Two sides take turns until their limit of turns, and each model is sent its own texts as assistant messages and the other's as user messages", async () => {
    const id = await newThread("debate");
    scriptedAnswers.set("pro", ({ messages }) => ({ text: `pro ${messages.length}` }));
    scriptedAnswers.set("con", ({ messages }) => ({ text: `con ${messages.length}` }));
    const events = await converse(id, "Cats or dogs?");
    const messages = await messagesOf(id);
    expect(messages.map(({ role, side, content }) => [role, side, content])).toEqual([
      ["user", null, "Cats or dogs?"],
      ["assistant", "a", "pro 1"],
      ["user", "b", "con 2"],
      ["assistant", "a", "pro 3"],
      ["user", "b", "con 4"],
    ]);
    expect(requested[3]?.request.messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", "Cats or dogs?"],
      ["user", "pro 1"],
      ["assistant", "con 2"],
      ["user", "pro 3"],
    ]);
    expect(events.flatMap((event) => (event.type === "turn_end" ? [event.side] : []))).toEqual(["a", "b", "a", "b"]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_session_turns" });
  });
  it("Each side is sent only its own tool calls and results, and the outcome of the other side's stop tool in place of its text", async () => {
    const id = await newThread("panel");
    toolEffects.set("look", () => "seen");
    scriptedAnswers.set("pro", ({ step, messages }) => {
      if (messages.length === 1) return act("look");
      return step === 1 ? { text: "aside", toolCalls: [{ name: "pass", arguments: { said: "your turn" } }] } : conclude;
    });
    scriptedAnswers.set("con", () => conclude);
    await converse(id, "Begin the panel");
    const con = requested.find(({ persona }) => persona === "con");
    expect(con?.request.messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", "Begin the panel"],
      ["user", "your turn"],
    ]);
    const pro = requested.filter(({ persona }) => persona === "pro").at(-1);
    expect(pro?.request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("A turn ends with a text answer, a stop tool or its limit of steps, and the turns of both sides count towards the limit of turns", async () => {
    const id = await newThread("panel");
    toolEffects.set("look", () => "seen");
    let turn = 0;
    scriptedAnswers.set("pro", () => {
      turn += 1;
      return turn === 1 ? { toolCalls: [{ name: "pass", arguments: { said: "over" } }] } : act("look");
    });
    scriptedAnswers.set("con", () => ({ text: "words" }));
    const events = await converse(id, "go");
    expect(turnsIn(events)).toEqual([
      ["a", "stop_tool"],
      ["b", "response"],
      ["a", "max_steps"],
      ["b", "response"],
      ["a", "max_steps"],
      ["b", "response"],
    ]);
    expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_session_turns" });
  });

  it("An `endSessionTool` ends the run for both sides when it succeeds, and only then", async () => {
    const id = await newThread("debate");
    let tries = 0;
    scriptedAnswers.set("con", () => {
      tries += 1;
      return tries === 1 ? { toolCalls: [{ name: "conclude", arguments: { wrong: 1 } }] } : conclude;
    });
    const events = await converse(id, "go");
    expect(tries).toBe(2);
    expect(events.at(-1)).toMatchObject({ status: "completed", reason: "end_session_tool" });
    expect(turnsIn(events)).toEqual([
      ["a", "response"],
      ["b", "end_session_tool"],
    ]);
  });

  it("A call of `forceTurn` takes effect after the step's tools, and has no effect with one side", async () => {
    const id = await newThread("debate");
    toolEffects.set("over", (state) => state.execution?.forceTurn("b"));
    toolEffects.set("stay", (state) => state.execution?.forceTurn("a"));
    scriptedAnswers.set("pro", ({ messages }) => (messages.length === 1 ? act("over") : { text: "pro" }));
    scriptedAnswers.set("con", () => conclude);
    expect(turnsIn(await converse(id, "go"))).toEqual([
      ["a", "forced"],
      ["b", "end_session_tool"],
    ]);
    const alone = await newThread("boss");
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? act("over") : { text: "still me" }));
    expect((await converse(alone, "go")).at(-1)).toMatchObject({ status: "completed", reason: "response" });
  });

  it("A continue begins with the requested side, else with the side that did not answer last", async () => {
    const id = await newThread("debate");
    scriptedAnswers.set("pro", ({ lastUser }) => ({ text: `pro received ${lastUser}` }));
    scriptedAnswers.set("con", () => conclude);
    await goOn(id, "b");
    expect(requested.map(({ persona }) => persona)).toEqual(["con"]);
    expect(requested[0]?.request.messages).toEqual([{ role: "user", content: "Begin." }]);
    expect((await messagesOf(id)).map(({ role }) => role)).toEqual(["user", "tool"]);
    await goOn(id);
    expect(requested[1]?.persona).toBe("pro");
  });

  it("A user's later message in a conversation of two sides is marked as from a human and sent to the side that answers next", async () => {
    const id = await newThread("debate");
    scriptedAnswers.set("con", () => conclude);
    await converse(id, "first");
    requested.length = 0;
    await converse(id, "May I?");
    const said = (await messagesOf(id)).filter(({ content }) => content === "first" || content === "May I?");
    expect(said.map(({ metadata }) => metadata)).toEqual([{}, { from: "human" }]);
    expect(requested[0]?.persona).toBe("pro");
    expect(requested[0]?.request.messages.at(-1)).toEqual({ role: "user", content: "May I?" });
  });

  it("The `execution` object shows sides, steps, turns and which side stopped", async () => {
    const id = await newThread("debate");
    const received: unknown[] = [];
    const look = ({ execution }: { execution: ExecutionState | null }) => {
      if (execution === null) throw new Error("no execution");
      const { currentSide, stepCount, sideAStepCount, sideBStepCount, turnCount, stopped, stoppedBy } = execution;
      received.push([currentSide, stepCount, sideAStepCount, sideBStepCount, turnCount, stopped, stoppedBy]);
    };
    toolEffects.set("look", look);
    toolEffects.set("stop", (state) => {
      state.execution?.stop();
      look(state);
    });
    scriptedAnswers.set("pro", ({ messages }) => (messages.length === 1 ? act("look") : { text: "pro" }));
    scriptedAnswers.set("con", () => act("stop"));
    const events = await converse(id, "go");
    expect(received).toEqual([
      ["a", 1, 1, 0, 0, false, undefined],
      ["b", 3, 2, 1, 1, true, "b"],
    ]);
    expect(events.at(-1)).toMatchObject({ status: "stopped", reason: "stop_called" });
  });

  it("After a crash, a run of two sides continues with the same side, counts and forced turn", async () => {
    const id = await newThread("panel");
    toolEffects.set("over", (state) => state.execution?.forceTurn("b"));
    let crashed = false;
    const { promise: reached, resolve: reach } = crossing();
    scriptedAnswers.set("pro", ({ messages }) => (messages.length === 1 ? act("over") : { text: "pro" }));
    scriptedAnswers.set("con", async () => {
      if (!crashed) {
        reach();
        await new Promise(() => {});
      }
      return { text: "con" };
    });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    crashed = true;
    await crash(id);
    const following = await follow(id, { after: "0" });
    const end = await following.until((event) => event.type === "run_end");
    following.close();
    expect(end).toMatchObject({ status: "limit", reason: "max_session_turns" });
    expect(turnsIn(following.events).map(([side]) => side)).toEqual(["a", "b", "a", "b", "a", "b"]);
    const answers = (await messagesOf(id)).filter(({ role, side }) => role !== "tool" && side !== null);
    expect(answers.map(({ side }) => side)).toEqual(["a", "b", "a", "b", "a", "b"]);
  });
});
