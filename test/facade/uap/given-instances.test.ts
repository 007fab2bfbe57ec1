// Strategies with an `llm` that the function `llm` did not create: a cache and a recorder around an instance, and a fake.

import { describe, expect, it } from "vitest";

import type { Agent, ExecutionContext, ExecutionStrategy } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { emittingInstance } from "#facade/uap/given-instance.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";
import { llm } from "#facade/upp/llm.ts";
import type { History, InferenceInput, LLMInstance, StreamResult } from "#facade/upp/llm.ts";
import type { StreamEvent } from "#facade/upp/stream-event.ts";
import type { Turn } from "#facade/upp/turn.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

import { add, call, outline, rejection } from "../support/scripted-llm.ts";
import { eventsOf, scripted, scriptedAgent, stepsOf } from "./support/scripted-agent.ts";
import type { Script } from "./support/scripted-agent.ts";

type Messages = [History | InferenceInput, ...InferenceInput[]];

/** The strategy with another `llm`. */
function withInstance(strategy: ExecutionStrategy, wrap: (llm: LLMInstance) => object): ExecutionStrategy {
  const given = (context: ExecutionContext) => ({ ...context, llm: wrap(context.llm) as LLMInstance });
  return {
    name: strategy.name,
    execute: (context) => strategy.execute(given(context)),
    ...(strategy.stream === undefined ? {} : { stream: (context) => strategy.stream?.(given(context)) as never }),
  };
}

/** Records each request of an instance. */
function recorder(requests: number[]): (llm: LLMInstance) => LLMInstance {
  return (llm) => ({
    ...llm,
    generate: (...messages: Messages) => {
      requests.push(messages.length);
      return llm.generate(...messages);
    },
    stream: (...messages: Messages) => {
      requests.push(messages.length);
      return llm.stream(...messages);
    },
  });
}

/** Answers a request that it has seen from a cache. */
function cache(hits: string[], turns = new Map<string, Turn>()): (llm: LLMInstance) => object {
  return (llm) => ({
    generate: async (...messages: Messages) => {
      const key = JSON.stringify(messages, (name, value: unknown) =>
        name === "id" || name === "timestamp" ? 0 : value,
      );
      const known = turns.get(key);
      if (known !== undefined) hits.push(key);
      const turn = known ?? (await llm.generate(...messages));
      turns.set(key, turn);
      return turn;
    },
  });
}

/** A fake with nothing but `generate` and `stream`. It answers with these messages in order. */
function fake(answers: (string | AssistantMessage)[], received: AnyMessage[][] = []): () => object {
  const next = (messages: Messages): Turn => {
    const [history, ...input] = messages;
    received.push([...(history as AnyMessage[]), ...(input as AnyMessage[])]);
    const answer = answers.shift() ?? "Nothing more.";
    const response = typeof answer === "string" ? new AssistantMessage(answer) : answer;
    return { messages: [response], response } as unknown as Turn;
  };
  return () => ({
    generate: (...messages: Messages) => Promise.resolve(next(messages)),
    stream: (...messages: Messages) => {
      const turn = next(messages);
      return {
        turn: Promise.resolve(turn),
        abort: () => {},
        async *[Symbol.asyncIterator]() {
          yield { type: "text_delta", index: 0, delta: { text: turn.response.text } } as StreamEvent;
        },
      } satisfies StreamResult;
    },
  });
}

const planJson = JSON.stringify({
  steps: [
    { id: "1", description: "Add.", dependsOn: [] },
    { id: "2", description: "Say it.", dependsOn: ["1"] },
  ],
});

/** Each strategy with the answers of its model: the first one calls a tool where the strategy allows it. */
const strategies: [name: string, make: () => ExecutionStrategy, script: Script, steps: number][] = [
  ["loop", () => loop(), [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }], 1],
  ["react", () => react(), [{ text: "I add." }, { toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }], 1],
  [
    "plan",
    () => plan(),
    [{ text: planJson }, { toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "It is 3." }, { text: "Three." }],
    3,
  ],
  [
    "a custom strategy",
    () => ({
      name: "custom",
      async execute({ llm, input, state }) {
        const turn = await llm.generate(state.messages, input);
        return { turn, state: state.withMessages(turn.messages) };
      },
    }),
    [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }],
    0,
  ],
];

