// Agents that a tool of a thread executes with `{ in: state }`: usage and cost of the run, events, limits, stops, crashes and checkpoints.

import { beforeEach, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { threadCheckpoints } from "#facade/uap/checkpoint/thread-checkpoints.ts";
import { AgentState, agent, partialState, subagentTool } from "#facade/uap/index.ts";
import type { Agent, CheckpointStore, GenerateResult } from "#facade/uap/index.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";
import type { Tool } from "#facade/upp/index.ts";
import type { TestTurn, ThreadState } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { innerAgent, innerCost, innerModel, reconciledOutcomes } from "../worker/executed.ts";
import { consulting, of, ownCost, toolMessage } from "./consult-driver.ts";
import { isEnd, lastRunOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, stubOf, value } from "./thread-driver.ts";

const generate = (helper: Agent, state = AgentState.initial()): Promise<GenerateResult> =>
  helper.generate("Ask.", state);

const stream = async (helper: Agent, state = AgentState.initial()): Promise<GenerateResult> => {
  const streamed = helper.stream("Ask.", state);
  for await (const _ of streamed) continue;
  return streamed.result;
};

const ways = [
  ["generate", generate],
  ["stream", stream],
] as const;

const lookUp: Tool = {
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: {} },
  run: () => "found",
};

const calling: TestTurn = { toolCalls: [{ name: "look_up", arguments: {} }] };

const steps = [
  { id: "look", description: "Look.", tool: "look_up", dependsOn: [] },
  { id: "tell", description: "Tell.", tool: null, dependsOn: ["look"] },
];

/** Each strategy with the answers of its model, and the events of its requests. */
const strategies = [
  { name: "loop", execution: () => loop(), answers: [calling, { text: "The answer." }], shown: ["step", "step"] },
  {
    name: "react",
    execution: () => react(),
    answers: [{ text: "I have to look." }, calling, { text: "I have it." }, { text: "The answer." }],
    shown: ["reason", "reasoning: I have to look.", "act", "reason", "reasoning: I have it.", "act"],
  },
  {
    name: "plan",
    execution: () => plan(),
    answers: [{ text: JSON.stringify({ steps }) }, calling, { text: "Looked." }, { text: "The answer." }],
    shown: [
      "plan",
      "plan: look in_progress, tell pending",
      "execute",
      "execute",
      "plan: look completed, tell in_progress",
      "execute",
      "plan: look completed, tell completed",
    ],
  },
];

/** The phases of the requests of an agent, and the reasoning and the plans between them. */
function shownBy(events: readonly ThreadEvent[]): string[] {
  return of(events, "subagent_event").flatMap(({ event }): string[] => {
    const inner = event as unknown as ThreadEvent;
    if (inner.type === "step_start") return [inner.phase ?? "step"];
    if (inner.type === "reasoning") return [`reasoning: ${inner.text}`];
    if (inner.type !== "plan") return [];
    return [`plan: ${inner.steps.map(({ id, status }) => `${id} ${status}`).join(", ")}`];
  });
}

/** Sends the message to a subscribed thread. Resolves with all events of the run. */
async function followed(id: string, text: string): Promise<readonly ThreadEvent[]> {
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  await following.until(isEnd);
  following.close();
  return following.events;
}

beforeEach(() => reconciledOutcomes.clear());

for (const { name, execution, answers, shown } of strategies) {
  it.each(ways)(
    `A run includes the tokens, the cost and the events of an agent with the strategy ${name} that one of its tools executes with %s`,
    async (_way, execute) => {
      const { id, text } = await consulting(async (state) => {
        const { turn } = await execute(innerAgent(state, answers, { execution: execution(), tools: [lookUp] }));
        return turn.response.text;
      });
      const events = await followed(id, text);
      const requests = answers.length;
      const [end] = of(events, "run_end");
      expect(end).toMatchObject({ status: "completed", usage: { input: 2 + requests * 10, output: 2 + requests } });
      expect(end?.cost).toBeCloseTo(ownCost + requests * innerCost, 12);
      expect((await lastRunOf(id)).models).toContain("inner-model");
      expect(of(events, "subagent_start")).toMatchObject([{ subagent_type: "helper", prompt: "Ask." }]);
      const outcome = { subagent_type: "helper", success: true, result: "The answer.", tool_executions: 1 };
      expect(of(events, "subagent_end")).toMatchObject([outcome]);
      expect(shownBy(events)).toEqual(shown);
      const result = await toolMessage(id);
      expect(result?.content).toBe("The answer.");
      expect(result?.metadata["executions"]).toMatchObject([{ type: "helper", success: true, requests }]);
    },
  );
}

