// Definitions for runs that are killed at every fault point: tools of each kind with effects on an outside server, a
// prompt as a tool, a handoff, and a model that fails once. A model's answer depends on the request alone, so an
// interrupted run can be compared with a complete one. The user's message names the kind of conversation and the
// thread's id, under which the server counts effects.

import { z } from "zod";

import { defineAgent, defineModel, definePrompt, defineStrategy, defineTool } from "#spec/index.ts";
import type { TestRequest, TestTurn, ThreadState } from "#spec/index.ts";

/** The address of the outside server; a test sets it. */
export const outside = { url: "" };

/** Threads whose tool waits for a steering message, and threads that received one. */
export const steered = { waiting: new Set<string>(), received: new Set<string>() };

/** Conversations whose model has failed already. */
const failed = new Set<string>();

const usage = { input: 10, output: 5 };

/** The instruction that requests the reasoning of the agent `fault_thinker`. */
const reasoningPrompt = "Think.";

/** The model's answer, by the first word of the system text and the number of messages so far. */
function script(request: TestRequest): TestTurn {
  const [persona = ""] = request.system.split(/\s/);
  const [kind = "", id = ""] = request.lastUser.split(/\s/);
  const last = request.messages.at(-1);
  if (persona === "thinker") {
    const hasActed = request.messages.some(({ role }) => role === "tool");
    if (request.lastUser === reasoningPrompt) return { text: hasActed ? "All is done." : "I charge.", usage };
    return hasActed ? { text: ["all ", "done"], usage } : { toolCalls: inOrder, usage };
  }
  if (persona === "planner") return planned(request);
  if (persona === "booker") return booked(request);
  if (persona === "helper") {
    return last?.role === "user" ? { toolCalls: [call("charge", "under")], usage } : { text: "helped", usage };
  }
  if (kind === "fails") return { text: ["half an ", "answer"], error: { kind: "auth", message: "no" } };
  if (persona === "You") return { text: "a summary", usage };
  if (kind === "large") {
    const isLarge = JSON.stringify(request.messages).length > 6000;
    return isLarge ? { error: { kind: "overflow", message: "too long" }, usage } : { text: ["it ", "fits"], usage };
  }
  if (kind === "busy") return { error: { kind: "rate_limited", message: "slow down", retryAfterMs: 600_000 } };
  if (kind === "talk") {
    return last?.role === "user" ? { toolCalls: [call("speak", id), ...inOrder], usage } : { text: "unheard", usage };
  }
  if (kind === "aside") return { text: ["I ", "heard"], usage };
  if (persona === "clerk") {
    return last?.name === "fault_clerk" ? { toolCalls: inOrder, usage } : { text: ["all ", "is ", "done"], usage };
  }
  if (persona === "boss") {
    return last?.role === "user" ? { toolCalls: [call("fault_panel", id)], usage } : { text: "decided", usage };
  }
  if (persona === "asker") {
    if (last?.role !== "user") return { text: "thanks", usage };
    return { toolCalls: [call("fault_ask", "client"), call("charge", "asked")], usage };
  }
  if (persona === "payer") {
    if (last?.role !== "user") return { text: "paid", usage };
    const asking = ["fault_pay", "fault_refused", "fault_book"].map((name) => call(name, "asking"));
    return { toolCalls: [...asking, call("fault_ask", "client"), call("charge", "free")], usage };
  }
  if (persona === "outer") {
    if (last?.role !== "user") return { text: "paid", usage };
    return {
      toolCalls: [call("outer__charge", "first"), call("outer__pay", "asking"), call("outer__ask", "first")],
      usage,
    };
  }
  if (persona === "host") {
    return last?.role === "user" ? { toolCalls: [call("fault_room", id)], usage } : { text: "heard", usage };
  }
  if (persona === "guest") {
    if (last?.role !== "user") return { text: "left", usage };
    const asking = ["fault_refused", "fault_book", "fault_ask"].map((name) => call(name, `below ${kind}`));
    return { toolCalls: asking, usage };
  }
  if (persona === "former") {
    // The first answer does not match the structure, and the text that asks for another one is the last user message.
    if (last?.role === "tool") return { text: '{"count":"two"}', usage };
    return kind === "forms" ? { toolCalls: [call("charge", "counted")], usage } : { text: '{"count":2}', usage };
  }
  if (persona === "member") return { text: "I say so", usage };
  if (kind === "limits") {
    return last?.role === "user" ? { toolCalls: [call("fault_helper", id)], usage } : { text: "enough", usage };
  }
  if (kind === "short") return { text: "short", usage };
  if (last?.role === "user") {
    if (!failed.has(id)) {
      failed.add(id);
      return { text: "half an ", error: { kind: "network", message: "cut" } };
    }
    return { text: ["I ", "begin"], toolCalls: [...sideBySide, call("fault_helper", id)], usage };
  }
  return { toolCalls: [call("fault_clerk", id)], usage };
}

