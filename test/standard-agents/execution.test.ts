// Standard Agents, threads: what a definition sees of the run in which it is called, and how it controls the run.

import { defineHook, defineTool } from "@standardagents/spec";
import type { AgentDefinition, ExecutionState, ThreadState } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { admin, follow, message, stubOf, value } from "../thread/thread-driver.ts";
import { crossing } from "../worker/crossing.ts";
import { anotherPrompt, answers, calling, start } from "./project.ts";
import type { Changes } from "./project.ts";

/** The value of `read` each time the model's tool `look` is called, once for each of its first `calls` answers. */
async function looking<T>(read: (execution: ExecutionState) => T, calls = 1, changes: Changes = {}) {
  const received: T[] = [];
  const look = defineTool("Looks", async ({ execution }: ThreadState) => {
    if (execution !== null) received.push(read(execution));
    return { status: "success", result: "looked" };
  });
  const turns = Array.from({ length: calls }, () => calling("look"));
  const { project, thread } = await start({ tools: { look }, script: answers(...turns), ...changes });
  const events = await thread.say("Go");
  return { received, project, thread, events };
}

/** Two sides; the first makes a tool call and then sends text, so that its turn has two steps. */
async function lookingFromTwoSides<T>(read: (execution: ExecutionState) => T) {
  const agent: Partial<AgentDefinition> = { type: "dual_ai", maxSessionTurns: 2 };
  const sides = { sideA: { prompt: "pro" }, sideB: { prompt: "con" } };
  return looking(read, 1, {
    agent: { ...agent, ...sides },
    prompts: ["pro", "con"].map((name) => anotherPrompt(name, { tools: ["look"] })),
    script: answers(calling("look"), { text: "words of a" }, calling("look"), { text: "words of b" }),
  });
}

