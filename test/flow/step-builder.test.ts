// The plan of a step: the side's prompt and model, its tools, and the messages it sends.

import { expect, it } from "vitest";

import type { StepPlan, StepProblem } from "#core/ports/step-port.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import { defineModel } from "#spec/index.ts";
import type { PromptDefinition } from "#spec/index.ts";

import { idOf, messageRecord } from "../store/records.ts";
import { MemoryFiles, pngBytes } from "../support/memory-files.ts";
import { project } from "./support/step-project.ts";
import type { Project } from "./support/step-project.ts";

async function planOf(given: Project): Promise<StepPlan> {
  const plan: StepPlan | StepProblem = await project(given).builder.plan({});
  if ("problem" in plan) throw new Error(plan.problem.message);
  return plan;
}

it("A planned step has the prompt's model with its direct fallbacks, the prompt's text, and its tools", async () => {
  const plan = await planOf({});
  expect(plan.models.map(({ name }) => name)).toEqual(["main", "spare"]);
  expect(plan.request).toMatchObject({ system: "Be kind.", toolChoice: "auto", parallelToolCalls: false });
  expect([plan.toolMode, [...plan.tools.keys()]]).toEqual(["sequential", ["look"]]);
  expect(plan.request.tools).toMatchObject([{ name: "look", parameters: { required: ["at"] } }]);
});

it("A model without function calling is sent no tools", async () => {
  const plan = await planOf({ model: { capabilities: { functionCalling: false } } });
  expect([plan.tools.size, plan.request.tools]).toEqual([0, []]);
});

it("A prompt with parallelToolCalls runs calls in parallel, and toolMode overrides parallelToolCalls", async () => {
  expect((await planOf({ prompt: { parallelToolCalls: true } })).toolMode).toBe("parallel");
  expect((await planOf({ prompt: { parallelToolCalls: true, toolMode: { batched: 2 } } })).toolMode).toEqual({
    batched: 2,
  });
});

it("If a prompt's maxTokens is as large as the context window of its model, the budget is half of this window", async () => {
  const long = (index: number) => messageRecord(index, { parts: [{ type: "text", text: "word ".repeat(1000) }] });
  const model = { contextWindow: 8000, maxTokens: 8000 };
  const given = (count: number) => ({
    prompt: { includeChat: true },
    model,
    own: Array.from({ length: count }, (_, at) => long(at + 2)),
  });
  expect((await planOf(given(2))).compaction).toBeUndefined();
  expect((await planOf(given(4))).compaction).toMatchObject({ reason: "budget", budget: 4000 });
});

it("Earlier runs are read once, and only for a prompt that includes them; the run's own messages are always sent", async () => {
  const alone = project({});
  expect(await alone.builder.plan({})).toMatchObject({ request: { messages: [{ id: idOf(2) }] } });
  const { builder, read } = project({ prompt: { includeChat: true } });
  expect(await builder.plan({})).toMatchObject({ request: { messages: [{ id: idOf(1) }, { id: idOf(2) }] } });
  await builder.plan({});
  expect([alone.read.times, read.times]).toEqual([0, 1]);
});

it("A filter_messages hook causes one read of 1,000 rows, and without it no more rows are read", async () => {
  const filter = (_: never, list: never) => list;
  const { builder, read } = project({ filter });
  expect(await builder.plan({})).toMatchObject({ request: { messages: [{ id: idOf(2) }] } });
  await builder.plan({});
  expect(read).toEqual({ times: 1, limit: 1000 });
  const without = project({});
  await without.builder.plan({});
  expect(without.read.times).toBe(0);
});

it("A strategy's tool choice replaces the prompt's, and its instruction is sent as the last message", async () => {
  const { builder } = project({ prompt: { toolChoice: "required" } });
  expect(await builder.plan({ toolChoice: "none", instruction: { text: "Reason.", keep: false } })).toMatchObject({
    request: { toolChoice: "none", messages: [{ id: idOf(2) }, { id: null, parts: [{ text: "Reason." }] }] },
  });
});

