// The suite of executions: {generate, stream} × {loop, react, plan, a strategy of the program} × {middleware, hooks, checkpoints, abort,
// error}, over the scripted provider and the real loop.

import { afterEach, describe, expect, it, vi } from "vitest";

import type { Agent, AgentOptions, GenerateResult, Middleware } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

import { add, call, gate, outline, rejection, tool } from "../support/scripted-llm.ts";
import { executions, recordingHooks } from "./support/executions.ts";
import { memoryStore } from "./support/recording-store.ts";
import { eventsOf, recordedScript, scriptedAgent, stepsOf } from "./support/scripted-agent.ts";

/** How an agent is executed. */
type Way = (agent: Agent, state: AgentState, options?: { signal: AbortSignal }) => Promise<GenerateResult>;

const ways: [string, Way][] = [
  ["generate", (agent, state, options) => agent.generate("Add.", state, options)],
  [
    "stream",
    async (agent, state, options) => {
      const stream = agent.stream("Add.", state, options);
      await eventsOf(stream);
      return stream.result;
    },
  ],
];

/** The messages with "…" for the texts of instructions, which strategies add. */
function outlineOf(messages: readonly AnyMessage[]): string[] {
  return outline(messages).map((line, at) =>
    messages[at]?.type === "user" && messages[at].metadata?.["uap"] !== undefined ? "user: …" : line,
  );
}

const planOf = ({ plan }: AgentState) => plan?.map(({ id, status }) => `${id} ${status}`);

/** The contents of a state that two executions have in common. */
function contentOf(state: AgentState): unknown {
  const { messages, step, reasoning, metadata } = state;
  return { messages: outline(messages), step, reasoning, metadata, plan: state.plan };
}

/** A tool that waits for its signal, and the promise that it has begun. */
function hangingTool() {
  const begun = gate();
  const hangs = tool("add", (_params, { signal }) => {
    begun.open();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("Aborted."))));
  });
  return { begun: begun.passed, hangs };
}

afterEach(() => vi.restoreAllMocks());