describe("execution", () => {
  it("SARUN1 The execution is available to tools and hooks of a run", async () => {
    const inHooks: boolean[] = [];
    const hook = defineHook("prefilter_llm_history", async ({ execution }, messages) => {
      inHooks.push(execution !== null);
      return messages;
    });
    const { received } = await looking(() => true, 1, { hooks: [hook] });
    expect([received, inHooks]).toEqual([[true], [true, true]]);
  });

  it("SARUN2 The execution is null in an idle thread, as in an endpoint", async () => {
    const { thread } = await start();
    expect(await thread.atRest((state) => state.execution)).toBeNull();
  });

  it("SARUN3 ExecutionState.flowId is the run's id, and different for each run", async () => {
    const { thread } = await start();
    const ids: unknown[] = [];
    for (const _ of [1, 2]) {
      ids.push(await thread.inRun((state) => state.execution?.flowId));
      expect((await thread.run()).id).toBe(ids.at(-1));
    }
    expect(new Set(ids).size).toBe(2);
  });

  it("SARUN4 ExecutionState.currentSide is the side that is active", async () => {
    expect((await looking((execution) => execution.currentSide)).received).toEqual(["a"]);
    expect((await lookingFromTwoSides((execution) => execution.currentSide)).received).toEqual(["a", "b"]);
  });

  it("SARUN5 ExecutionState.stepCount counts the steps of the run", async () => {
    expect((await looking((execution) => execution.stepCount, 3)).received).toEqual([1, 2, 3]);
  });

  it("SARUN6 ExecutionState.sideAStepCount counts the steps of the first side", async () => {
    expect((await looking((execution) => execution.sideAStepCount, 2)).received).toEqual([1, 2]);
    expect((await lookingFromTwoSides((execution) => execution.sideAStepCount)).received).toEqual([1, 2]);
  });

  it("SARUN7 ExecutionState.sideBStepCount counts the steps of the second side", async () => {
    expect((await looking((execution) => execution.sideBStepCount, 2)).received).toEqual([0, 0]);
    expect((await lookingFromTwoSides((execution) => execution.sideBStepCount)).received).toEqual([0, 1]);
  });

  it("SARUN8 ExecutionState.stopped is true after a stop was requested", async () => {
    const { received } = await looking((execution) => {
      const before = execution.stopped;
      execution.stop();
      return [before, execution.stopped];
    });
    expect(received).toEqual([[false, true]]);
  });

  it("SARUN9 ExecutionState.stoppedBy is the side that requested the stop, and is missing before", async () => {
    const stop = (execution: ExecutionState) => {
      const before = "stoppedBy" in execution;
      execution.stop();
      return [before, execution.stoppedBy];
    };
    expect((await looking(stop)).received).toEqual([[false, "a"]]);
    const { received } = await lookingFromTwoSides((execution) =>
      execution.currentSide === "b" ? stop(execution) : "not yet",
    );
    expect(received).toEqual(["not yet", [false, "b"]]);
  });

  it("SARUN10 messageHistory holds the run's messages so far, without a call in progress", async () => {
    const { received } = await looking((execution) => execution.messageHistory.map(({ role }) => role), 2);
    expect(received[0]).toEqual(["user", "assistant"]);
    expect(received[1]).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it.for([
    ["none of them without includeChat", {}, []],
    ["their text with includeChat", { includeChat: true }, ["user", "assistant"]],
    [
      "all of them with includePastTools",
      { includeChat: true, includePastTools: true },
      ["user", "assistant", "tool", "assistant"],
    ],
  ] as const)(
    "SARUN10 messageHistory holds the messages of earlier runs that the prompt includes, and none of sub-prompts: %s",
    async ([, prompt, earlier]) => {
      const histories: (string | null)[][] = [];
      const look = defineTool("Looks", async ({ execution }: ThreadState) => {
        histories.push((execution?.messageHistory ?? []).map(({ role }) => role));
        return { status: "success", result: "looked" };
      });
      const inner = anotherPrompt("inner");
      const { thread } = await start({
        tools: { look },
        prompts: [inner],
        prompt: { ...prompt, tools: ["look", "inner"] },
        script: ({ system, lastUser, step }) => {
          if (system !== "You are a test.") return { text: "inside" };
          if (lastUser === "first") return step === 0 ? calling("look") : { text: "said" };
          return [calling("inner", { task: "inside" }), calling("look")][step] ?? { text: "done" };
        },
      });
      await thread.say("first");
      await thread.say("second");
      expect(histories).toEqual([
        ["user", "assistant"],
        [...earlier, "user", "assistant", "tool", "assistant"],
      ]);
    },
  );

  it("SARUN11 ExecutionState.forceTurn gives the next turn to a side", async () => {
    const speakers = async (side: "a" | "b") => {
      const { project } = await lookingFromTwoSides((execution) => execution.forceTurn(side));
      return project.requests.map(({ system }) => system);
    };
    // The first side calls the tool in the middle of its turn.
    expect((await speakers("b")).slice(0, 2)).toEqual(["You are pro.", "You are con."]);
    expect((await speakers("a")).slice(0, 2)).toEqual(["You are pro.", "You are pro."]);
  });

  it("SARUN12 ExecutionState.forceTurn has no effect for an agent with one side", async () => {
    const { thread, events } = await looking((execution) => execution.forceTurn("b"));
    expect(events.flatMap((event) => (event.type === "turn_end" ? [event.side] : []))).toEqual(["a"]);
    expect(await thread.run()).toMatchObject({ status: "completed", text: "done" });
  });

  it("SARUN13 A call of stop ends the run after the current step is done", async () => {
    const { project, thread } = await looking((execution) => execution.stop(), 3);
    expect(await thread.run()).toMatchObject({ status: "stopped", steps: 1 });
    expect(await thread.result()).toMatchObject({ result: "looked" });
    expect(project.requests).toHaveLength(1);
  });

  it("SARUN14 ExecutionState.abortSignal fires when the run is cancelled", async () => {
    const { promise: waiting, resolve: reached } = crossing();
    const received: boolean[] = [];
    const wait = defineTool("Waits", async ({ execution }: ThreadState) => {
      received.push(execution?.abortSignal.aborted ?? true);
      await new Promise<void>((resolve) => {
        execution?.abortSignal.addEventListener("abort", () => resolve());
        reached();
      });
      received.push(execution?.abortSignal.aborted ?? false);
      return { status: "success" };
    });
    const { thread } = await start({ tools: { wait }, script: answers(calling("wait")) });
    const { run, after } = await value(stubOf(thread.id).call("postMessage", admin, message("Go"), null));
    await waiting;
    await value(stubOf(thread.id).call("stop", admin, null));
    const following = await follow(thread.id, { after: String(after), run_id: run?.id ?? "" });
    await following.closed;
    expect(received).toEqual([false, true]);
    expect((await thread.run()).status).toBe("stopped");
  });
});