/** Makes a plan of two steps. Carries out the first one by calls, and the second one by a text. */
function planned({ lastUser, messages }: TestRequest): TestTurn {
  if (lastUser.startsWith("Make a plan")) {
    const steps = [
      { id: "report", description: "Report.", tool: null, dependsOn: ["pay"] },
      { id: "pay", description: "Pay.", tool: "charge", dependsOn: [] },
    ];
    return { text: JSON.stringify({ steps }), usage };
  }
  if (lastUser.includes('"report"')) return { text: ["all ", "done"], usage };
  return messages.at(-1)?.role === "tool" ? { text: "paid", usage } : { toolCalls: inOrder, usage };
}

/** Calls tools in each phase of the strategy `fault_phases`, also tools that the phase forbids. Then reports. */
function booked({ lastUser, messages, tools, toolChoice }: TestRequest): TestTurn {
  const forbidden = call("post", "forbidden");
  if (lastUser === "Book.") {
    const asking = ["fault_book", "fault_refused", "fault_ask"].map((name) => call(name, "client"));
    return { toolCalls: [forbidden, ...asking, forbidden], usage };
  }
  if (lastUser === "Report.") {
    const isAgain = messages.filter(({ content }) => content === lastUser).length > 1;
    return isAgain ? { text: ["all ", "done"], usage } : { toolCalls: [forbidden, forbidden], usage };
  }
  const names = tools.map(({ name }) => name).join(" ");
  return { text: `${toolChoice} of ${names}`, toolCalls: [forbidden, call("charge", "first"), forbidden], usage };
}

const call = (name: string, task: string) => ({ name, arguments: { task } });
const sideBySide = ["charge", "book", "post", "report"].map((name) => call(name, "first"));
const inOrder = ["post", "book", "charge"].map((name) => call(name, "second"));

export const faultModel = defineModel({
  name: "faulted",
  provider: "test",
  model: "faulted",
  inputPrice: 1,
  outputPrice: 2,
  retry: { maxRetries: 2, initialDelayMs: 1 },
  script,
});

/** The scope of an effect: the thread itself; for a child thread, the parent that its task names. */
const scopeOf = (state: ThreadState, { task: words }: { task: string }) =>
  words.startsWith("below ") ? words.slice("below ".length) : state.threadId;

const nameOf = (what: string, { task: words }: { task: string }) => `${what} ${words.split(" ")[0]}`;

/** Requests an effect; throws if the server refuses it. */
export async function effect(scope: string, fields: Record<string, string>): Promise<void> {
  const search = new URLSearchParams({ scope, ...fields });
  const response = await fetch(`${outside.url}/effects?${search.toString()}`, { method: "POST" });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`refused: ${response.status}`);
}

const task = z.object({ task: z.string() });

const charge = defineTool(
  "Charges, at most once a key",
  task,
  async (state: ThreadState, args, { id }) => {
    await effect(scopeOf(state, args), { name: nameOf("charge", args), call: id, key: id });
    return { status: "success", result: "charged" };
  },
  { idempotent: true },
);