describe.each(ways)("%s", (wayName, way) => {
  describe.each(executions)("$name", ({ execution, answers, messages, hooks: expectedHooks, ...expected }) => {
    const { reasoning, plan, isCustom = false } = expected;
    const made = (more: AgentOptions = {}, script = answers) =>
      scriptedAgent(recordedScript(script).script, { tools: [add], execution: execution(), ...more });
    const lastStep = Number.parseInt(expectedHooks.at(-1) ?? "", 10);

    it("The returned state has the history, every message of the execution, the step, the reasoning and the plan", async () => {
      const history = (await scriptedAgent([{ text: "Hello." }]).ask("Hello?", AgentState.initial())).state;
      const { turn, state } = await way(made(), history);
      expect(outlineOf(turn.messages)).toEqual(messages);
      expect(state.messages).toEqual([...history.messages, ...turn.messages]);
      expect(state.messages[0]).toBe(history.messages[0]);
      expect(turn.response).toBe(turn.messages.at(-1));
      expect(turn.toolExecutions).toMatchObject([{ toolName: "add", result: 3 }]);
      expect(state.step).toBe(lastStep);
      expect(state.reasoning).toEqual(reasoning);
      expect(planOf(state)).toEqual(plan);
      expect(history.messages.length).toBe(2);
    });

    it("The hooks of each step are called in order, and onComplete is called last", async () => {
      const { trace, hooks } = recordingHooks();
      await way(made({ strategy: hooks }), AgentState.initial());
      expect(trace).toEqual([...expectedHooks, "complete"]);
    });

    it("A stop condition that returns true after a step ends a built-in strategy, and a custom strategy does not call it", async () => {
      const requested: number[] = [];
      const { trace, hooks } = recordingHooks();
      const stopCondition = async (state: AgentState) => {
        requested.push(state.step);
        return Promise.resolve(true);
      };
      const { state } = await way(made({ strategy: { ...hooks, stopCondition } }), AgentState.initial());
      expect(requested).toEqual(isCustom ? [] : [1]);
      const first = expectedHooks.filter((line) => line.startsWith("1 "));
      expect(trace).toEqual([...(isCustom ? expectedHooks : first), "complete"]);
      expect(state.step).toBe(1);
    });

    it("The stop condition of a built-in strategy is called after each step with the state of that step, and a custom strategy does not call it", async () => {
      const called: [step: number, messages: string[]][] = [];
      const ended: typeof called = [];
      const stopCondition = (state: AgentState) => {
        called.push([state.step, outlineOf(state.messages)]);
        return false;
      };
      const onStepEnd = (step: number, { state }: GenerateResult) => {
        ended.push([step, outlineOf(state.messages)]);
      };
      await way(made({ strategy: { stopCondition, onStepEnd } }), AgentState.initial());
      if (!isCustom) expect(ended.length).toBeGreaterThan(1);
      expect(called).toEqual(isCustom ? [] : ended);
    });

    it("The turn of a step has the messages of this step, and its state has those of all steps so far", async () => {
      const ended: { turn: string[]; state: string[] }[] = [];
      const onStepEnd = (_step: number, { turn, state }: GenerateResult) => {
        ended.push({ turn: outlineOf(turn.messages), state: outlineOf(state.messages) });
      };
      await way(made({ strategy: { onStepEnd } }), AgentState.initial());
      expect(ended.flatMap(({ turn }) => turn)).toEqual(messages);
      expect(ended.at(-1)?.state).toEqual(messages);
      for (const [at, { state }] of ended.entries()) {
        expect(state).toEqual(ended.slice(0, at + 1).flatMap(({ turn }) => turn));
      }
    });

    it("An exception of a hook ends the execution, and is thrown unchanged after onError", async () => {
      for (const name of new Set(expectedHooks.map((line) => line.slice(2)))) {
        const { trace, hooks } = recordingHooks();
        const thrown = new Error(`The hook ${name} failed.`);
        const fail = () => {
          throw thrown;
        };
        const failing = {
          step_start: { onStepStart: fail },
          reasoning: { onReason: fail },
          action: { onAct: fail },
          observation: { onObserve: fail },
          step_end: { onStepEnd: fail },
        }[name];
        expect(await rejection(way(made({ strategy: { ...hooks, ...failing } }), AgentState.initial()))).toBe(thrown);
        expect(trace.at(-1)).toBe(`error ${thrown.message}`);
        expect(trace).not.toContain("complete");
      }
    });

    it("Middleware is called before and after the execution, and may change its state and its result", async () => {
      const trace: string[] = [];
      const { trace: hookTrace, hooks } = recordingHooks();
      const middleware = (name: string): Middleware => ({
        name,
        before: (context) => {
          trace.push(`${name} before ${hookTrace.length}`);
          context.metadata["names"] = [...((context.metadata["names"] as string[] | undefined) ?? []), name];
          return { ...context, state: context.state.withMetadata(name, "before") };
        },
        after: ({ metadata }, result) => {
          trace.push(`${name} after ${(metadata["names"] as string[]).join()} ${hookTrace.at(-1) ?? ""}`);
          return { ...result, state: result.state.withMetadata(name, "after") };
        },
      });
      const agent = made({ middleware: [middleware("first"), middleware("second")], strategy: hooks });
      const { state } = await way(agent, AgentState.initial());
      expect(trace).toEqual([
        "first before 0",
        "second before 0",
        "second after first,second complete",
        "first after first,second complete",
      ]);
      expect(state.metadata).toEqual({ first: "after", second: "after" });
      expect(outlineOf(state.messages)).toEqual(messages);
    });

    it("onError of a middleware can return a result in place of the error", async () => {
      const state = AgentState.initial().withMetadata("replaced", true);
      const received: string[] = [];
      const middleware: Middleware[] = [
        { name: "outer", onError: (_context, error) => void received.push(`outer ${error.message}`) },
        {
          name: "inner",
          onError: async (context, error) => {
            received.push(`inner ${error.message}`);
            const { turn } = await scriptedAgent([{ text: "Replaced." }]).generate("Why?", context.state);
            return { turn, state };
          },
        },
      ];
      const agent = made({ middleware }, [{ error: { status: 401, message: "No." } }]);
      const result = await way(agent, AgentState.initial());
      expect(result.turn.response.text).toBe("Replaced.");
      expect(result.state).toBe(state);
      expect(received).toEqual([expect.stringContaining("inner")]);
    });

    it("A checkpoint is saved after each step, with the ids of the session and the agent in the metadata of the state", async () => {
      const { saved, store } = memoryStore();
      const agent = made({ checkpoints: store });
      const { state } = await way(agent, AgentState.initial());
      const { sessionId, agentId } = state.metadata;
      expect(sessionId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
      expect(agentId).toBe(agent.id);
      expect(saved.map((item) => item.state.step)).toEqual(
        expectedHooks.filter((line) => line.endsWith("step_end")).map((line) => Number.parseInt(line, 10)),
      );
      for (const item of saved) {
        expect(item.sessionId).toBe(sessionId);
        expect(item.state.metadata).toEqual({ sessionId, agentId: agent.id });
      }
      const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(await store.load(String(sessionId)))));
      expect(contentOf(restored)).toEqual(contentOf(state));
    });

    it("If a save throws or rejects, this is logged, and neither a failing save nor one that never resolves changes the execution", async () => {
      const logged = vi.spyOn(console, "error").mockImplementation(() => {});
      const saves = [
        () => {
          throw new Error("The disk is full.");
        },
        () => Promise.reject(new Error("The disk is full.")),
        () => new Promise<void>(() => {}),
      ];
      for (const save of saves) {
        const { store } = memoryStore();
        const { state } = await way(made({ checkpoints: { ...store, save } }), AgentState.initial());
        expect(outlineOf(state.messages)).toEqual(messages);
      }
      const ended = expectedHooks.filter((line) => line.endsWith("step_end")).length;
      expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toEqual(
        Array.from({ length: 2 * ended }, () =>
          expect.objectContaining({
            event: "checkpoint_not_saved",
            cause: expect.stringContaining("The disk is full."),
          }),
        ),
      );
    });

    it("An abort aborts the running tool, and the execution calls onError and then throws CANCELLED with the state so far", async () => {
      const { begun, hangs } = hangingTool();
      const { trace, hooks } = recordingHooks();
      const aborted = new AbortController();
      const agent = made({ tools: [hangs], strategy: hooks });
      const running = way(agent, AgentState.initial(), { signal: aborted.signal });
      await begun;
      aborted.abort();
      const error = await rejection(running);
      expect(error).toMatchObject({ name: "UPPError", code: "CANCELLED" });
      expect(trace.at(-1)).toBe("error The request was aborted.");
      const state = partialState(error);
      const calling = messages.findIndex((line) => line.includes("[add"));
      // Of a strategy of the program, the agent knows the states that it passed to hooks.
      const known = isCustom ? [] : messages.slice(0, calling + 1);
      expect(outlineOf(state?.messages ?? []).slice(0, calling + 1)).toEqual(known);
      expect(state?.messages.at(-1)?.type).toBe(isCustom ? undefined : "tool_result");
      expect(state?.step).toBe(Number.parseInt(expectedHooks.find((line) => line.endsWith("action")) ?? "1", 10));
      const next = scriptedAgent(recordedScript([{ text: "Going on." }]).script, { tools: [add] });
      const continued = await next.generate("Continue.", state ?? AgentState.initial());
      expect(continued.turn.response.text).toBe("Going on.");
    });

    it("An aborted signal ends the execution before its first request", async () => {
      const { script, requests } = recordedScript(answers);
      const agent = scriptedAgent(script, { tools: [add], execution: execution(), signal: AbortSignal.abort() });
      expect(await rejection(way(agent, AgentState.initial()))).toMatchObject({ code: "CANCELLED" });
      expect(requests).toEqual([]);
    });

    it("If a request fails, the execution calls onError and then throws a UPPError with the state so far", async () => {
      for (const [at] of answers.entries()) {
        const { trace, hooks } = recordingHooks();
        const script = [...answers.slice(0, at), { error: { status: 429, message: "Too many." } }];
        const error = await rejection(way(made({ strategy: hooks }, script), AgentState.initial()));
        expect(error).toMatchObject({ name: "UPPError", code: "RATE_LIMITED", statusCode: 429 });
        expect(trace.filter((line) => line.startsWith("error"))).toHaveLength(1);
        expect(trace.at(-1)).toMatch(/^error/);
        const known = outlineOf(partialState(error)?.messages ?? []);
        expect(messages.slice(0, known.length)).toEqual(known);
      }
    });

    it("If onError returns a result, this result is the result of the execution", async () => {
      const replacement = await scriptedAgent([{ text: "Sorry." }]).generate("Why?", AgentState.initial());
      const onError = () => Promise.resolve(replacement);
      const agent = made({ strategy: { onError } }, [{ error: { status: 500, message: "Down." } }]);
      expect(await way(agent, AgentState.initial())).toBe(replacement);
    });

    if (wayName === "stream") {
      it("A stream has one event for each hook of a step, in order, and the events of the requests between them", async () => {
        const { trace, hooks } = recordingHooks();
        const agent = made({ strategy: hooks });
        const stream = agent.stream("Add.", AgentState.initial());
        const events = await eventsOf(stream);
        expect(stepsOf(events)).toEqual(expectedHooks);
        expect(trace).toEqual([...expectedHooks, "complete"]);
        const sources = events.map((event) => (event.source === "uap" ? event.uap.type : event.upp.type));
        expect(sources[0]).toBe("step_start");
        expect(sources.at(-1)).toBe("step_end");
        const starts = sources.filter((type) => type === "message_start");
        expect(starts).toHaveLength(answers.length);
        for (const event of events) if (event.source === "uap") expect(event.uap.agentId).toBe(agent.id);
        expect(sources.filter((type) => type === "tool_execution_end")).toHaveLength(1);
      });

      it("The state of a stream is equal to that of generate, except for its ids", async () => {
        const generated = await made().generate("Add.", AgentState.initial());
        const streamed = await way(made(), AgentState.initial());
        expect(contentOf(streamed.state)).toEqual(contentOf(generated.state));
        expect(outline(streamed.turn.messages)).toEqual(outline(generated.turn.messages));
        expect(streamed.state.id).not.toBe(generated.state.id);
      });

      it("Leaving the loop over the events aborts the execution and its running tool", async () => {
        const { begun, hangs } = hangingTool();
        const stream = made({ tools: [hangs] }).stream("Add.", AgentState.initial());
        for await (const event of stream) {
          if (event.source !== "upp" || event.upp.type !== "tool_execution_start") continue;
          await begun;
          break;
        }
        expect(await rejection(stream.result)).toMatchObject({ code: "CANCELLED" });
      });

      it("A stream without a reader has the result of generate, and an aborted stream rejects", async () => {
        const { state } = await made().stream("Add.", AgentState.initial()).result;
        expect(outlineOf(state.messages)).toEqual(messages);
        const stream = made().stream("Add.", AgentState.initial());
        stream.abort();
        expect(await rejection(stream.result)).toMatchObject({ code: "CANCELLED" });
        expect(await rejection(eventsOf(stream))).toMatchObject({ code: "CANCELLED" });
      });
    }
  });
});

it("A tool call in the answer to a request without tools is not executed, and the strategy continues", async () => {
  const reactCase = executions.find(({ name }) => name === "react");
  const script = [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Thinking." }, { text: "Three." }];
  const agent = scriptedAgent(recordedScript(script).script, {
    tools: [add],
    ...(reactCase === undefined ? {} : { execution: reactCase.execution() }),
  });
  const { state, turn } = await agent.generate("Add.", AgentState.initial());
  expect(turn.response.text).toBe("Three.");
  expect(state.step).toBe(2);
  expect(turn.toolExecutions).toEqual([]);
});
