// Values that a program in JavaScript may pass to an agent or return from its functions by mistake, and errors of hooks and middleware.

import { describe, expect, it } from "vitest";

import type { Agent } from "#facade/uap/index.ts";
import { AgentState, partialState, subagentTool, ThreadTree } from "#facade/uap/index.ts";
import { logging } from "#facade/uap/middleware/index.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

import { call, gate, rejection, tool } from "../support/scripted-llm.ts";
import { eventsOf, scriptedAgent, stepsOf } from "./support/scripted-agent.ts";

const refused = (message: string) => ({
  name: "UPPError",
  code: "INVALID_REQUEST",
  message: expect.stringContaining(message),
});
const hello = [{ text: "Hi." }];
const callsOnce = [{ toolCalls: [call("look", { a: 1 })] }, { text: "Done." }];
const look = tool("look", () => "seen");

describe("arguments and options", () => {
  it("An agent in the list of tools is refused, and the error names subagentTool", async () => {
    const parent = scriptedAgent(hello, { tools: [scriptedAgent(hello) as never] });
    expect(await rejection(parent.query("Hi."))).toMatchObject(refused("subagentTool"));
  });
});

describe("results and errors of the program's functions", () => {
  it.each([
    { turn: null, state: null },
    { turn: {}, state: AgentState.initial().toJSON() },
  ])("An execution fails if `after` of a middleware returns %j", async (value) => {
    const middleware = [{ name: "odd", after: () => Promise.resolve(value as never) }];
    expect(await rejection(scriptedAgent(hello, { middleware }).query("Hi."))).toMatchObject(
      refused("after of the middleware"),
    );
  });

  it.each([
    [
      "onError of the strategy",
      { strategy: { onError: (cause: Error) => Promise.reject(new Error("wrapped", { cause })) } },
    ],
    [
      "onError of a middleware",
      {
        middleware: [
          { name: "m", onError: (_context: unknown, cause: Error) => Promise.reject(new Error("wrapped", { cause })) },
        ],
      },
    ],
  ])("An error from %s has the partial state of the execution", async (_case, options) => {
    const explorer = scriptedAgent(callsOnce, {
      tools: [look],
      ...options,
      toolStrategy: { onAfterCall: () => Promise.reject(new Error("first")) },
    });
    const error = await rejection(explorer.query("Hi."));
    expect(error).toMatchObject({ message: "wrapped" });
    expect(partialState(error)?.messages[0]?.text).toBe("Hi.");
  });

  it("An error from `after` of a middleware has the state of the complete execution", async () => {
    const middleware = [{ name: "m", after: () => Promise.reject(new Error("after")) }];
    const error = await rejection(scriptedAgent(hello, { middleware }).query("Hello?"));
    expect(partialState(error)?.messages.map(({ text }) => text)).toEqual(["Hello?", "Hi."]);
  });

  it.each([
    ["loop", loop()],
    ["react", react()],
    ["plan", plan()],
  ])("A step of %s has a checkpoint although its hook onStepEnd throws", async (_name, execution) => {
    const saved: string[] = [];
    const checkpoints = { save: (id: string) => Promise.resolve(void saved.push(id)) } as never;
    const strategy = {
      onStepEnd() {
        throw new Error("hook");
      },
    };
    const steps = '{"steps":[{"id":"1","description":"Look."}]}';
    const script =
      execution.name === "plan"
        ? [{ text: steps }]
        : execution.name === "react"
          ? [{ text: "Think." }, ...hello]
          : hello;
    const error = await rejection(
      scriptedAgent(script, { execution, checkpoints, sessionId: "s", strategy }).query("Go."),
    );
    expect(error).toMatchObject({ message: "hook" });
    expect(saved).toEqual(["s"]);
  });

  it("The hook onAct cannot change the calls, and if it throws, each call has a result", async () => {
    const ran: unknown[] = [];
    const tools = [tool("look", (params) => ran.push({ ...params }))];
    const onAct = (_step: number, [first]: readonly { arguments: Record<string, unknown> }[]): void => {
      if (first !== undefined) first.arguments["a"] = 100;
    };
    await scriptedAgent(callsOnce, { tools, strategy: { onAct } }).query("Go.");
    expect(ran).toEqual([{ a: 1 }]);
    const failing = () => {
      throw new Error("act");
    };
    const error = await rejection(scriptedAgent(callsOnce, { tools, strategy: { onAct: failing } }).query("Go."));
    expect(partialState(error)?.messages.map(({ type }) => type)).toEqual(["user", "assistant", "tool_result"]);
    expect(ran).toHaveLength(1);
  });

  it("The result of an execution is the same if a logger throws or rejects", async () => {
    const throws = () => {
      throw new Error("disk full");
    };
    const rejects = (() => Promise.reject(new Error("offline"))) as unknown as () => void;
    for (const logger of [throws, rejects]) {
      const turn = await scriptedAgent(hello, { middleware: [logging({ logger })] }).query("Hi?");
      expect(turn.response.text).toBe("Hi.");
    }
  });
});

