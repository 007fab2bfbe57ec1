// What a loop does with a function of a program that does not end: a cancelled loop does not wait for it, and no message that waits for a
// filter reaches the model. Where a function has to be synchronous, its promise is refused.

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { BasicAgent, CancellationToken, createTool, ModelConfig, textResult, userMessage } from "#facade/phi/index.ts";
import type { AgentEvent, AgentLoopConfig, AgentMessage } from "#facade/phi/index.ts";
import { agentLoopParallel } from "#facade/phi/parallel/agent-loop-parallel.ts";
import { PickFirstEvaluation } from "#facade/phi/parallel/evaluations.ts";
import { exploreBranches } from "#facade/phi/parallel/explore-branches.ts";
import { isWronglyAsync, waitFor } from "#facade/phi/program-functions.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { SubAgentTool } from "#facade/phi/sub-agent/sub-agent-tool.ts";

import { scripted } from "./support/parallel-play.ts";
import { play, textsOf } from "./support/play.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const model = ModelConfig.anthropic("mock-model", "Mock", "key");
const answers = [{ text: "Hi.", tool_calls: [{ name: "work", arguments: {} }] }, { text: "Done." }];
const work = createTool({
  name: "work",
  description: "",
  parameters: { type: "object" },
  execute(_params, { on_update }) {
    on_update(textResult("half"));
    return "done";
  },
});

/** The lines that are logged until the test ends. */
function logged(level: "warn" | "error"): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe("the wait for a promise", () => {
  it("A wait leaves no listener on its signal", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_type: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_type: string, listener: unknown) => void listeners.delete(listener);
    let settle = (): void => undefined;
    const waited = waitFor(new Promise<void>((resolve) => (settle = resolve)), signal);
    expect(listeners.size).toBe(1);
    settle();
    await waited;
    expect(listeners.size).toBe(0);
    const failed = waitFor(Promise.reject(new Error("failed")), signal);
    await expect(failed).rejects.toThrow("failed");
    expect(listeners.size).toBe(0);
  });

  it("After an abort the value of a promise that has settled counts, and the wait for another one ends", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    expect(await waitFor(Promise.resolve("settled"), signal)).toBe("settled");
    expect(waitFor("a value", signal)).toBe("a value");
    await expect(waitFor(never(), signal)).rejects.toThrow("stopped");
  });

  it("An error of a function that the loop no longer waits for is logged, unless it is the reason of the abort", async () => {
    const lines = logged("warn");
    for (const late of [new Error("late"), null]) {
      const controller = new AbortController();
      let fail = (_error: unknown): void => undefined;
      const waited = waitFor(new Promise((_resolve, reject) => (fail = reject)), controller.signal);
      controller.abort();
      await expect(waited).rejects.toBe(controller.signal.reason);
      fail(late ?? controller.signal.reason);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "warning", event: "loop_function_failed", error: "late" },
    ]);
  });
});

