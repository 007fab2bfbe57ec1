// The request of a step in process: system prompt, conversation, tools and options, the same in each step.

import { expect, it } from "vitest";

import type { StepPlan, StepProblem } from "#core/ports/step-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { fixedSteps } from "#host/fixed-steps.ts";
import type { StepSettings } from "#host/fixed-steps.ts";
import { hostMessage } from "#host/host-records.ts";

import { scripted, tool } from "./support/host-run.ts";

const noop = tool("noop", () => ({ status: "success", result: "ok" }));

function message(id: string, role: "user" | "assistant", text: string, more: Partial<MessageRecord> = {}) {
  const record = hostMessage({ id, role, parts: [{ type: "text", text }] }, { at: 1, run_id: "run" });
  return { ...record, ...more };
}

function steps(own: MessageRecord[], more: Partial<StepSettings> = {}, earlier: MessageRecord[] = []) {
  const settings: StepSettings = {
    system: "Be brief.",
    models: [scripted([])],
    tools: new Map([["noop", noop]]),
    toolMode: "parallel",
    ...more,
  };
  return fixedSteps(settings, { earlier, own: () => own });
}

function plan(made: StepPlan | StepProblem): StepPlan {
  if ("problem" in made) throw new Error(made.problem.message);
  return made;
}

const signal = new AbortController().signal;
const texts = ({ request }: StepPlan) =>
  request.messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map((part) => (part.type === "text" ? part.text : part.type === "thinking" ? `(${part.thinking})` : part.type)).join("")}`,
  );

it("The text in place of a missing tool result comes from the run's settings, and is by default the same as in threads", async () => {
  const call = { type: "tool_call", id: "c1", name: "noop", arguments: {} } as const;
  const own = [
    message("1", "user", "One"),
    message("2", "assistant", "", { step: 1, model: "m", parts: [call] }),
    message("3", "user", "Two"),
  ];
  const resultOf = ({ request }: StepPlan) => request.messages.find(({ role }) => role === "tool")?.result?.error;
  const byDefault = plan(await steps(own).plan({}, signal));
  expect(resultOf(byDefault)).toBe("This call has no result: it was interrupted or removed.");
  const errorTexts = { lostResult: (name: string) => `Nothing is known of ${name}.` };
  const changed = plan(await steps(own, { errorTexts }).plan({}, signal));
  expect(resultOf(changed)).toBe("Nothing is known of noop.");
});

it("Each request of an in-process session contains the system prompt, all messages, the tools and the options", async () => {
  const earlier = [message("1", "user", "One"), message("2", "assistant", "Two", { step: 1, model: "m" })];
  const port = steps(
    [message("3", "user", "Three")],
    { temperature: 0.5, maxTokens: 7, reasoning: { effort: "low" } },
    earlier,
  );
  const made = plan(await port.plan({}, signal));
  expect(texts(made)).toEqual(["user: One", "assistant: Two", "user: Three"]);
  expect(made.request).toMatchObject({
    system: "Be brief.",
    tools: [{ name: "noop" }],
    toolChoice: "auto",
    parallelToolCalls: true,
    temperature: 0.5,
    maxTokens: 7,
    reasoning: { effort: "low" },
  });
});

it("A strategy's instruction and tool choice are part of the request, and the instruction is not stored", async () => {
  const own = [message("1", "user", "One")];
  const made = plan(
    await steps(own).plan({ toolChoice: "none", instruction: { text: "Think first.", keep: false } }, signal),
  );
  expect(texts(made)).toEqual(["user: One", "user: Think first."]);
  expect(made.request.toolChoice).toBe("none");
  expect(own).toHaveLength(1);
});

it("A conversation that ends with an assistant message is sent with a user message that asks to continue", async () => {
  const own = [message("1", "user", "One"), message("2", "assistant", "Two", { step: 1, model: "m" })];
  expect(texts(plan(await steps(own).plan({}, signal))).at(-1)).toBe("user: Continue.");
});

it("A conversation without messages ends the run with the error `conflict`", async () => {
  expect(await steps([]).plan({}, signal)).toMatchObject({ problem: { code: "conflict" } });
});

it("A model without function calling is offered no tools, and the tool of an earlier call can still run", async () => {
  const models: StepSettings["models"] = [scripted([], "plain", { capabilities: { functionCalling: false } })];
  const port = steps([message("1", "user", "One")], { models });
  expect(plan(await port.plan({}, signal)).request.tools).toEqual([]);
  expect(await port.tools(["noop"])).toMatchObject({ tools: new Map([["noop", noop]]) });
});

it("Thinking of earlier runs is sent again only if the reasoning options request it", async () => {
  const thinking = { type: "thinking" as const, thinking: "Hm." };
  const earlier = [
    message("1", "user", "One", { run_id: "before" }),
    {
      ...message("2", "assistant", "Two", { step: 1, model: "m", run_id: "before" }),
      parts: [thinking, { type: "text" as const, text: "Two" }],
    },
  ];
  const own = [message("3", "user", "Three")];
  const without = plan(await steps(own, {}, earlier).plan({}, signal));
  const included = plan(await steps(own, { reasoning: { include: true } }, earlier).plan({}, signal));
  expect(texts(without)[1]).toBe("assistant: Two");
  expect(texts(included)[1]).toBe("assistant: (Hm.)Two");
});

it("A message that refers to a file by its path is sent with a text that names the file", async () => {
  const parts = [
    { type: "file" as const, mime_type: "application/pdf", path: "/attachments/a.pdf", name: "a.pdf", size: 9 },
  ];
  const own = [{ ...message("1", "user", ""), parts }];
  expect(texts(plan(await steps(own).plan({}, signal)))).toEqual([expect.stringContaining("a.pdf")]);
});