it("An aborted stream of an agent rejects with CANCELLED and the reason of the caller's signal as the cause, as generate does", async () => {
  for (const way of ["generate", "stream"] as const) {
    const started = gate();
    const abort = new AbortController();
    const waits = tool("look", (_params, { signal }) => {
      started.open();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const self = scriptedAgent(callsOnce, { tools: [waits], signal: abort.signal });
    const ended = way === "generate" ? self.query("Go.") : self.stream("Go.", AgentState.initial()).result;
    const error = rejection(ended);
    await started.passed;
    abort.abort(new Error("the user left"));
    expect(await error).toMatchObject({ code: "CANCELLED", cause: { message: "the user left" } });
  }
});

describe("ends of sub-agents", () => {
  const parameters = { type: "object", properties: {} } as const;
  const delegate = (name: string, sub: Agent) =>
    subagentTool({ name, description: "Delegates.", parameters, agent: sub, type: name, prompt: () => "Go." });

  it("The trace of a sub-agent contains the result of a tool as it was returned, although the program changes the value later", async () => {
    const value: Record<string, unknown> = { a: 1 };
    const strategy = { onObserve: () => void (value["self"] = value) };
    const sub = scriptedAgent(callsOnce, { tools: [tool("look", () => value)], strategy });
    const parent = scriptedAgent([{ toolCalls: [call("sub")] }, { text: "End." }], { tools: [delegate("sub", sub)] });
    const { state } = await parent.generate("Go.", AgentState.initial());
    expect(state.subagentTraces).toMatchObject([
      { success: true, toolExecutions: [{ toolName: "look", result: '{"a":1}' }] },
    ]);
  });

  it.each(["generate", "stream"] as const)(
    "An abort of %s ends the sub-agents of each level, the innermost first",
    async (way) => {
      const started = gate();
      const abort = new AbortController();
      const waits = tool("look", (_params, { signal }) => {
        started.open();
        return new Promise((resolve) => signal.addEventListener("abort", resolve));
      });
      const deep = scriptedAgent(callsOnce, { tools: [waits] });
      const mid = scriptedAgent([{ toolCalls: [call("deep")] }], { tools: [delegate("deep", deep)] });
      const top = scriptedAgent([{ toolCalls: [call("mid")] }], {
        tools: [delegate("mid", mid)],
        signal: abort.signal,
      });
      const stream = way === "stream" ? top.stream("Go.", AgentState.initial()) : null;
      const events = stream === null ? null : eventsOf(stream).catch(() => undefined);
      const ended = rejection(stream === null ? top.generate("Go.", AgentState.initial()) : stream.result);
      await started.passed;
      abort.abort();
      const traces = partialState(await ended)?.subagentTraces ?? [];
      expect(traces.map(({ subagentType, success }) => [subagentType, success])).toEqual([
        ["deep", false],
        ["mid", false],
      ]);
      await events;
    },
  );

  it("The stream of an aborted parent has a subagent_end event for each subagent_start event", async () => {
    const started = gate();
    const abort = new AbortController();
    const waits = tool("look", (_params, { signal }) => {
      started.open();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const sub = scriptedAgent(callsOnce, { tools: [waits] });
    const top = scriptedAgent([{ toolCalls: [call("sub")] }], { tools: [delegate("sub", sub)], signal: abort.signal });
    const stream = top.stream("Go.", AgentState.initial());
    stream.result.catch(() => undefined);
    const found: Parameters<typeof stepsOf>[0][number][] = [];
    const read = rejection(
      (async () => {
        for await (const event of stream) found.push(event);
      })(),
    );
    await started.passed;
    abort.abort();
    await read;
    const kinds = stepsOf(found).filter((kind) => /subagent_(?:start|end)/.test(kind));
    expect(kinds).toEqual(["1 subagent_start", "1 subagent_end"]);
  });
});

it("The number of reads to join the history of a deep tree is proportional to the number of its nodes", () => {
  const tree = new ThreadTree();
  const nodes = 3000;
  for (let node = 0; node < nodes; node += 1) {
    tree.checkout(tree.branch(tree.current.id, undefined, AgentState.initial()));
    tree.current.state = AgentState.initial().withMessage(new UserMessage(`${node}`));
  }
  let reads = 0;
  for (const [id, { state }] of tree.nodes) {
    const { messages } = state;
    const counted = new Proxy(messages, {
      get(target, key, receiver) {
        reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    Object.defineProperty(tree.nodes.get(id), "state", {
      get: () => ({ messages: counted, withContext: (all: readonly AnyMessage[]) => state.withContext(all) }),
    });
  }
  expect(tree.history().messages.map(({ text }) => text)).toEqual(
    Array.from({ length: nodes }, (_, node) => `${node}`),
  );
  expect(reads).toBeLessThan(nodes * 50);
});