describe.each(strategies)("%s", (_name, make, script, count) => {
  const running = (wrap: (llm: LLMInstance) => object): { agent: Agent; steps: number[] } => {
    const steps: number[] = [];
    const strategy = { onStepEnd: (step: number) => void steps.push(step) };
    return { steps, agent: scriptedAgent(script, { tools: [add], execution: withInstance(make(), wrap), strategy }) };
  };

  it("A strategy with a recorder around its instance has the answer, the calls and the tokens of the instance", async () => {
    const requests: number[] = [];
    const { agent, steps } = running(recorder(requests));
    const { turn, state } = await agent.generate("Add 1 and 2.", AgentState.initial());
    expect(turn.response.text).toBe("Three.");
    expect(turn.toolExecutions).toMatchObject([{ toolName: "add", result: 3, isError: false }]);
    expect(turn.usage.totalTokens).toBeGreaterThan(0);
    expect(steps).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(requests.length).toBeGreaterThan(0);
    expect(outline(state.messages).at(0)).toBe("user: Add 1 and 2.");
    expect(outline(state.messages).at(-1)).toBe("assistant: Three.");
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it("A strategy with a cache around its instance gives the same answer from the cache", async () => {
    const hits: string[] = [];
    const turns = new Map<string, Turn>();
    const ask = async () => {
      const { agent } = running(cache(hits, turns));
      return (await agent.generate(new UserMessage("Add 1 and 2.", { id: "one" }), AgentState.initial())).turn.response
        .text;
    };
    expect([await ask(), await ask()]).toEqual(["Three.", "Three."]);
    expect(hits.length).toBeGreaterThan(0);
  });

  it("A stream of a strategy with a recorder has the events of the instance, and the same state", async () => {
    const { agent } = running(recorder([]));
    const stream = agent.stream("Add 1 and 2.", AgentState.initial());
    const events = await eventsOf(stream);
    const deltas = events.flatMap((event) =>
      event.source === "upp" && event.upp.type === "text_delta" ? [event.upp.delta.text] : [],
    );
    expect(deltas.join("")).toContain("Three.");
    expect(stepsOf(events).filter((one) => one.endsWith("step_end"))).toHaveLength(count);
    expect((await stream.result).turn.response.text).toBe("Three.");
  });
});

describe("an instance of a class with private fields", () => {
  class Counted {
    readonly #llm: LLMInstance;
    #requests = 0;
    kept: unknown = null;
    constructor(llm: LLMInstance) {
      this.#llm = llm;
    }
    get capabilities(): unknown {
      return this.#llm.capabilities;
    }
    get requests(): number {
      return this.#requests;
    }
    async generate(...messages: Messages): Promise<Turn> {
      return this.stream(...messages).turn;
    }
    stream(...messages: Messages): StreamResult {
      this.#requests += 1;
      return this.#llm.stream(...messages);
    }
  }
  class Summing extends Counted {}

  it.each(strategies)("The strategy %s streams the answer of such an instance", async (_name, make, script) => {
    const execution = withInstance(make(), (llm) => new Summing(llm));
    const stream = scriptedAgent(script, { tools: [add], execution }).stream("Add 1 and 2.", AgentState.initial());
    expect((await stream.result).turn.response.text).toBe("Three.");
  });

  it("An instance that emits its events has the methods, getters and fields of the given one", async () => {
    const counted = new Summing(llm({ model: scripted("scripted", { script: [{ text: "One." }] }) }));
    const events: StreamEvent[] = [];
    const emit = (event: StreamEvent): void => void events.push(event);
    const { signal } = new AbortController();
    const untilReady = (): undefined => undefined;
    const emitting = emittingInstance(counted as unknown as LLMInstance, { signal, emit, untilReady });
    expect((await emitting.generate("Go.")).response.text).toBe("One.");
    expect(events.length).toBeGreaterThan(0);
    expect((await emitting.stream("Go.").turn).response.text).toBe("One.");
    expect(emitting.capabilities).toBe(counted.capabilities);
    expect((emitting as unknown as Counted).requests).toBe(2);
    expect(Object.keys({ ...emitting })).toEqual(["kept"]);
  });

  it.each(["generate", "stream"] as const)("A custom strategy uses each method and getter in %s", async (method) => {
    const received: unknown[] = [];
    const strategy: ExecutionStrategy = {
      name: "custom",
      async execute({ llm, input, state }) {
        const counted = llm as unknown as Counted;
        counted.kept = "kept";
        await llm.generate(state.messages, input);
        const turn = await llm.stream(state.messages, input).turn;
        received.push(counted.requests, counted.kept, counted.capabilities);
        return { turn, state: state.withMessages(turn.messages) };
      },
    };
    const wrap = (llm: LLMInstance): object => {
      received.push(llm.capabilities);
      return new Summing(llm);
    };
    const agent = scriptedAgent([{ text: "One." }], { execution: withInstance(strategy, wrap) });
    const { turn } =
      method === "generate"
        ? await agent.generate("Go.", AgentState.initial())
        : await agent.stream("Go.", AgentState.initial()).result;
    expect(turn.response.text).toBe("One.");
    expect(received).toEqual([expect.anything(), 2, "kept", received[0]]);
  });
});

/** An agent whose strategy has a fake. Its own model is never requested. */
function faked(
  strategy: ExecutionStrategy,
  answers: (string | AssistantMessage)[],
  received: AnyMessage[][] = [],
): Agent {
  return scriptedAgent([], { execution: withInstance(strategy, fake(answers, received)) });
}

describe("a fake with nothing but generate and stream", () => {
  const answersOf: [string, ExecutionStrategy, string[]][] = [
    ["loop", loop(), ["Done."]],
    ["react", react(), ["I think.", "Done."]],
    ["plan", plan(), [`\`\`\`json\n${planJson}\n\`\`\``, "Added.", "Done."]],
  ];

  it.each(answersOf)(
    "The strategy %s runs with a fake, in generate and in stream",
    async (_name, strategy, answers) => {
      const { turn, state } = await faked(strategy, [...answers]).generate("Go.", AgentState.initial());
      expect(turn.response.text).toBe("Done.");
      expect(turn.usage).toMatchObject({ totalTokens: 0 });
      expect(turn.cycles).toBe(answers.length);
      expect(state.messages.filter(({ type }) => type === "assistant")).toHaveLength(answers.length);
      const stream = faked(strategy, [...answers]).stream("Go.", AgentState.initial());
      const events = await eventsOf(stream);
      expect(events.filter(({ source }) => source === "upp")).toHaveLength(answers.length);
      expect(outline((await stream.result).state.messages)).toEqual(outline(state.messages));
    },
  );

  it("A plan is requested with its JSON Schema in words, and requested again if the answer is no plan", async () => {
    const received: AnyMessage[][] = [];
    const { state } = await faked(plan(), ["No plan.", planJson, "Added.", "Done."], received).generate(
      "Go.",
      AgentState.initial(),
    );
    expect(received[0]?.at(-1)?.text).toMatch(/matches this JSON Schema: \{.*"steps"/);
    expect(state.plan).toMatchObject([{ status: "completed" }, { status: "completed" }]);
    expect(received.map((messages) => messages.at(0)?.text)).toEqual(["Go.", "Go.", "Go.", "Go."]);
  });

  it("A call that a fake leaves without a result gets an error result, so the next request is a valid conversation", async () => {
    const received: AnyMessage[][] = [];
    const calls = new AssistantMessage("", [{ toolCallId: "c1", toolName: "add", arguments: { a: 1 } }]);
    const acted: string[] = [];
    const agent = scriptedAgent([], {
      execution: withInstance(loop(), fake([calls, "Done."], received)),
      strategy: {
        onAct: (step, actions) => void acted.push(`act ${step} ${actions.length}`),
        onObserve: (step, results) => void acted.push(`observe ${step} ${String(results[0]?.isError)}`),
      },
    });
    const { state } = await agent.generate("Go.", AgentState.initial());
    expect(acted).toEqual(["act 1 1", "observe 1 true"]);
    expect(received[1]?.at(-1)).toBeInstanceOf(ToolResultMessage);
    expect(state.messages.map(({ type }) => type)).toEqual(["user", "assistant", "tool_result", "assistant"]);
  });

  it("An exception of generate is thrown unchanged", async () => {
    const thrown = new Error("no more");
    const generate = (...messages: Messages) =>
      messages.length > 2
        ? Promise.resolve({ response: new AssistantMessage("I think.") } as Turn)
        : Promise.reject(thrown);
    const agent = scriptedAgent([], { execution: withInstance(react(), () => ({ generate })) });
    expect(await rejection(agent.generate("Go.", AgentState.initial()))).toBe(thrown);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "Done."],
    ["a turn without a response", { messages: [] }],
  ])("A fake whose generate returns %s is refused with the shape of a turn", async (_name, value) => {
    const agent = scriptedAgent([], {
      execution: withInstance(loop(), () => ({ generate: () => Promise.resolve(value) })),
    });
    expect(await rejection(agent.query("Go."))).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("has to return a turn"),
    });
  });

  it("An abort ends an execution whose generate never ends, and the stream of the fake is aborted", async () => {
    const never = new Promise<never>(() => {});
    let aborts = 0;
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const instance = {
      generate: () => never,
      stream: () => {
        begun();
        return {
          turn: never,
          abort: () => void (aborts += 1),
          [Symbol.asyncIterator]: () => ({ next: () => never }),
        };
      },
    };
    const agent = scriptedAgent([], { execution: withInstance(loop(), () => instance) });
    const stream = agent.stream("Go.", AgentState.initial());
    await hasBegun;
    stream.abort();
    expect(await rejection(stream.result)).toMatchObject({ code: "CANCELLED" });
    expect(aborts).toBe(1);
  });
});
