// A run in process from its first message to its end, with the test provider and a clock that tests move.

import { expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import { HostLimits } from "#host/host-limits.ts";
import type { TestTurn } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";
import { gate } from "../session/support/scripted-session.ts";
import { scripted, TestRun, tool } from "./support/host-run.ts";

const call = (name: string, text: string) => ({ name, arguments: { text } });

it("A run of several steps calls its tools, counts its usage and ends with run_end", async () => {
  const requests: string[][] = [];
  const model = scripted((request) => {
    requests.push(request.messages.map(({ role, content }) => `${role}: ${content}`));
    if (request.step === 0) return { toolCalls: [call("upper", "one"), call("upper", "two")] };
    if (request.step === 1) return { text: "Once more.", toolCalls: [call("upper", "three")] };
    return { text: "Done.", usage: { input: 10, output: 5 } };
  });
  const upper = tool("upper", ({ text }) => ({ status: "success", result: `${text as string}`.toUpperCase() }));
  const run = new TestRun({ models: [model], tools: [upper], system: "Be brief." });
  const halt = await run.execute();
  expect(halt).toMatchObject({ type: "end", end: { status: "completed", reason: "response" } });
  expect(run.transcript).toEqual([
    "user: Hello",
    "assistant: [upper] [upper]",
    "tool: ONE",
    "tool: TWO",
    "assistant: Once more. [upper]",
    "tool: THREE",
    "assistant: Done.",
  ]);
  expect(requests.map((messages) => messages.length)).toEqual([1, 4, 6]);
  expect(run.outline.filter((type) => type.startsWith("step") || type === "run_end")).toEqual([
    "step_start",
    "step_end",
    "step_start",
    "step_end",
    "step_start",
    "step_end",
    "run_end",
  ]);
  const end = run.events.at(-1);
  expect(end).toMatchObject({ type: "run_end", status: "completed", usage: run.run.usage });
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at + 1));
  expect(run.run.usage.total_tokens).toBeGreaterThan(15);
});

it("The model reads an error as the result of a call if the tool throws, the arguments are invalid or the tool is unknown", async () => {
  const model = scripted(({ step, messages }) =>
    step === 0
      ? { toolCalls: [call("breaks", "x"), { name: "breaks", arguments: { text: 7 } }, call("unknown", "x")] }
      : {
          text: messages
            .filter(({ role }) => role === "tool")
            .map(({ content }) => content)
            .join(" | "),
        },
  );
  const breaks = tool("breaks", () => {
    throw new Error("It broke.");
  });
  const run = new TestRun({ models: [model], tools: [breaks] });
  await run.execute();
  expect(run.transcript.at(-1)).toMatch(/It broke\..*text: .*unknown/);
});

it("A stop by the abort signal keeps the text so far, gives open calls an error result and ends the run as stopped", async () => {
  const { passed: started, open } = gate();
  const model = scripted([{ text: "I begin.", toolCalls: [call("hangs", "x")] }, { text: "Never sent." }]);
  const hangs = tool("hangs", () => {
    open();
    return new Promise(() => {});
  });
  const run = new TestRun({ models: [model], tools: [hangs] });
  const halted = run.execute();
  await started;
  run.stop();
  expect(await halted).toMatchObject({ type: "end", end: { status: "stopped", reason: "stopped" } });
  expect(run.transcript.slice(1, 2)).toEqual(["assistant: I begin. [hangs]"]);
  expect(run.journal.messages.at(-1)).toMatchObject({ role: "tool", status: "complete", result: { status: "error" } });
  expect(run.events.at(-1)).toMatchObject({ type: "run_end", status: "stopped" });
});