const book = defineTool(
  "Books, and can be asked whether it did",
  task,
  async (state: ThreadState, args, { id, attempt }) => {
    await effect(scopeOf(state, args), { name: nameOf("book", args), call: id, attempt: String(attempt) });
    return { status: "success", result: "booked" };
  },
  {
    reconcile: async (id, args, state) => {
      const search = new URLSearchParams({ scope: scopeOf(state, args), call: id });
      const response = await fetch(`${outside.url}/outcome?${search.toString()}`);
      const { done } = await response.json<{ done: boolean }>();
      return done ? { status: "success", result: "booked" } : "not_done";
    },
  },
);

const post = defineTool("Posts, and nobody knows whether it did", task, async (state: ThreadState, args, { id }) => {
  await effect(scopeOf(state, args), { name: nameOf("post", args), call: id });
  return { status: "success", result: "posted" };
});

const report = defineTool(
  "Streams",
  task,
  async function* () {
    for (const delta of ["one ", "two"]) yield { type: "delta", delta } as const;
    yield { type: "complete", output: "one two" } as const;
  },
  { idempotent: true },
);

/** Waits for a steering message, and sends requests to the outside server meanwhile. */
const speak = defineTool(
  "Lets somebody speak up",
  task,
  async (state: ThreadState) => {
    steered.waiting.add(state.threadId);
    while (!steered.received.has(state.threadId)) {
      const response = await fetch(`${outside.url}/effects?scope=${state.threadId}`);
      await response.body?.cancel();
    }
    return { status: "success", result: "said" };
  },
  { idempotent: true },
);

/** Called in an idle thread, it starts a run with the queued call. */
const enqueue = defineTool("Queues a call", async (state: ThreadState) => {
  state.queueTool("charge", { task: "queued" });
  return { status: "success", result: "queued" };
});

/** A client answers this call. */
const fault_ask = defineTool("Asks the client", task);

/** Has the same effect as `charge`, `book` and `post`, after an approval. */
const fault_pay = defineTool("Charges, when allowed to", task, charge[2], {
  ...charge.options,
  editableArguments: true,
  needsApproval: async () => true,
});
const fault_book = defineTool("Books, when allowed to", task, book[2], { ...book.options, needsApproval: true });
const fault_refused = defineTool("Posts, when allowed to", task, post[2], { needsApproval: true });

export const faultTools = {
  charge,
  book,
  post,
  report,
  enqueue,
  fault_ask,
  fault_pay,
  fault_book,
  fault_refused,
  speak,
};

function prompt(name: string, persona: string, extra: object) {
  return definePrompt({
    name,
    toolDescription: name,
    prompt: `${persona} speaks.`,
    model: "faulted",
    includeChat: true,
    includePastTools: true,
    ...extra,
  });
}

const every = ["charge", "book", "post"];

export const faultPrompts = [
  prompt("fault_front", "desk", {
    parallelToolCalls: true,
    tools: [...every, "report", "fault_helper", "fault_clerk"],
  }),
  prompt("fault_helper", "helper", { includeChat: false, tools: every }),
  prompt("fault_back", "clerk", { tools: [...every, "speak"] }),
  prompt("fault_thinker", "thinker", { tools: every }),
  prompt("fault_planner", "planner", { tools: every }),
  prompt("fault_booker", "booker", { tools: [...every, "fault_book", "fault_refused", "fault_ask"] }),
  prompt("fault_asker", "asker", { parallelToolCalls: true, tools: ["fault_ask", "charge"] }),
  prompt("fault_payer", "payer", { tools: ["fault_pay", "fault_refused", "fault_book", "fault_ask", "charge"] }),
  prompt("fault_outer", "outer", { parallelToolCalls: true, tools: ["outer__*"], skills: true }),
  prompt("fault_boss", "boss", { tools: ["fault_panel"] }),
  prompt("fault_host", "host", { tools: ["fault_room"] }),
  prompt("fault_guest", "guest", {
    includeChat: false,
    parallelToolCalls: true,
    tools: ["fault_refused", "fault_book", "fault_ask"],
  }),
  prompt("fault_member", "member", { includeChat: false }),
  prompt("fault_stray", "stray", { model: "fault_missing" }),
  prompt("fault_former", "former", { tools: ["charge"], structure: z.object({ count: z.number() }) }),
  prompt("fault_summary", "short", { context: { maxTokens: 1000, keepRecent: 2, strategy: "summarize" } }),
  prompt("fault_own_summary", "short", { context: { maxTokens: 1000, keepRecent: 2, strategy: () => "a summary" } }),
];