describe("a loop that is cancelled", () => {
  it("A cancelled loop calls the functions that follow, and waits for none of them", async () => {
    const called: string[] = [];
    const cancel = new CancellationToken();
    const later = (name: string) => () => {
      called.push(name);
      return never();
    };
    const { order } = await play({
      answers,
      tools: [work],
      cancel,
      config: { afterTurn: later("afterTurn"), afterLoop: later("afterLoop"), onError: later("onError") },
      onEvent: ({ type }) => type === "MessageUpdate" && cancel.cancel(),
    });
    expect(order.slice(-2)).toEqual(["TurnEnd", "AgentEnd"]);
    expect(called).toEqual(["afterTurn", "afterLoop"]);
  });

  it.each(["beforeLoop", "an input filter"])(
    "A loop that is cancelled in %s before its start emits AgentEnd alone, and adds no prompt to the context",
    async (at) => {
      const cancel = new CancellationToken();
      const hangs = (): Promise<never> => {
        cancel.cancel();
        return never();
      };
      const config: Partial<AgentLoopConfig> =
        at === "beforeLoop" ? { beforeLoop: hangs } : { inputFilters: [{ filter: hangs }] };
      const { order, returned, context, provider } = await play({ answers, cancel, config });
      expect(order).toEqual(["AgentEnd"]);
      expect([returned, context.messages, provider.requests]).toEqual([[], [], []]);
    },
  );

  it("A message that steers and whose filter has not answered when the loop is cancelled is rejected, and no model reads it", async () => {
    const cancel = new CancellationToken();
    const waiting: AgentMessage[] = [];
    const filter = {
      filter(text: string) {
        if (text === "Hello.") return "Pass" as const;
        cancel.cancel();
        return never();
      },
    };
    const { returned, events } = await play({
      answers,
      tools: [createTool({ ...steering(waiting) })],
      cancel,
      config: { inputFilters: [filter], getSteeringMessages: () => waiting.splice(0) },
    });
    expect(textsOf(returned).filter((text) => text.startsWith("user"))).toEqual(["user: Hello."]);
    expect(events.filter(({ type }) => type === "InputRejected")).toHaveLength(2);
  });

  it("Messages that wait for a filter that throws are rejected, and the error ends the loop", async () => {
    const waiting: AgentMessage[] = [];
    const filter = {
      filter(text: string) {
        if (text === "Hello.") return "Pass" as const;
        throw new Error("no dictionary");
      },
    };
    const { returned, events } = await play({
      answers,
      tools: [createTool({ ...steering(waiting) })],
      config: { inputFilters: [filter], getSteeringMessages: () => waiting.splice(0) },
    });
    expect(events.filter(({ type }) => type === "InputRejected")).toMatchObject([
      { reason: "no dictionary" },
      { reason: "no dictionary" },
    ]);
    expect(returned.at(-1)).toMatchObject({ stop_reason: "error", error_message: "no dictionary" });
  });

  it("A cancelled agent leaves messages that steer in their queue, and its next loop takes them", async () => {
    const provider = new MockProvider([answers[0] ?? "", "Done."], { strict: true });
    const agent = new BasicAgent(model).withProviderOverride(provider).withToolExecution("Sequential");
    const cancels = (): string => {
      agent.steer("And Paris?");
      agent.abort();
      return "done";
    };
    agent.withTools([createTool({ name: "work", description: "", parameters: { type: "object" }, execute: cancels })]);
    await agent.prompt("Go.").done;
    expect(agent.steeringQueue).toHaveLength(1);
    await agent.prompt("Continue.").done;
    expect(agent.steeringQueue).toEqual([]);
    expect(textsOf(provider.requests[1]?.messages ?? []).slice(-2)).toEqual(["user: Continue.", "user: And Paris?"]);
  });

  it("With abortAtLimit a function that never ends holds a loop no longer than its limit", async () => {
    const { returned, provider } = await play({
      answers,
      config: {
        transformContext: never,
        executionLimits: { max_duration: { secs: 0, nanos: 50_000_000 } },
        abortAtLimit: true,
      },
    });
    expect(provider.requests).toEqual([]);
    expect(textsOf(returned).at(-1)).toBe("user: [Agent stopped: max duration exceeded]");
  });

  it("A loop that ends at a limit or at an error waits for the functions that follow", async () => {
    const ended: string[] = [];
    const slow = (name: string) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(name);
    };
    await play({
      answers,
      tools: [work],
      config: {
        beforeToolExecution: () => Promise.reject(new Error("no permission")),
        afterTurn: slow("afterTurn"),
        onError: slow("onError"),
        afterLoop: slow("afterLoop"),
      },
      onEvent: ({ type }) => type === "AgentEnd" && ended.push(type),
    });
    expect(ended).toEqual(["afterTurn", "onError", "AgentEnd", "afterLoop"]);
  });
});