it("A run ends at the default limit of steps, or at its own limit if its record has one", async () => {
  const again = () => scripted(() => ({ toolCalls: [call("noop", "x")] }));
  const noop = tool("noop", () => ({ status: "success", result: "ok" }));
  const byDefault = new TestRun({ models: [again()], tools: [noop], steps: 2 });
  expect(await byDefault.execute()).toMatchObject({ end: { status: "limit", reason: "max_steps" } });
  const requested = new TestRun({ models: [again()], tools: [noop], steps: 2, limits: { steps: 4 } });
  await requested.execute();
  const answersOf = ({ transcript }: TestRun) => transcript.filter((line) => line.startsWith("assistant")).length;
  expect([answersOf(byDefault), answersOf(requested)]).toEqual([2, 4]);
});

it("A run ends at its limits of tokens and of money before the next model request", async () => {
  const model = () =>
    scripted(({ step }) => ({ toolCalls: [call("noop", `${step}`)], usage: { input: 1000, output: 500 } }));
  const noop = tool("noop", () => ({ status: "success", result: "ok" }));
  const tokens = new TestRun({ models: [model()], tools: [noop], limits: { tokens: 2000 } });
  expect(await tokens.execute()).toMatchObject({ end: { status: "limit", reason: "max_tokens" } });
  expect(tokens.run.usage.total_tokens).toBe(3000);
  const cost = new TestRun({ models: [model()], tools: [noop], limits: { cost: 0.003 } });
  expect(await cost.execute()).toMatchObject({ end: { status: "limit", reason: "max_cost" } });
  expect(cost.run.cost).toBe(0.004);
});

it("LIMIT31 A request that continues an answer is allowed in process until the answer so far reaches the limit of tokens or money", async () => {
  const { run, journal, clock } = new TestRun({ models: [scripted(() => ({ text: "x" }))] });
  const request: ModelRequest = {
    model: { name: "main", provider: "anthropic", model: "main", inputPrice: 1, outputPrice: 1 },
    system: "",
    messages: [],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature: null,
    maxTokens: null,
  };
  const soFar = (input: number) => ({ usage: { ...zeroUsage, input, total_tokens: input }, texts: [] });
  for (const [bounds, most] of [
    [{ tokens: 2000 }, 1999],
    [{ cost: 0.002 }, 1999],
    [{}, 1e8],
  ] as const) {
    const limits = new HostLimits({ run, journal, clock }, { ...noBounds, ...bounds });
    const reserved = await limits.reserve(request);
    expect("extend" in reserved && [reserved.extend(soFar(most)), reserved.extend(soFar(most + 1))]).toEqual([
      true,
      most === 1e8,
    ]);
  }
});

