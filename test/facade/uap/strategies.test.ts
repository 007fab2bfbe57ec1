// The options of the execution strategies of UAP, over the scripted provider and the real loop.

import { expect, it } from "vitest";

import type { AgentOptions } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import type { LoopOptions, PlanOptions, ReactOptions } from "#facade/uap/strategy/index.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

import { add, call, outline, rejection, tool } from "../support/scripted-llm.ts";
import { recordedScript, scripted, scriptedAgent } from "./support/scripted-agent.ts";
import type { ScriptedAnswer } from "./support/scripted-agent.ts";

const adding = { toolCalls: [call("add", { a: 1, b: 2 })] };

function executed(answers: readonly ScriptedAnswer[], options: AgentOptions) {
  const { script, requests } = recordedScript(answers);
  const made = scriptedAgent(script, { tools: [add], ...options });
  return { result: made.generate("Add.", AgentState.initial()), requests };
}

const texts = (messages: readonly AnyMessage[], type: AnyMessage["type"]) =>
  messages.filter((message) => message.type === type).map((message) => message.text);

it("The strategy loop ends after maxIterations rounds of calls, with the results of the last round", async () => {
  const { result, requests } = executed([adding, adding, adding], { execution: loop({ maxIterations: 2 }) });
  const { turn, state } = await result;
  expect(requests).toHaveLength(2);
  expect(turn.toolExecutions).toHaveLength(2);
  expect(turn.messages.at(-1)?.type).toBe("tool_result");
  expect(turn.response.hasToolCalls).toBe(true);
  expect(state.step).toBe(2);
});

it("The strategy loop with maxIterations 0, and a tool strategy with 0, leave the calls of the first answer unexecuted", async () => {
  const observed: string[] = [];
  const strategy: AgentOptions["strategy"] = {
    onAct: () => void observed.push("act"),
    onObserve: () => void observed.push("observe"),
    onStepEnd: (step) => void observed.push(`end ${step}`),
  };
  for (const options of [{ execution: loop({ maxIterations: 0 }) }, { toolStrategy: { maxIterations: 0 } }]) {
    const { turn } = await executed([adding], { ...options, strategy }).result;
    expect(outline(turn.messages)).toEqual(["user: Add.", 'assistant: [add {"a":1,"b":2}]']);
    expect(turn.toolExecutions).toEqual([]);
  }
  expect(observed).toEqual(["end 1", "end 1"]);
});

it("Every strategy ends when the tool strategy leaves the calls unexecuted", async () => {
  const steps = [
    { id: "one", description: "Add.", dependsOn: [] },
    { id: "two", description: "Add again.", dependsOn: ["one"] },
  ];
  const toolStrategy = { maxIterations: 0 };
  const reacted = await executed([{ text: "Hm." }, adding], { execution: react(), toolStrategy }).result;
  expect(reacted.turn.response.hasToolCalls).toBe(true);
  const planned = await executed([{ text: JSON.stringify({ steps }) }, adding], { execution: plan(), toolStrategy })
    .result;
  expect(planned.turn.response.hasToolCalls).toBe(true);
  expect(planned.state.plan?.map(({ status }) => status)).toEqual(["in_progress", "pending"]);
});

it("toolStrategy.maxIterations of an agent is Infinity by default, and an execution that exceeds a set number fails", async () => {
  const rounds = 25;
  const many = [...Array.from({ length: rounds }, () => adding), { text: "Enough." }];
  const { turn } = await executed(many, {}).result;
  expect(turn.toolExecutions).toHaveLength(rounds);
  const exceeded: number[] = [];
  const toolStrategy = { maxIterations: 3, onMaxIterations: (count: number) => void exceeded.push(count) };
  const error = await rejection(executed(many, { toolStrategy }).result);
  expect(error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining("3 rounds") });
  expect(exceeded).toEqual([3]);
  expect(partialState(error)?.step).toBe(4);
  expect((await executed(many, { toolStrategy: { maxIterations: Infinity } }).result).turn.response.text).toBe(
    "Enough.",
  );
});

it("The strategy react ends after maxSteps steps, and its requests for reasoning contain reasoningPrompt", async () => {
  const answers = [{ text: "First." }, adding, { text: "Second." }, adding, { text: "Never." }];
  const execution = react({ maxSteps: 2, reasoningPrompt: "Think in one word." });
  const { result, requests } = executed(answers, { execution });
  const { turn, state } = await result;
  expect(requests.map((messages) => messages.at(-1))).toEqual([
    "user: Think in one word.",
    expect.stringContaining("take action"),
    "user: Think in one word.",
    expect.stringContaining("take action"),
  ]);
  expect(state.reasoning).toEqual(["First.", "Second."]);
  expect(state.step).toBe(2);
  expect(turn.toolExecutions).toHaveLength(2);
});