it("The events of an agent without a name have its id as subagent_type, and the events of its model requests name the model", async () => {
  const ids: string[] = [];
  const { id, text } = await consulting(async (state) => {
    const helper = agent({ model: innerModel([{ text: "The answer." }]), in: state });
    ids.push(helper.id);
    return (await generate(helper)).turn.response.text;
  });
  const events = await followed(id, text);
  expect(of(events, "subagent_start").map(({ subagent_type: type }) => type)).toEqual(ids);
  expect(of(events, "subagent_end").map(({ subagent_type: type }) => type)).toEqual(ids);
  const begun = of(events, "subagent_event").flatMap(({ event }) => (event["type"] === "step_start" ? [event] : []));
  expect(begun).toMatchObject([{ model: "inner-model" }]);
});

it("A thread emits the events of an agent's sub-agents with each sub-agent's name or type, and the run counts their tokens", async () => {
  const { id, text } = await consulting(async (state) => {
    const explorer = agent({ name: "explorer", model: innerModel([{ text: "Here." }]) });
    const parameters = { type: "object", properties: {} } as const;
    const explore = (name: string, type?: string) =>
      subagentTool({
        agent: agent(explorer),
        name,
        ...(type === undefined ? {} : { type }),
        description: "Explores.",
        parameters,
        prompt: () => "Where?",
      });
    const script: TestTurn[] = [
      { toolCalls: [{ name: "one", arguments: {} }] },
      { toolCalls: [{ name: "two", arguments: {} }] },
      { text: "The answer." },
    ];
    return (await generate(innerAgent(state, script, { tools: [explore("one"), explore("two", "scout")] }))).turn
      .response.text;
  });
  const events = await followed(id, text);
  const begun = of(events, "subagent_start").map(({ subagent_type: type, prompt }) => `${type}: ${prompt}`);
  expect(begun).toEqual(["helper: Ask.", "explorer: Where?", "scout: Where?"]);
  expect(new Set(of(events, "subagent_start").map(({ subagent_id: each }) => each)).size).toBe(3);
  expect(of(events, "run_end")).toMatchObject([{ usage: { input: 2 + 50, output: 2 + 5 } }]);
});

it.each(ways)(
  "An agent that a tool executes with %s fails with QUOTA_EXCEEDED at the run's cost limit, and the error contains the agent's state",
  async (_way, execute) => {
    const errors: unknown[] = [];
    const { id, text } = await consulting(async (state) => {
      const script = Array.from({ length: 9 }, () => calling);
      await execute(innerAgent(state, script, { tools: [lookUp] })).catch((error: unknown) => errors.push(error));
      return "Spent.";
    });
    const events = await converse(id, text, { limits: { cost: 1.5 * innerCost, on_limit: "end" } });
    expect(errors).toMatchObject([{ code: "QUOTA_EXCEEDED" }]);
    const requests = of(events, "run_end").map(({ usage }) => (usage.input - 1) / 10);
    expect(of(events, "run_end")).toMatchObject([{ status: "limit" }]);
    const answered = partialState(errors[0])?.messages.filter(({ type }) => type === "assistant");
    expect(answered?.length).toBe(requests[0]);
    expect(requests[0]).toBeLessThan(9);
    expect(of(events, "subagent_end")).toMatchObject([{ subagent_type: "helper", success: false }]);
  },
);

it.each(ways)(
  "A stop of the run aborts an agent that its tool executes with %s, and the agent's running tool",
  async (_way, execute) => {
    const started = crossing();
    const aborted = crossing<string>();
    const failed = crossing<unknown>();
    const slow: Tool = {
      ...lookUp,
      run: (_params, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve("aborted"));
        started.resolve();
        return new Promise(() => {});
      },
    };
    const { id, text } = await consulting(async (state) => {
      await execute(innerAgent(state, [calling], { tools: [slow] })).catch(failed.resolve);
      return "never";
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message(text), null));
    await started.promise;
    await value(stubOf(id).call("stop", admin, null));
    expect(await aborted.promise).toBe("aborted");
    const error = await failed.promise;
    expect(error).toMatchObject({ code: "CANCELLED" });
    expect(partialState(error)?.messages.map(({ type }) => type)).toEqual(["user", "assistant", "tool_result"]);
    const end = await following.until(isEnd);
    following.close();
    expect(end).toMatchObject({ status: "stopped", usage: { input: 11, output: 2 } });
    expect(of(following.events, "subagent_end")).toMatchObject([{ subagent_type: "helper", success: false }]);
  },
);

