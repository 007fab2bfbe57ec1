// The definitions of the test Worker. The answers of a model come from `scripts`, which tests fill; tools record what
// they did in `effects`.

import { z } from "zod";

import { defineAgent, defineHook, defineModel, defineThreadEndpoint, defineTool, hookNameOf } from "#spec/index.ts";
import type { AnyHookName, Registry, RouteEntry, TestRequest, TestTurn, ThreadState } from "#spec/index.ts";

import { answeredAgents, answeredPrompts, answeredTools, released } from "./answered.ts";
import { approvalAgents, approvalPrompts, approvalTools } from "./approval.ts";
import { attachedAgents, attachedModels, attachedPrompts, attachedRoutes, attachedTools } from "./attached.ts";
import { boundAgents, boundModels, boundPrompts } from "./bound.ts";
import { codingAgents, codingBuiltIns, codingPrompts, limitedTools } from "./coding.ts";
import { compactedAgents, compactedModels, compactedPrompts, compactedTools } from "./compacted.ts";
import { crossing } from "./crossing.ts";
import { executedAgents, executedPrompts, executedTools } from "./executed.ts";
import { exposedAgents, exposedPrompts } from "./exposed.ts";
import { faultSources } from "./faulted-source.ts";
import { faultAgents, faultModel, faultPrompts, faultStrategies, faultTools } from "./faulted.ts";
import { fileAgents, filePrompts, fileRoutes, fileTools } from "./file-works.ts";
import { limitedAgents, limitedModels, limitedPrompts } from "./limited.ts";
import { mcpAgents, mcpPrompts, mcpSources } from "./mcp.ts";
import { openApiAgents, openApiPrompts, openApiSources } from "./openapi.ts";
import { remoteAgents, remotePrompts, remoteTools } from "./remote.ts";
import { skillAgents, skillPrompts, skillsEntry } from "./skills.ts";
import { structuredAgents, structuredPrompts } from "./structured.ts";
import { teamAgents, teamModel, teamPrompts, teamStrategies, teamTools } from "./team.ts";
import { testPrompt } from "./test-prompt.ts";

/** Scripted answers by the first word of the user's last message. Each test registers a word of its own. */
export const scripts = new Map<string, (request: TestRequest) => TestTurn | Promise<TestTurn>>();

/** What the tools did, in order. */
export const effects: string[] = [];

/** Gates at which a tool or a script waits until the test opens them. */
const gates = new Map<string, { reached: () => void; open: Promise<void> }>();

function answer(request: TestRequest): TestTurn | Promise<TestTurn> {
  const word = request.lastUser.split(/\s/)[0] ?? "";
  return scripts.get(word)?.(request) ?? { text: `echo: ${request.lastUser}` };
}

const model = defineModel({
  name: "scripted",
  provider: "test",
  model: "scripted",
  inputPrice: 1,
  outputPrice: 2,
  retry: { maxRetries: 2, initialDelayMs: 1 },
  script: answer,
});

const failing = defineModel({
  name: "failing",
  provider: "test",
  model: "failing",
  fallbacks: ["scripted"],
  retry: { maxRetries: 1, initialDelayMs: 1 },
  script: () => ({ text: "half an ans", error: { kind: "network", message: "cut" } }),
});

const note = defineTool("Notes something", z.object({ text: z.string() }), async (_state: ThreadState, { text }) => {
  effects.push(`note ${text}`);
  return { status: "success", result: `noted ${text}` };
});

const wait = defineTool("Waits at a gate", z.object({ gate: z.string() }), async (_state: ThreadState, args, call) => {
  const gate = gates.get(args.gate);
  effects.push(`wait ${args.gate}`);
  gate?.reached();
  const aborted = new Promise<void>((resolve) => call.signal.addEventListener("abort", () => resolve()));
  await Promise.race([gate?.open, aborted]);
  return { status: "success", result: call.signal.aborted ? "aborted" : `passed ${args.gate}` };
});

const again = defineTool(
  "Waits at a gate, and may be run again",
  z.object({ gate: z.string() }),
  async (_state: ThreadState, args) => {
    const gate = gates.get(args.gate);
    gate?.reached();
    await gate?.open;
    return { status: "success", result: "passed" };
  },
  { idempotent: true },
);