it("Each request begins with the messages of the request before, also if the next execution continues from the returned state", async () => {
  const { script, requests } = recordedScript([
    { text: "Hm." },
    adding,
    { text: "Yes." },
    { text: "Three." },
    { text: "Bye." },
  ]);
  const reacting = scriptedAgent(script, { tools: [add], execution: react() });
  const { state } = await reacting.generate("Add.", AgentState.initial());
  await agent({ ...reacting, execution: loop() }).generate("Bye.", state);
  for (const [at, messages] of requests.entries()) {
    const next = requests[at + 1];
    if (next !== undefined) expect(next.slice(0, messages.length)).toEqual(messages);
  }
  expect(requests).toHaveLength(5);
});

it("Messages that the strategy react adds have the name of the strategy and the phase in their metadata", async () => {
  const { turn } = await executed([{ text: "Hm." }, { text: "Three." }], { execution: react() }).result;
  expect(turn.messages.map(({ metadata }) => metadata?.["uap"])).toEqual([
    undefined,
    { strategy: "react", phase: "reason" },
    { strategy: "react", phase: "reason" },
    { strategy: "react", phase: "act" },
    undefined,
  ]);
});

it("The structure of an agent applies to the answer of react, and not to its reasoning", async () => {
  const structure = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
  const requested: unknown[] = [];
  const answers = ["Hm.", '{"sum":3}'];
  const script = ({ structure: form }: { structure?: unknown }) => {
    requested.push(form);
    return { text: answers.shift() ?? "" };
  };
  const { turn } = await scriptedAgent(script, { execution: react(), structure }).generate(
    "Add.",
    AgentState.initial(),
  );
  expect(turn.data).toEqual({ sum: 3 });
  expect(requested).toEqual([undefined, structure]);
});

const steps = [
  { id: "b", description: "Second.", dependsOn: ["a"] },
  { id: "a", description: "First.", dependsOn: [] },
];
const planned = { text: JSON.stringify({ steps }) };
const done = { text: "Done." };

it("The strategy plan executes its steps in the order of their dependencies, and the state has their statuses at each step", async () => {
  const shown: string[] = [];
  const show =
    (name: string) =>
    (step: number, { plan: current }: AgentState) =>
      void shown.push(
        `${name} ${step}: ${current?.map(({ id, status }) => `${id} ${status}`).join(", ") ?? "no plan"}`,
      );
  const start = show("start");
  const end = show("end");
  const strategy = {
    onStepStart: start,
    onStepEnd: (step: number, { state }: { state: AgentState }) => end(step, state),
  };
  const { result, requests } = executed([planned, done, done], { execution: plan(), strategy });
  expect((await result).state.step).toBe(3);
  expect(shown).toEqual([
    "start 1: no plan",
    "end 1: b pending, a pending",
    "start 2: b pending, a in_progress",
    "end 2: b pending, a completed",
    "start 3: b in_progress, a completed",
    "end 3: b completed, a completed",
  ]);
  expect(requests[1]?.at(-1)).toContain('the step "a"');
  expect(requests[2]?.at(-1)).toContain('the step "b"');
});

const broken = tool("broken", () => {
  throw new Error("It broke.");
});
const breaking = { toolCalls: [call("broken")] };

it("The strategy plan requests another plan when a step fails, at most maxReplans times", async () => {
  const answers = [planned, breaking, done, planned, done, done];
  const { result, requests } = executed(answers, { execution: plan(), tools: [broken] });
  const { state } = await result;
  // The step that failed stays in the plan, and the further plan has the same ids.
  expect(state.plan?.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "a (before step 3) failed",
    "b completed",
    "a completed",
  ]);
  expect(requests[3]?.at(-1)).toContain('The step "a" of the plan failed.');
  expect(state.step).toBe(5);
  const failing = executed([planned, breaking, done, planned, breaking, done], {
    execution: plan({ maxReplans: 1 }),
    tools: [broken],
  });
  expect(await rejection(failing.result)).toMatchObject({ code: "INVALID_RESPONSE" });
});

it("The strategy plan without allowReplan throws when a step fails, with the plan in the state so far", async () => {
  const options = { execution: plan({ allowReplan: false }), tools: [broken] };
  const error = await rejection(executed([planned, breaking, done], options).result);
  expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: expect.stringContaining('"b", "a"') });
  expect(partialState(error)?.plan?.map(({ id, status }) => `${id} ${status}`)).toEqual(["b pending", "a failed"]);
});

it("A plan with more steps than maxPlanSteps is requested again once, and then shortened", async () => {
  const { result, requests } = executed([planned, planned, done], { execution: plan({ maxPlanSteps: 1 }) });
  const { state } = await result;
  expect(requests).toHaveLength(3);
  expect(requests[1]?.at(-1)).toContain("at most 1 steps");
  expect(state.plan).toEqual([{ id: "b", description: "Second.", dependsOn: [], status: "completed" }]);
  expect(state.step).toBe(2);
});

