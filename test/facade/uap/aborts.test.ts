// Aborts of executions: hooks and middleware that wait, and the cause of the error.

import { describe, expect, it } from "vitest";

import type { Agent, AgentOptions, AgentStrategy, GenerateResult, Middleware } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";

import { add, gate, outline, rejection, tool } from "../support/scripted-llm.ts";
import { executions } from "./support/executions.ts";
import { memoryStore } from "./support/recording-store.ts";
import { recordedScript, scriptedAgent } from "./support/scripted-agent.ts";

type Way = (agent: Agent, signal?: AbortSignal) => Promise<GenerateResult>;

const ways: [string, Way][] = [
  ["generate", (agent, signal) => agent.generate("Add.", AgentState.initial(), { signal })],
  ["stream", (agent, signal) => agent.stream("Add.", AgentState.initial(), { signal }).result],
];

const timedOut = () => new DOMException("The program stops it.", "TimeoutError");

describe.each(ways)("%s", (_way, execute) => {
  describe.each(executions)("$name", ({ execution, answers, hooks: expectedHooks, isCustom = false }) => {
    const made = (more: AgentOptions) =>
      scriptedAgent(recordedScript(answers).script, { tools: [add], execution: execution(), ...more });

    /** Aborts while a function waits for ever, and returns the error of the execution. */
    async function abortedIn(more: (waits: () => Promise<never>) => AgentOptions): Promise<unknown> {
      const begun = gate();
      const aborted = new AbortController();
      const waits = async () => {
        begun.open();
        return new Promise<never>(() => {});
      };
      const running = execute(made(more(waits)), aborted.signal);
      await begun.passed;
      aborted.abort(timedOut());
      return rejection(running);
    }

    const hookNames: (keyof AgentStrategy)[] = ["onStepStart", "onStepEnd", "onComplete"];
    if (!isCustom) hookNames.push("onObserve", "stopCondition");
    if (expectedHooks.some((line) => line.endsWith("reasoning"))) hookNames.push("onReason");

    it.each(hookNames)(
      "An abort ends an execution that waits for %s, and the error has the reason of the abort as its cause",
      async (name) => {
        const error = await abortedIn((waits) => ({ strategy: { [name]: waits } }));
        expect(error).toMatchObject({ code: "CANCELLED", cause: { name: "TimeoutError" } });
      },
    );

    it.each(["before", "after"])("An abort ends an execution that waits for %s of a middleware", async (name) => {
      const error = await abortedIn((waits) => ({ middleware: [{ name: "asks", [name]: waits }] }));
      expect(error).toMatchObject({ code: "CANCELLED", cause: { name: "TimeoutError" } });
    });

    it("The error of an abort during a tool has the reason of the signal as its cause", async () => {
      const begun = gate();
      const aborted = new AbortController();
      const waits = tool("add", () => {
        begun.open();
        return new Promise(() => {});
      });
      const running = execute(made({ tools: [waits] }), aborted.signal);
      await begun.passed;
      aborted.abort(timedOut());
      expect(await rejection(running)).toMatchObject({ code: "CANCELLED", cause: { name: "TimeoutError" } });
    });
  });

  it("An aborted execution waits for onError of its hooks and of its middleware", async () => {
    const stored: string[] = [];
    const stores = (name: string) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      stored.push(name);
    };
    const middleware: Middleware[] = [{ name: "stores", onError: stores("middleware") }];
    const agent = scriptedAgent([], { strategy: { onError: stores("hooks") }, middleware });
    await rejection(execute(agent, AbortSignal.abort()));
    expect(stored).toEqual(["hooks", "middleware"]);
  });

  it("An abort ends an execution that waits for onError after another failure", async () => {
    const begun = gate();
    const aborted = new AbortController();
    const onError = async () => {
      begun.open();
      return new Promise<undefined>(() => {});
    };
    const agent = scriptedAgent([{ error: { status: 429, message: "Too many." } }], { strategy: { onError } });
    const running = execute(agent, aborted.signal);
    await begun.passed;
    aborted.abort();
    expect(await rejection(running)).toMatchObject({ code: "CANCELLED" });
  });
});

describe.each(executions.filter(({ isCustom = false }) => !isCustom))("steps of $name", (given) => {
  const { execution, answers, hooks: expectedHooks } = given;
  const made = (more: AgentOptions) =>
    scriptedAgent(recordedScript(answers).script, { tools: [add], execution: execution(), ...more });

  it.each([
    [
      "throws",
      () => {
        throw new Error("Not now.");
      },
    ],
    ["rejects", async () => Promise.reject(new Error("Not now."))],
  ])(
    "If onAct %s, the error's partial state has a result for each call, and no further request is sent",
    async (_name, onAct) => {
      const { script, requests } = recordedScript(answers);
      const agent = scriptedAgent(script, { tools: [add], execution: execution(), strategy: { onAct } });
      const error = await rejection(agent.generate("Add.", AgentState.initial()));
      expect(error).toMatchObject({ message: "Not now." });
      const messages = outline(partialState(error)?.messages ?? []);
      expect(messages.at(-2)).toContain("[add");
      expect(messages.at(-1)).toMatch(/^results: /);
      expect(requests).toHaveLength(answers.findIndex((answer) => "toolCalls" in answer) + 1);
    },
  );

  it("If onAct throws, no call runs and no function of the tool strategy is called", async () => {
    const called: string[] = [];
    const onAct = () => {
      throw new Error("Not now.");
    };
    const agent = made({
      tools: [tool("add", () => called.push("run"))],
      toolStrategy: { onToolCall: () => void called.push("onToolCall") },
      strategy: { onAct },
    });
    await rejection(agent.generate("Add.", AgentState.initial()));
    expect(called).toEqual([]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("Stop.");
      },
    ],
    ["rejects", async () => Promise.reject(new Error("Stop."))],
  ])("A step is saved as a checkpoint although its onStepEnd %s", async (_name, onStepEnd) => {
    const { saved, store } = memoryStore();
    await rejection(made({ checkpoints: store, strategy: { onStepEnd } }).query("Add."));
    expect(saved.map(({ state }) => state.step)).toEqual([1]);
  });

  it("A step is saved as a checkpoint while onStepEnd still waits", async () => {
    const { saved, store } = memoryStore();
    const received: number[] = [];
    const onStepEnd = async () => {
      await Promise.resolve();
      received.push(saved.length);
    };
    await made({ checkpoints: store, strategy: { onStepEnd } }).query("Add.");
    expect(received).toEqual(saved.map((_item, at) => at + 1));
  });

  it.each([1, "yes", {}])("A stop condition that returns the truthy value %j ends the execution", async (value) => {
    const stopCondition = () => value as boolean;
    const { state } = await made({ strategy: { stopCondition } }).generate("Add.", AgentState.initial());
    expect(state.step).toBe(1);
  });

  it.each([0, "", null, undefined])(
    "A stop condition that returns the falsy value %j does not end the execution",
    async (value) => {
      const stopCondition = () => value as unknown as boolean;
      const { state } = await made({ strategy: { stopCondition } }).generate("Add.", AgentState.initial());
      expect(state.step).toBe(Number.parseInt(expectedHooks.at(-1) ?? "", 10));
    },
  );
});