const later = defineTool("Queues two calls", z.object({ gate: z.string() }), async (state: ThreadState, { gate }) => {
  state.queueTool("wait", { gate });
  state.queueTool("note", { text: `queued ${gate}` });
  return { status: "success", result: "queued" };
});

const halt = defineTool("Stops the run", async (state: ThreadState) => {
  state.execution?.stop();
  return { status: "success", result: "stopping" };
});

const stream = defineTool(
  "Streams",
  z.object({ parts: z.array(z.string()) }),
  async function* (_state: ThreadState, { parts }) {
    for (const delta of parts) yield { type: "delta", delta } as const;
    yield { type: "complete", output: parts.join("") } as const;
  },
);

const broken = defineTool("Throws", async () => {
  throw new Error("the tool broke");
});

const inject = defineTool("Injects", z.object({ text: z.string() }), async (state: ThreadState, { text }) => {
  const message = await state.injectMessage({ role: "system", content: text, silent: true });
  state.emit("injected", { id: message.id });
  return { status: "success", result: message.id };
});

const edit = defineTool(
  "Edits the first message",
  z.object({ text: z.string() }),
  async (state: ThreadState, { text }) => {
    const [first] = (await state.getMessages({ limit: 1 })).messages;
    const edited = await state.updateMessage(first?.id ?? "", { content: text, metadata: { edited: true } });
    return { status: "success", result: JSON.stringify(edited) };
  },
);

/** The calls of hooks, in order. Hooks act only on messages that mention them. */
export const hookCalls: string[] = [];

const hooks = [
  defineHook("filter_messages", (_state, messages) => {
    if (messages.some(({ content }) => content?.includes("break the filter") === true)) throw new Error("filter broke");
    return Promise.resolve(messages.filter(({ content }) => content?.includes("drop me") !== true));
  }),
  defineHook("prefilter_llm_history", (_state, messages) => {
    const last = messages.at(-1);
    if (last?.role === "user" && last.content?.includes("remind") === true) last.content += " (be brief)";
    return Promise.resolve(messages);
  }),
  defineHook("before_create_message", async (_state, message) => {
    const content = String(message["content"]);
    // A message that names a gate waits there.
    const paused = /slow:(\w+)/.exec(content)?.[1];
    const gate = paused === undefined ? undefined : gates.get(paused);
    gate?.reached();
    await gate?.open;
    // Each call of the hook appends a mark.
    if (content.includes("tally")) return { ...message, content: `${content}|` };
    if (!content.includes("shout")) return message;
    return { ...message, id: "other", content: content.toUpperCase(), metadata: { hooked: true } };
  }),
  defineHook("after_create_message", (_state, message) => {
    hookCalls.push(`created ${String(message["role"])} ${String(message["content"])}`);
    return Promise.resolve();
  }),
  defineHook("before_update_message", async (_state, _id, updates) => {
    const paused = /slow-update:(\w+)/.exec(String(updates["content"]))?.[1];
    const gate = paused === undefined ? undefined : gates.get(paused);
    gate?.reached();
    await gate?.open;
    return { ...updates, unknown: true };
  }),
  defineHook("after_update_message", (_state, message) => {
    hookCalls.push(`updated ${String(message.content)}`);
    return Promise.resolve();
  }),
  defineHook("after_tool_call_success", (_state, call, result) => {
    if (!result.result?.includes("improve")) return Promise.resolve(null);
    hookCalls.push(`success ${call.function.name}`);
    return Promise.resolve({ ...result, result: "improved" });
  }),
  defineHook("after_tool_call_failure", (_state, call) => {
    hookCalls.push(`failure ${call.function.name}`);
    throw new Error("the hook broke");
  }),
  defineHook("before_store_tool_result", (_state, _call, result) => {
    const text = result["result"];
    return Promise.resolve(typeof text === "string" ? { ...result, result: text.replace("secret", "***") } : result);
  }),
];

const received = defineThreadEndpoint(async (request, state) => {
  const { total } = await state.getMessages();
  const { pathname, search } = new URL(request.url);
  return Response.json({ thread: state.threadId, total, path: pathname + search, execution: state.execution });
});

const refusing = defineThreadEndpoint(() => {
  throw new Error("the endpoint broke");
});

const routes: RouteEntry[] = [
  ...attachedRoutes,
  {
    method: "GET",
    pattern: "/threads/:id/seen",
    params: ["id"],
    file: "seen",
    kind: "thread",
    load: () => Promise.resolve(received),
  },
  {
    method: "GET",
    pattern: "/threads/:id/refusing",
    params: ["id"],
    file: "refusing",
    kind: "thread",
    load: () => Promise.resolve(refusing),
  },
  ...fileRoutes,
];