it("The option maxPlanRequests of plan() sets how often a plan is requested until it is valid, also Infinity", async () => {
  const none = { text: "No plan." };
  const once = executed([none], { execution: plan({ maxPlanRequests: 1 }) });
  expect(await rejection(once.result)).toMatchObject({ code: "INVALID_RESPONSE" });
  expect(once.requests).toHaveLength(1);
  const answers = [none, none, none, none, none, planned, done, done];
  const endless = executed(answers, { execution: plan({ maxPlanRequests: Infinity }) });
  expect((await endless.result).state.plan?.map(({ status }) => status)).toEqual(["completed", "completed"]);
});

it("If an answer is not a plan, the plan is requested again in the same step, and the third such answer ends the execution", async () => {
  const nonsense = { text: "No plan." };
  const { result } = executed([nonsense, planned, done, done], { execution: plan() });
  expect((await result).state.step).toBe(3);
  const error = await rejection(executed([nonsense, nonsense, nonsense], { execution: plan() }).result);
  expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: expect.stringContaining("no valid plan") });
  expect(texts(partialState(error)?.messages ?? [], "assistant")).toEqual(["No plan.", "No plan.", "No plan."]);
});

it("A plan contains ids, descriptions and tool names from the model unchanged at any length, and the instruction of the step contains them", async () => {
  const id = "i".repeat(5_000);
  const step = { id, description: "Look. ".repeat(2_000), tool: "t".repeat(5_000), dependsOn: [] };
  const answer = { text: JSON.stringify({ steps: [step, { id: "next", description: "Next.", dependsOn: [id] }] }) };
  const { result, requests } = executed([answer, done, done], { execution: plan() });
  const { state } = await result;
  expect(state.plan?.[0]).toEqual({ ...step, status: "completed" });
  expect(state.plan?.[1]?.dependsOn).toEqual([id]);
  for (const text of [id, step.description, step.tool]) expect(requests[1]?.at(-1)).toContain(text);
});

it("A planSchema is sent in place of the default one, and the steps are read from its list", async () => {
  const forms: unknown[] = [];
  const planSchema = {
    type: "object",
    required: ["steps"],
    properties: {
      steps: {
        type: "array",
        items: { type: "object", properties: { description: { type: "string" }, check: { type: "string" } } },
      },
    },
  } as const;
  const own = {
    steps: [
      { description: "First.", check: "It is there." },
      { description: "Second.", check: "All is." },
    ],
  };
  const answers = [JSON.stringify(own), "Done.", "All done."];
  const script = ({ structure }: { structure?: unknown }) => {
    forms.push(structure);
    return { text: answers.shift() ?? "" };
  };
  const { state } = await scriptedAgent(script, { execution: plan({ planSchema }) }).generate(
    "Go.",
    AgentState.initial(),
  );
  expect(forms).toEqual([planSchema, undefined, undefined]);
  expect(state.plan).toEqual([
    { id: "1", description: "First.", dependsOn: [], status: "completed" },
    { id: "2", description: "Second.", dependsOn: [], status: "completed" },
  ]);
});

it.each<[string, () => unknown]>([
  ["maxIterations of loop() has to be a whole number of at least 0", () => loop({ maxIterations: -1 })],
  [
    "maxIterations of loop() has to be a whole number of at least 0",
    () => loop({ maxIterations: Number.NaN } as LoopOptions),
  ],
  ["maxSteps of react() has to be a whole number of at least 1", () => react({ maxSteps: 0 } as ReactOptions)],
  ["maxPlanSteps of plan() has to be a whole number of at least 1", () => plan({ maxPlanSteps: 1.5 } as PlanOptions)],
  ["maxPlanRequests of plan() has to be a whole number of at least 1", () => plan({ maxPlanRequests: 0 })],
  ["maxReplans of plan() has to be a whole number of at least 0", () => plan({ maxReplans: -1 })],
  ["planSchema of plan() has to be a JSON Schema", () => plan({ planSchema: { type: "object", properties: {} } })],
])("A strategy with an invalid option is refused: %s", (message, create) => {
  expect(create).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(message) }),
  );
});

it("The strategy plan refuses a model that cannot give structured answers, before any request", async () => {
  const { script, requests } = recordedScript([planned]);
  const model = scripted("plain", { script, capabilities: { structuredOutput: false } });
  const error = await rejection(agent({ model, execution: plan() }).query("Go."));
  expect(error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining("Use react()") });
  expect(requests).toEqual([]);
});

it("An answer without content completes the execution", async () => {
  const { turn, state } = await executed([{ text: "" }], {}).result;
  expect(turn.response.text).toBe("");
  expect(state.step).toBe(1);
});