describe("functions that have to be synchronous", () => {
  it.each(["beforeToolExecutionUpdate", "afterToolExecutionUpdate"])(
    "A promise of %s ends the loop with an error that names it",
    async (name) => {
      const { returned } = await play({ answers, tools: [work], config: { [name]: () => Promise.resolve(true) } });
      expect(returned.at(-1)).toMatchObject({
        error_message: `The option \`${name}\` returned a promise. It has to be synchronous.`,
      });
    },
  );

  it("A value that is no promise is not taken for one", () => {
    expect([null, undefined, 12n, "text", {}, [], new Date(0)].map(isWronglyAsync)).not.toContain(true);
    expect(isWronglyAsync(Promise.resolve())).toBe(true);
  });

  it("An agent refuses a provider whose id is no text, also in a branch", () => {
    const provider = { providerId: () => Promise.reject(new Error("no id")) as never, stream: never };
    const agent = new BasicAgent(model).withProviderOverride(provider);
    expect(() => agent.prompt("Go.")).toThrow("has to return a short name without spaces");
    const configured = new BasicAgent(model);
    configured.messages = [userMessage("?")];
    const configure = (): Promise<never> => Promise.reject(new Error("no branch"));
    expect(() => exploreBranches(configured, [{ configure }])).toThrow("configure returned a promise");
  });

  it("A promise of the sender that rejects cancels the loop, which rejects with its error", async () => {
    const received: string[] = [];
    const send = ({ type }: AgentEvent): unknown => {
      received.push(type);
      return type === "TurnStart" ? Promise.reject(new Error("closed")) : undefined;
    };
    const agent = new BasicAgent(model).withProviderOverride(new MockProvider(["Hi."]));
    await expect(agent.promptWithSender("Go.", { send: send as never })).rejects.toThrow("closed");
    expect(received).not.toContain("TurnEnd");
    const listener = (event: AgentEvent): unknown =>
      event.type === "TurnStart" ? Promise.reject(new Error("no listener")) : undefined;
    const { returned } = await play({
      answers: [{ tool_calls: [{ name: "helper", arguments: { task: "Find a city." } }] }, { text: "Done." }],
      tools: [
        new SubAgentTool("helper", model)
          .withProviderOverride(new MockProvider(["Lisbon."]))
          .onEvent(listener as never),
      ],
    });
    expect(textsOf(returned).join("\n")).toContain("no listener");
  });

  it.each(["throws", "rejects"])(
    "A sender that %s cancels all branches of a parallel call, which rejects with its error",
    async (how) => {
      const configs = [
        scripted([{ text: "One.", ends_after: never() }]),
        scripted([{ text: "Two.", ends_after: never() }]),
      ];
      const send = ({ type }: AgentEvent): unknown => {
        if (type !== "MessageUpdate") return undefined;
        if (how === "rejects") return Promise.reject(new Error("closed"));
        throw new Error("closed");
      };
      const context = { system_prompt: "", messages: [], tools: [] };
      const call = agentLoopParallel([userMessage("?")], context, configs, new PickFirstEvaluation(), {
        send: send as never,
      });
      await expect(call).rejects.toThrow("closed");
    },
  );

  it("A promise of the sender that rejects after the end of the loop is logged", async () => {
    const lines = logged("error");
    let fail = (_error: Error): void => undefined;
    const sent = new Promise((_resolve, reject) => (fail = reject));
    const agent = new BasicAgent(model).withProviderOverride(new MockProvider(["Hi."]));
    await agent.promptWithSender("Go.", {
      send: (({ type }: AgentEvent) => (type === "AgentEnd" ? sent : 0)) as never,
    });
    fail(new Error("closed"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "error", event: "loop_sender_failed", error: "closed" },
    ]);
  });
});

/** A tool that adds two messages to a queue. */
function steering(waiting: AgentMessage[]): Parameters<typeof createTool>[0] {
  const execute = (): string => (waiting.push(userMessage("one"), userMessage("two")), "done");
  return { name: "work", description: "", parameters: { type: "object" }, execute };
}