/** Each phase allows the tools that it names. */
const phases = [
  { phase: "pay", tools: ["charge"], toolChoice: "required" as const },
  { phase: "book", tools: ["fault_book", "fault_ask"], instruction: "Book." },
  { phase: "report", tools: [], instruction: "Report." },
];

export const faultStrategies = [
  defineStrategy<"fault_phases", { at: number; results: string[] }>({
    name: "fault_phases",
    next: ({ last, state }) => {
      const { at, results } = state ?? { at: -1, results: [] };
      const all = [
        ...results,
        ...(last?.calls ?? []).map(({ name, isError }) => `${name} ${isError ? "failed" : "ran"}`),
      ];
      const [next] = at === 2 && last?.calls.length === 0 ? [] : phases.slice(Math.min(at + 1, 2));
      if (next === undefined) return { type: "end", outcome: all };
      const plan = phases.map(({ phase }, index) => ({
        id: phase,
        description: `Carry out ${phase}.`,
        dependsOn: [],
        status: index <= at ? ("completed" as const) : ("pending" as const),
      }));
      return {
        type: "step",
        silent: next.phase === "pay",
        ...next,
        plan,
        state: { at: Math.min(at + 1, 2), results: all },
      };
    },
  }),
];

export const faultAgents = [
  defineAgent({ name: "fault_desk", sideA: { prompt: "fault_front" } }),
  defineAgent({ name: "fault_clerk", sideA: { prompt: "fault_back" }, toolDescription: "Hands over" }),
  defineAgent({
    name: "fault_thinker",
    sideA: { prompt: "fault_thinker", strategy: { type: "react", reasoningPrompt } },
  }),
  defineAgent({ name: "fault_planner", sideA: { prompt: "fault_planner", strategy: "plan" } }),
  defineAgent({ name: "fault_booker", sideA: { prompt: "fault_booker", strategy: "fault_phases" } }),
  defineAgent({ name: "fault_boss", sideA: { prompt: "fault_boss" } }),
  defineAgent({ name: "fault_summary", sideA: { prompt: "fault_summary" } }),
  // Its limit has room for the request of a step, and not for the request of a summary before it.
  defineAgent({ name: "fault_frugal", sideA: { prompt: "fault_summary" }, limits: { tokens: 12_000 } }),
  defineAgent({ name: "fault_own_summary", sideA: { prompt: "fault_own_summary" } }),
  defineAgent({ name: "fault_lost", sideA: { prompt: "fault_missing" } }),
  defineAgent({ name: "fault_stray", sideA: { prompt: "fault_stray" } }),
  defineAgent({ name: "fault_asker", sideA: { prompt: "fault_asker" } }),
  defineAgent({ name: "fault_payer", sideA: { prompt: "fault_payer" } }),
  defineAgent({ name: "fault_former", sideA: { prompt: "fault_former" } }),
  defineAgent({ name: "fault_outer", sideA: { prompt: "fault_outer" } }),
  defineAgent({ name: "fault_host", sideA: { prompt: "fault_host" } }),
  defineAgent({
    name: "fault_room",
    type: "dual_ai",
    maxSessionTurns: 1,
    sideA: { prompt: "fault_guest" },
    sideB: { prompt: "fault_guest" },
    toolDescription: "Asks from a thread of its own",
  }),
  defineAgent({
    name: "fault_panel",
    type: "dual_ai",
    maxSessionTurns: 1,
    sideA: { prompt: "fault_member" },
    sideB: { prompt: "fault_member" },
    toolDescription: "Decides in a thread of its own",
  }),
];