it("A missing definition is reported as a problem of the plan, and no exception is thrown", async () => {
  const code = async (given: Project) => {
    const plan = await project(given).builder.plan({});
    return "problem" in plan ? plan.problem.code : null;
  };
  expect(await code({ agent: "gone" })).toBe("agent_not_found");
  expect(await code({ prompt: { model: "gone" } })).toBe("model_not_found");
  expect(await code({ model: { fallbacks: ["gone"] } })).toBe("model_not_found");
  expect(await code({ prompt: { prompt: [{ type: "include", prompt: "gone" }] } })).toBe("prompt_not_found");
});

it("If a step is planned again with less content, lines of text are sent in place of images", async () => {
  const files = new MemoryFiles();
  files.put("/attachments/cat.png", pngBytes(), "image/png");
  const image: StoredPart = { type: "image", mime_type: "image/png", path: "/attachments/cat.png", name: "cat.png" };
  const { builder } = project({ own: [messageRecord(2, { parts: [image] })], files });
  const signal = new AbortController().signal;
  const parts = async (squeeze: number) => {
    const plan = await builder.plan({}, signal, { squeeze });
    if ("problem" in plan) throw new Error(plan.problem.message);
    return plan.request.messages.flatMap((message) => message.parts.map(({ type }) => type));
  };
  expect([await parts(0), await parts(1)]).toEqual([["image"], ["text"]]);
});

it("If a history ends in an answer, a line that asks to continue is added to the request, and this line is never stored", async () => {
  const call: StoredPart = { type: "tool_call", id: "c1", name: "look", arguments: {} };
  const text: StoredPart = { type: "text", text: "Well" };
  const answer = messageRecord(3, { role: "assistant", parts: [text] });
  const result = messageRecord(5, { role: "tool", name: "look", tool_call_id: "c1", result: { status: "success" } });
  const calling = messageRecord(4, { role: "assistant", parts: [call] });
  const blank = messageRecord(4, { role: "assistant", parts: [{ type: "text", text: " " }] });
  const last = async (own: MessageRecord[]) => (await planOf({ own })).request.messages.at(-1);

  const goOn = { id: null, role: "user", parts: [{ type: "text", text: "Continue." }] };
  const own = [messageRecord(2), answer];
  expect(await last(own)).toMatchObject(goOn);
  expect(await last([messageRecord(2), answer, blank])).toMatchObject(goOn);
  expect(own).toHaveLength(2);
  expect((await planOf({ own })).trace["messages"]).toMatchObject({ count: 3, last: idOf(3), unstored: 1 });

  expect(await last([messageRecord(2)])).toMatchObject({ id: idOf(2) });
  expect(await last([messageRecord(2), blank])).toMatchObject({ id: idOf(2) });
  expect(await last([messageRecord(2), calling, result])).toMatchObject({ id: idOf(5) });
  // A call whose result was lost has a result that states this.
  expect(await last([messageRecord(2), calling])).toMatchObject({ role: "tool", tool_call_id: "c1" });

  const led = await project({ own }).builder.plan({ instruction: { text: "Reason.", keep: false } });
  expect(led).toMatchObject({ request: { messages: [{}, { id: idOf(3) }, { parts: [{ text: "Reason." }] }] } });
});

it("A prompt with modelOrder offers _after with its tools, also when a step is resumed, and the tools do not receive it", async () => {
  const prompt = { modelOrder: true };
  const planned = await planOf({ prompt });
  const schema = planned.request.tools[0]?.parameters["properties"];
  expect(schema).toMatchObject({ at: { type: "string" }, _after: { type: "array" } });
  const resumed = await project({ prompt }).builder.tools([]);
  for (const tools of [planned.tools, "tools" in resumed ? resumed.tools : new Map()]) {
    expect(tools.get("look")?.check({ at: "x", _after: ["look"] })).toEqual({ ok: true, args: { at: "x" } });
  }
  expect((await planOf({})).request.tools[0]?.parameters["properties"]).not.toHaveProperty("_after");
});

