// A forced turn or a stop that a tool requested, when the step of that tool is interrupted or suspended.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { TestTurn } from "#spec/index.ts";

import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { latch, resetAgents, waitFor, isEnd, lastRunOf, whenSuspended, wake } from "./team-driver.ts";
import { crash, follow, message, newThread, stubOf, value, admin } from "./thread-driver.ts";

beforeEach(resetAgents);

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
const act = (key: string) => call("act", { key });
const nest = (task: string) => call("nest", { task });
const conclude: TestTurn = { toolCalls: [call("conclude", { said: "done" })] };
const turnsIn = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "turn_end" ? [[event.side, event.reason]] : []));
const isForced = (events: readonly ThreadEvent[]) => expect(turnsIn(events)[0]).toEqual(["a", "forced"]);

/** A first side whose step is interrupted after one of its calls is settled and while the other still runs. */
async function crashAfter(key: string): Promise<ThreadEvent[]> {
  toolEffects.set("hang", () => new Promise(() => {}));
  scriptedAnswers.set("pro", ({ step }) =>
    step === 0 ? { toolCalls: [act(key), act("hang")] } : { text: "pro again" },
  );
  scriptedAnswers.set("con", () => conclude);
  const id = await newThread("panel");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await following.until(({ type }) => type === "tool_execution_end");
  await crash(id);
  await wake(id);
  const again = await follow(id, { after: "0" });
  await again.until(isEnd);
  again.close();
  return again.events;
}

describe("a turn or stop that a completed call requested", () => {
  it("If a tool call gives the turn to the other side, that side still has the turn after a crash", async () => {
    toolEffects.set("force", (state) => state.execution?.forceTurn("b"));
    const events = await crashAfter("force");
    isForced(events);
    // After the turn was given to the other side, only that side can give it back.
    expect(turnsIn(events)).toEqual([
      ["a", "forced"],
      ["b", "end_session_tool"],
    ]);
  });

  it("If a crash interrupts a later step, an earlier forced turn to the other side is not repeated", async () => {
    let hung = false;
    toolEffects.set("force", (state) => state.execution?.forceTurn("b"));
    toolEffects.set("hang", () => {
      hung = true;
      return new Promise(() => {});
    });
    let turns = 0;
    scriptedAnswers.set("pro", ({ messages }) => {
      if (messages.at(-1)?.role === "tool") return { text: "pro says" };
      turns += 1;
      return { toolCalls: [act(turns === 1 ? "force" : "hang")] };
    });
    scriptedAnswers.set("con", () => ({ text: "con says" }));
    const id = await newThread("panel", {});
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await waitFor(() => hung);
    await crash(id);
    scriptedAnswers.set("con", () => conclude);
    await wake(id);
    const again = await follow(id, { after: "0" });
    await again.until(isEnd);
    again.close();
    expect(turnsIn(again.events).slice(0, 3)).toEqual([
      ["a", "forced"],
      ["b", "response"],
      ["a", "response"],
    ]);
  });

  it("If a tool call requested a stop before a crash, the run ends as stopped after the crash", async () => {
    toolEffects.set("halt", (state) => state.execution?.stop());
    const events = await crashAfter("halt");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "stopped", reason: "stop_called" });
  });

  it("A turn that a call forces to the other side stays with that side, although the step with the call waits for two child threads", async () => {
    const [inner, outer] = [latch(), latch()];
    toolEffects.set("force", (state) => state.execution?.forceTurn("b"));
    scriptedAnswers.set("pro", ({ step }) =>
      step === 0 ? { toolCalls: [call("helper", { task: "help" }), nest("outer")] } : { text: "pro again" },
    );
    scriptedAnswers.set("helper", ({ step }) => {
      if (step === 0) return { toolCalls: [nest("inner")] };
      return step === 1 ? { toolCalls: [act("force")] } : { text: "helped" };
    });
    scriptedAnswers.set("nester", async ({ lastUser }) => {
      await (lastUser === "inner" ? inner : outer).passed;
      return { text: lastUser };
    });
    scriptedAnswers.set("con", () => conclude);
    const id = await newThread("panel");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    const starts = () => following.events.filter(({ type }) => type === "subagent_start");
    await following.until(() => starts().length === 3);
    await whenSuspended(id);
    inner.open();
    await following.until((event) => event.type === "message_end" && event.message.content === "helped");
    await whenSuspended(id);
    outer.open();
    await following.until(isEnd);
    isForced(following.events);
  });
});

describe("a definition that keeps its execution", () => {
  it.each(["stop", "forceTurn"] as const)(
    "If a tool calls %s of its execution after the run has ended, nothing changes",
    async (what) => {
      const late = latch();
      let done = false;
      toolEffects.set("keep", ({ execution }) => {
        void late.passed.then(() => {
          if (what === "stop") execution?.stop();
          else execution?.forceTurn("b");
          done = true;
        });
      });
      scriptedAnswers.set("boss", ({ step }) => (step === 0 ? { toolCalls: [act("keep")] } : { text: "done" }));
      const id = await newThread("boss");
      const following = await follow(id, { after: "0" });
      await value(stubOf(id).call("postMessage", admin, message("go"), null));
      await following.until(isEnd);
      const before = await lastRunOf(id);
      late.open();
      // A request lets the object run its turn.
      await stubOf(id).call("describe", admin);
      await waitFor(() => done);
      expect(before.status).toBe("completed");
      expect(await lastRunOf(id)).toEqual(before);
      await value(stubOf(id).call("postMessage", admin, message("more"), null));
      await following.until((event) => isEnd(event) && event.run_id !== before.id);
      following.close();
      expect(following.events.filter(isEnd)).toHaveLength(2);
    },
  );
});