/** Executes a run whose object crashes when `reached` resolves. Returns all events after the crash, also those that are read again. */
async function crashed(id: string, text: string, reached: Promise<void>): Promise<readonly ThreadEvent[]> {
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  await reached;
  await crash(id);
  await following.closed;
  const after = await follow(id, { after: "0" });
  await after.until(isEnd);
  after.close();
  return after.events;
}

it.each(ways)(
  "If a crash interrupts a tool that executes an agent with %s, the tool is not executed again, and its result reports the interruption",
  async (_way, execute) => {
    const reached = crossing();
    let executions = 0;
    const { id, text } = await consulting(async (state) => {
      executions += 1;
      const endless = { ...lookUp, run: () => (reached.resolve(), new Promise(() => {})) };
      await execute(innerAgent(state, [calling], { tools: [endless] }));
      return "never";
    });
    const events = await crashed(id, text, reached.promise);
    expect(executions).toBe(1);
    const result = await toolMessage(id);
    expect(result?.result).toMatchObject({ status: "error", error: expect.stringContaining("interrupted") });
    // The request whose call was running is counted.
    expect(of(events, "run_end")).toMatchObject([{ status: "completed", usage: { input: 12, output: 3 } }]);
  },
);

/** Answers of an agent that calls two tools and then gives its answer. */
const twoCalls: TestTurn[] = [
  calling,
  { toolCalls: [{ name: "read_all", arguments: {} }] },
  { text: "The answer after the crash." },
];

it.each(ways)(
  "After a crash, an agent that an idempotent tool executes with %s continues from its checkpoint in the thread's files",
  async (_way, execute) => {
    const reached = crossing();
    const ran: string[] = [];
    const { id, text } = await consulting(async (state, { id: sessionId, attempt }) => {
      const checkpoints = threadCheckpoints(state);
      const saved = await checkpoints.load(sessionId);
      const before = saved === null ? AgentState.initial() : AgentState.fromJSON(saved);
      ran.push(`attempt ${attempt}, from step ${before.step}`);
      const look = { ...lookUp, run: () => (ran.push("look_up"), "found") };
      const readAll = {
        ...lookUp,
        name: "read_all",
        run: async () => {
          ran.push("read_all");
          if (attempt > 1) return "all";
          // Resolves when the checkpoint of the first step is written.
          await checkpoints.load(sessionId);
          reached.resolve();
          return new Promise(() => {});
        },
      };
      const helper = innerAgent(state, twoCalls, { tools: [look, readAll], checkpoints, sessionId });
      return (await execute(helper, before)).turn.response.text;
    }, "consult_again");
    const events = await crashed(id, text, reached.promise);
    expect(ran).toEqual(["attempt 1, from step 0", "look_up", "read_all", "attempt 2, from step 1", "read_all"]);
    expect((await toolMessage(id))?.content).toBe("The answer after the crash.");
    // Two requests before the crash, and two after it.
    expect(of(events, "run_end")).toMatchObject([{ status: "completed", usage: { input: 42, output: 6 } }]);
  },
);

/** The text of the last answer of a session. */
async function answerOf(store: CheckpointStore, sessionId: string): Promise<string | undefined> {
  const saved = await store.load(sessionId);
  const messages = saved === null ? [] : AgentState.fromJSON(saved).messages;
  return messages.findLast(({ type }) => type === "assistant")?.text;
}

it("After a crash, the reconcile function of an interrupted tool reads the answer of the tool's agent from the agent's checkpoint", async () => {
  const reached = crossing();
  let executions = 0;
  const { id, text } = await consulting(async (state, { id: sessionId }) => {
    executions += 1;
    const checkpoints = threadCheckpoints(state);
    await generate(innerAgent(state, [{ text: "Reconciled." }], { checkpoints, sessionId }));
    await checkpoints.load(sessionId);
    reached.resolve();
    return new Promise(() => {});
  }, "consult_known");
  reconciledOutcomes.set(text, async (state: ThreadState, callId) => {
    const result = await answerOf(threadCheckpoints(state), callId);
    return result === undefined ? "not_done" : { status: "success", result };
  });
  const events = await crashed(id, text, reached.promise);
  expect(executions).toBe(1);
  expect((await toolMessage(id))?.content).toBe("Reconciled.");
  expect(of(events, "run_end")).toMatchObject([{ status: "completed", usage: { input: 12, output: 3 } }]);
});