const tools = ["note", "later", "wait", "again", "halt", "stream", "broken", "inject", "edit"];

const prompt = (name: string, model: string, extra: object = {}) => testPrompt(name, tools, { model, ...extra });

const prompts = [
  prompt("parallel", "scripted"),
  prompt("sequential", "scripted", { parallelToolCalls: false }),
  prompt("batched", "scripted", { toolMode: { batched: 1 } }),
  prompt("forgetful", "scripted", { includeChat: false }),
  prompt("no_past_tools", "scripted", { includePastTools: false }),
  prompt("falls_back", "failing"),
  prompt("thoughtful", "scripted", { reasoning: { include: true, effort: "low" } }),
];

const agents = [
  ...prompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } })),
  defineAgent({ name: "short", sideA: { prompt: "parallel", maxSteps: 3 } }),
];

/** The registry of the test Worker. */
export const registry: Registry = {
  models: entries([
    model,
    failing,
    teamModel,
    faultModel,
    ...boundModels,
    ...attachedModels,
    ...limitedModels,
    ...compactedModels,
  ]),
  prompts: entries([
    ...prompts,
    ...structuredPrompts,
    ...teamPrompts,
    ...attachedPrompts,
    ...filePrompts,
    ...codingPrompts,
    ...faultPrompts,
    ...limitedPrompts,
    ...remotePrompts,
    ...approvalPrompts,
    ...boundPrompts,
    ...answeredPrompts,
    ...compactedPrompts,
    ...executedPrompts,
    ...exposedPrompts,
    ...mcpPrompts,
    ...openApiPrompts,
    ...skillPrompts,
  ]),
  agents: entries([
    ...agents,
    ...structuredAgents,
    ...teamAgents,
    ...attachedAgents,
    ...fileAgents,
    ...codingAgents,
    ...faultAgents,
    ...limitedAgents,
    ...remoteAgents,
    ...approvalAgents,
    ...boundAgents,
    ...answeredAgents,
    ...compactedAgents,
    ...executedAgents,
    ...exposedAgents,
    ...mcpAgents,
    ...openApiAgents,
    ...skillAgents,
  ]),
  tools: {
    ...Object.fromEntries(
      Object.entries({
        ...teamTools,
        ...attachedTools,
        ...fileTools,
        ...codingBuiltIns,
        ...limitedTools,
        ...faultTools,
        ...remoteTools,
        ...approvalTools,
        ...answeredTools,
        ...compactedTools,
        ...executedTools,
      }).map(([name, tool]) => [name, () => Promise.resolve(tool)]),
    ),
    moves: () => Promise.resolve(released.moves),
    note: () => Promise.resolve(note),
    later: () => Promise.resolve(later),
    wait: () => Promise.resolve(wait),
    again: () => Promise.resolve(again),
    halt: () => Promise.resolve(halt),
    stream: () => Promise.resolve(stream),
    broken: () => Promise.resolve(broken),
    inject: () => Promise.resolve(inject),
    edit: () => Promise.resolve(edit),
  },
  strategies: entries([...faultStrategies, ...teamStrategies]),
  toolSources: [...mcpSources, ...openApiSources, ...faultSources],
  skills: skillsEntry,
  hooks: hooks.map((hook, index) => ({
    hook: hookNameOf(hook) as AnyHookName,
    file: `hook-${index}.ts`,
    load: () => Promise.resolve(hook),
  })),
  routes,
  filters: [],
  secrets: ["SHOP_PHRASE", "SHOP_PLAN"],
  hash: "test",
};

function entries<T extends { name: string }>(list: T[]): Record<string, () => Promise<T>> {
  return Object.fromEntries(list.map((item) => [item.name, () => Promise.resolve(item)]));
}

/** Removes all gates. */
export function forgetGates(): void {
  gates.clear();
}

/** Creates a gate: `reached` resolves when a caller waits at it, `open` lets callers pass. */
export function gate(name: string): { reached: Promise<void>; open: () => void } {
  const { promise: reached, resolve: reach } = crossing();
  const { promise: opened, resolve: release } = crossing();
  gates.set(name, { reached: () => reach(), open: opened });
  return { reached, open: () => release() };
}