it("A loop's later steps have the requests and the estimates that a new loop with the same messages has", async () => {
  const long = (index: number) => messageRecord(index, { parts: [{ type: "text", text: "word ".repeat(200) }] });
  const calling = messageRecord(20, {
    role: "assistant",
    parts: [{ type: "tool_call", id: "c1", name: "look", arguments: {} }],
  });
  const started = messageRecord(21, { role: "tool", tool_call_id: "c1", name: "look", status: "started" });
  const result = { status: "success" as const, result: "Seen." };
  const changed = messageRecord(2, { parts: [{ type: "text", text: "Another question" }] });
  const steps: ((messages: MessageRecord[]) => MessageRecord[])[] = [
    (messages) => messages,
    (messages) => [...messages, calling, started],
    (messages) => [...messages.slice(0, -1), messageRecord(21, { ...started, status: "complete", result })],
    (messages) => messages.with(0, changed),
    (messages) => messages.toSpliced(1, 1),
    (messages) => [...messages, ...Array.from({ length: 20 }, (_, at) => long(at + 30))],
  ];
  const earlier = Array.from({ length: 3 }, (_, at) => messageRecord(-at, { id: idOf(at + 100), position: `0${at}` }));
  const given = { prompt: { includeChat: true }, model: { contextWindow: 4000 }, earlier };
  const own: MessageRecord[] = [];
  const { builder } = project({ ...given, own });
  let messages = [messageRecord(2), long(3)];
  for (const [at, change] of steps.entries()) {
    messages = change(messages);
    own.splice(0, own.length, ...messages);
    const [plan, alone] = [await builder.plan({}), await planOf({ ...given, own: [...messages] })];
    if ("problem" in plan) throw new Error(plan.problem.message);
    expect(plan.request).toEqual(alone.request);
    expect(plan.trace).toEqual(alone.trace);
    // The last step exceeds the budget, so it shows the estimate.
    expect(plan.compaction?.tokens_before).toBe(alone.compaction?.tokens_before);
    expect(plan.compaction !== undefined).toBe(at === steps.length - 1);
  }
});

it("The summary of dropped messages is requested from the model that the prompt names, else from the prompt's own model", async () => {
  const small = defineModel({ name: "small", provider: "test", model: "small" });
  const long = (index: number) => messageRecord(index, { parts: [{ type: "text", text: "word ".repeat(400) }] });
  const writerOf = async (context: PromptDefinition["context"]) => {
    const plan = await planOf({
      prompt: { includeChat: true, context: { maxTokens: 2000, keepRecent: 2, ...context } },
      models: { small },
      own: Array.from({ length: 12 }, (_, at) => long(at + 2)),
    });
    return plan.summary?.model.name;
  };
  expect(await writerOf({ strategy: "summarize", model: "small" })).toBe("small");
  expect(await writerOf({ strategy: "summarize" })).toBe("main");
  expect(await writerOf({ strategy: "levels" })).toBeUndefined();
});

it("Without includePastTools, the calls of a run are no longer sent when the next run begins, and each later run begins with the same messages", async () => {
  const run = (at: number) => {
    const call = { type: "tool_call" as const, id: `c${at}`, name: "look", arguments: {} };
    const loop = { run_id: `r${at}`, side: "a" as const };
    const result = { status: "success" as const, result: `Seen ${at}.` };
    return [
      messageRecord(at * 10 + 1, { run_id: `r${at}`, parts: [{ type: "text", text: `Question ${at}` }] }),
      messageRecord(at * 10 + 2, { ...loop, role: "assistant", step: 1, model: "main", parts: [call] }),
      messageRecord(at * 10 + 3, { ...loop, role: "tool", tool_call_id: `c${at}`, name: "look", result }),
      messageRecord(at * 10 + 4, {
        ...loop,
        role: "assistant",
        step: 2,
        model: "main",
        parts: [{ type: "text", text: `Answer ${at}` }],
      }),
    ];
  };
  const runs = Array.from({ length: 4 }, (_, at) => run(at + 1));
  const requests = await Promise.all(
    runs.map(async (messages, at) => {
      const own: MessageRecord[] = messages.slice(0, 1);
      const earlier = runs.slice(0, at).flat();
      const { builder } = project({ prompt: { includeChat: true, includePastTools: false }, own, earlier });
      const sentNow = async () => {
        const plan = await builder.plan({});
        if ("problem" in plan) throw new Error(plan.problem.message);
        return plan.request.messages;
      };
      const first = await sentNow();
      own.push(...messages.slice(1, 3));
      return { first, second: await sentNow() };
    }),
  );
  for (const [at, { first, second }] of requests.entries()) {
    expect(first.filter(({ role }) => role === "tool")).toEqual([]);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.filter(({ role }) => role === "tool")).toHaveLength(1);
    const before = requests[at - 1];
    if (before !== undefined) expect(first.slice(0, before.first.length)).toEqual(before.first);
  }
});