it("A run is aborted at its limit of time, in the middle of a call", async () => {
  const clock = new ManualClock();
  const { passed: started, open } = gate();
  const model = scripted([{ toolCalls: [call("hangs", "x")] }]);
  const hangs = tool("hangs", (_args, { signal }) => {
    open();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const run = new TestRun({ models: [model], tools: [hangs], limits: { duration_ms: 5000 }, clock });
  const halted = run.execute();
  await started;
  await clock.advance(4999);
  expect(run.events.at(-1)?.type).toBe("tool_execution_start");
  await clock.advance(1);
  expect(await halted).toMatchObject({ end: { status: "limit", reason: "max_duration" } });
  expect(run.run.progress.driven_ms).toBe(5000);
  expect(clock.armed).toBe(0);
});

it("A failed model request is repeated after a back-off, also after a long one, and the text of the failed attempt is retracted", async () => {
  const answers: TestTurn[] = [
    { text: "Half of", error: { status: 503, message: "Overloaded." } },
    { error: { status: 429, message: "Slow down.", retryAfterMs: 60_000 } },
    { text: "All of it." },
  ];
  const model = scripted(() => answers.shift() ?? { text: "One request too many." });
  const run = new TestRun({ models: [model] });
  expect(await run.execute()).toMatchObject({ end: { status: "completed" } });
  expect(run.transcript).toEqual(["user: Hello", "assistant: All of it."]);
  expect(run.events.filter(({ type }) => type === "message_retracted")).toHaveLength(1);
  const [short = 0, long = 0] = run.clock.slept;
  expect(short).toBeGreaterThan(0);
  expect(short).toBeLessThan(10_000);
  expect(long).toBeGreaterThanOrEqual(60_000);
  expect(run.clock.slept).toHaveLength(2);
});

it("A stop during a back-off ends the run without another request", async () => {
  let requests = 0;
  const model = scripted(() => {
    requests += 1;
    return { error: { status: 429, message: "Slow down.", retryAfterMs: 60_000 } };
  });
  const { passed: sleeping, open } = gate();
  class HangingClock extends ManualClock {
    override sleep(_ms: number, signal: AbortSignal): Promise<void> {
      open();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    }
  }
  const run = new TestRun({ models: [model], clock: new HangingClock() });
  const halted = run.execute();
  await sleeping;
  run.stop();
  expect(await halted).toMatchObject({ end: { status: "stopped" } });
  expect(requests).toBe(1);
});

it("After a permanent failure of a model its fallback answers, and the run ends with an error if the fallback fails too", async () => {
  const broken = (name: string) => scripted(() => ({ error: { kind: "auth", message: `${name} refused.` } }), name);
  const working = scripted(() => ({ text: "From the fallback." }), "second");
  const saved = new TestRun({ models: [broken("first"), working] });
  await saved.execute();
  expect(saved.journal.messages.at(-1)).toMatchObject({ model: "second" });
  const failed = new TestRun({ models: [broken("first"), broken("second")] });
  expect(await failed.execute()).toMatchObject({ end: { status: "error", reason: "auth" } });
  expect(failed.events.at(-1)).toMatchObject({ type: "run_end", error: { message: "second refused." } });
});

it("A run is suspended at a remote call, and continues with the call's result when the run is executed again", async () => {
  const clock = new ManualClock();
  const model = scripted(({ step, messages }) =>
    step === 0 ? { toolCalls: [call("ask", "x")] } : { text: `Answered: ${messages.at(-1)?.content ?? ""}` },
  );
  const run = new TestRun({ models: [model], tools: [tool("ask", undefined, { clock })], clock });
  expect(await run.execute()).toEqual({ type: "suspend", until: clock.now() + 60_000_000 });
  expect(run.events.some(({ type }) => type === "run_end")).toBe(false);
  const row = run.journal.messages.at(-1);
  if (row?.awaits?.kind !== "remote") throw new Error("The call does not wait.");
  const delivered = { answer: { status: "success" as const, result: "42" } };
  run.journal.update({ ...row, awaits: { ...row.awaits, delivered } });
  expect(await run.execute()).toMatchObject({ end: { status: "completed" } });
  expect(run.transcript.at(-1)).toBe("assistant: Answered: 42");
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at + 1));
});

it("An exception inside the library ends the run with the reason internal", async () => {
  const run = new TestRun({ models: [scripted([{ text: "Hi." }])] });
  run.journal.append = () => {
    throw new Error("The list is broken.");
  };
  expect(await run.execute()).toMatchObject({ end: { status: "error", reason: "internal" } });
  expect(run.events.at(-1)).toMatchObject({
    type: "run_end",
    error: { message: expect.stringContaining("The list is broken.") },
  });
});

it("A blank answer completes a run, unless the provider blocked it or its token limit was too small", async () => {
  const endOf = async (turn: TestTurn) => {
    const halt = await new TestRun({ models: [scripted([turn])] }).execute();
    return halt.type === "end" ? [halt.end.status, halt.end.reason] : halt;
  };
  expect(await endOf({ text: "" })).toEqual(["completed", "response"]);
  expect(await endOf({ text: "", stopReason: "content_filter" })).toEqual(["error", "content_filter"]);
  expect(await endOf({ thinking: "Hm.", stopReason: "length" })).toEqual(["error", "length"]);
});
