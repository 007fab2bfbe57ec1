// The loop's hooks of steps and calls: their order among the events, and what they may change.

import { expect, it } from "vitest";

import type { LoopHooks } from "#core/ports/hook-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";

import { Harness, modelNamed } from "./support/harness.ts";
import type { Setup } from "./support/harness.ts";
import { turn } from "./support/manual-clock.ts";
import { calls, failure, says, textBlock } from "./support/scripted-model.ts";
import { gate, ok, pieces, streamingTool, tool } from "./support/tool-box.ts";

/** A harness whose hooks and events are recorded in one list. */
function traced(setup: Setup): { harness: Harness; trace: string[] } {
  const trace: string[] = [];
  const given = setup.hooks ?? {};
  const hooks: LoopHooks = {
    beforeStep: async (step) => {
      trace.push(`before_step ${step.step}`);
      return (await given.beforeStep?.(step)) ?? true;
    },
    afterStep: async ({ step, status, answer, results }) => {
      trace.push(`after_step ${step} ${status} ${answer?.stop_reason ?? "none"} ${results.length}`);
    },
    failed: async ({ code }, { step }) => void trace.push(`failed ${step} ${code}`),
    beforeCall: async (call) => {
      trace.push(`before_call ${call.id}`);
      return (await given.beforeCall?.(call)) ?? { type: "run" };
    },
    updates: async () => {
      const hide = await given.updates?.();
      return (update, emit) => {
        trace.push(`update ${update.id}`);
        if (hide === undefined) emit();
        else hide(update, emit);
      };
    },
    afterCall: async ({ id }, { status }) => void trace.push(`after_call ${id} ${status}`),
    beforeCreateMessage: async (message) => {
      trace.push(`before_create ${message.tool_call_id ?? message.role}`);
      return message;
    },
    afterCreateMessage: async (message) => void trace.push(`after_create ${message.tool_call_id ?? message.role}`),
    afterToolCall: async (call, answer) => {
      trace.push(`after_tool_call_${answer.status} ${call.id}`);
      return answer;
    },
    beforeStoreToolResult: async (call, answer) => {
      trace.push(`before_store ${call.id}`);
      return answer;
    },
  };
  const harness = new Harness({ ...setup, hooks });
  const send = harness.sink.send.bind(harness.sink);
  harness.sink.send = (event) => {
    send(event);
    if (/^(?:run|step|tool_execution)_/.test(event.type)) trace.push(event.type);
  };
  return { harness, trace };
}

const stream = streamingTool("stream", () =>
  pieces({ type: "delta", delta: "half" }, { type: "delta", delta: " done" }, { type: "result", result: ok("done") }),
);
const broken = tool("broken", async () => {
  throw new Error("broke");
});

it("The hooks of a run with tools and an error run in one fixed order among its events", async () => {
  const script = (_: unknown, number: number) =>
    number === 0 ? calls("c", ["stream", {}], ["broken", {}]) : [failure({ kind: "auth", retryable: false })];
  const { harness, trace } = traced({ script, tools: [stream, broken], toolMode: "sequential" });
  expect(await harness.finish()).toMatchObject({ status: "error", reason: "auth" });
  expect(trace).toEqual([
    "run_start",
    "before_step 1",
    "step_start",
    "before_create assistant",
    "after_create assistant",
    "before_call c0",
    "tool_execution_start",
    "update c0",
    "tool_execution_delta",
    "update c0",
    "tool_execution_delta",
    "after_tool_call_success c0",
    "before_store c0",
    "before_create c0",
    "tool_execution_end",
    "after_create c0",
    "after_call c0 success",
    "before_call c1",
    "tool_execution_start",
    "after_tool_call_error c1",
    "before_store c1",
    "before_create c1",
    "tool_execution_end",
    "after_create c1",
    "after_call c1 error",
    "step_end",
    "after_step 1 completed tool_calls 2",
    "before_step 2",
    "step_start",
    "failed 2 auth",
    "step_end",
    "after_step 2 error none 0",
    "run_end",
  ]);
});

it("A stop in the middle of an answer calls the hook after the step, and not the hook for failures", async () => {
  const { harness, trace } = traced({ script: () => [...textBlock(0, "half").slice(0, -1), { type: "hang" }] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  expect(await ended).toMatchObject({ status: "stopped" });
  expect(trace).toEqual([
    "run_start",
    "before_step 1",
    "step_start",
    "before_create assistant",
    "after_create assistant",
    "step_end",
    "after_step 1 stopped aborted 0",
    "run_end",
  ]);
});

it("A step that cannot be prepared calls the hook for failures, and then the hook after the step", async () => {
  const problem = { problem: { code: "prompt_not_found", message: "There is no prompt." } };
  const { harness, trace } = traced({ script: () => says("never"), problem });
  await harness.finish();
  expect(trace).toEqual([
    "run_start",
    "before_step 1",
    "failed 1 prompt_not_found",
    "after_step 1 error none 0",
    "run_end",
  ]);
});

it("If a hook forbids a step, the run ends before the step's request, and the hook after steps is not called for this step", async () => {
  const script = (_: unknown, number: number) => calls(`s${number}`, ["stream", {}]);
  const beforeStep: LoopHooks["beforeStep"] = async ({ step }) => step < 2;
  const { harness, trace } = traced({ script, tools: [stream], hooks: { beforeStep } });
  expect(await harness.finish()).toEqual({ status: "stopped", reason: "stopped_by_hook" });
  expect(harness.model.requests).toHaveLength(1);
  expect(trace.slice(-3)).toEqual(["after_step 1 completed tool_calls 1", "before_step 2", "run_end"]);
});

it("The hook before a step is called only once if the step is suspended for a retry and resumed", async () => {
  const slow = failure({ kind: "rate_limited", retry_after_ms: 60_000 });
  const script = (_: unknown, number: number) => (number === 0 ? [slow] : says("late"));
  const models: Setup["models"] = [modelNamed("main", { retry: { maxRetries: 1, initialDelayMs: 1 } })];
  const first = traced({ script, models });
  expect(await first.harness.drive()).toMatchObject({ type: "suspend" });
  const second = traced({ script: () => says("late"), models, rows: first.harness.rows(), clock: first.harness.clock });
  await first.harness.clock.advance(120_000);
  await second.harness.finish();
  const of = (trace: string[]) => trace.filter((entry) => entry.includes("_step "));
  expect([of(first.trace), of(second.trace)]).toEqual([["before_step 1"], ["after_step 1 completed stop 0"]]);
});

it("A skipped call never runs, and the model receives an error result for it alone", async () => {
  const ran: string[] = [];
  const it1 = tool("it", async (_args, { id }) => {
    ran.push(id);
    return ok("ran");
  });
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}], ["it", {}]) : says("done"));
  const beforeCall: LoopHooks["beforeCall"] = async ({ id }) => ({ type: id === "c0" ? "skip" : "run" });
  const { harness } = traced({ script, tools: [it1], hooks: { beforeCall } });
  expect(await harness.finish()).toMatchObject({ status: "completed" });
  expect(ran).toEqual(["c1"]);
  expect(harness.results.map(({ result }) => result)).toEqual([
    { status: "error", error: "This call was skipped by a rule of this project, so it was not run." },
    ok("ran"),
  ]);
});

/** Calls `it` once, with the hook's changed arguments. Returns the arguments with which it ran, and the stored ones. */
async function withChangedArguments(changes: Partial<ToolRunner>, rows?: Setup["rows"], killAt?: string) {
  const ran: unknown[] = [];
  const one = tool(
    "it",
    async (args) => {
      ran.push(args);
      return ok("ran");
    },
    { idempotent: true, ...changes },
  );
  const script = (_: unknown, number: number) =>
    number === 0 && rows === undefined ? calls("c", ["it", { n: 1 }]) : says("done");
  const beforeCall: LoopHooks["beforeCall"] = async () => ({ type: "run", args: { n: 2 } });
  const { harness, trace } = traced({
    script,
    tools: [one],
    hooks: { beforeCall },
    ...(rows === undefined ? {} : { rows }),
    ...(killAt === undefined ? {} : { killAt }),
  });
  await harness.drive();
  const starts = harness.events.flatMap((event) => (event.type === "tool_execution_start" ? [event.args] : []));
  return { ran, starts, harness, trace };
}

it("Arguments that a hook changes are checked, and both the tool and the event tool_execution_start have them, also after a crash", async () => {
  const calm = await withChangedArguments({});
  expect([calm.ran, calm.starts]).toEqual([[{ n: 2 }], [{ n: 2 }]]);
  expect(calm.harness.answers[0]?.parts).toMatchObject([{ arguments: { n: 1 } }]);
  const cut = await withChangedArguments({}, undefined, "call.execute");
  expect(cut.ran).toEqual([]);
  const again = await withChangedArguments({}, cut.harness.rows());
  expect([again.ran, again.trace.filter((entry) => entry.startsWith("before_call"))]).toEqual([[{ n: 2 }], []]);
  const check: ToolRunner["check"] = (args) =>
    args["n"] === 2 ? { ok: false, problem: "n is 2." } : { ok: true, args };
  const refused = await withChangedArguments({ check });
  expect(refused.ran).toEqual([]);
  expect(refused.harness.results[0]?.result?.error).toContain("n is 2.");
});

it("A hook cannot change the arguments of a tool that may need an approval", async () => {
  const approval = { needed: async () => false, editable: false, deadlineMs: 1000, timeoutMs: 1000 };
  const { ran } = await withChangedArguments({ approval });
  expect(ran).toEqual([{ n: 1 }]);
});

it("A hook can hide updates of a tool, and the offsets of the remaining updates have no gap", async () => {
  const counted = streamingTool("stream", () =>
    pieces(
      { type: "delta", delta: "one " },
      { type: "delta", delta: "secret " },
      { type: "progress", data: { percent: 50 } },
      { type: "delta", delta: "two" },
      { type: "result", result: ok("done") },
    ),
  );
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["stream", {}]) : says("done"));
  const updates: LoopHooks["updates"] = async () => (update, emit) => {
    if (!("delta" in update && update.delta.includes("secret"))) emit();
  };
  const { harness } = traced({ script, tools: [counted], hooks: { updates } });
  await harness.finish();
  const deltas = harness.events.filter(({ type }) => type === "tool_execution_delta");
  expect(deltas).toMatchObject([
    { offset: 0, delta: "one " },
    { progress: { percent: 50 } },
    { offset: 4, delta: "two" },
  ]);
  expect(harness.results[0]?.result).toEqual(ok("done"));
});

it("A stop prevents a call if it arrives while the hook before the call runs", async () => {
  const decision = gate();
  const ran: string[] = [];
  const one = tool("it", async () => {
    ran.push("it");
    return ok("ran");
  });
  const beforeCall: LoopHooks["beforeCall"] = async () => {
    await decision.promise;
    return { type: "run" };
  };
  const { harness, trace } = traced({ script: () => calls("c", ["it", {}]), tools: [one], hooks: { beforeCall } });
  const ended = harness.finish();
  await turn();
  harness.stop();
  decision.open();
  expect(await ended).toMatchObject({ status: "stopped" });
  expect([ran, trace.slice(-2)]).toEqual([[], ["after_step 1 completed tool_calls 1", "run_end"]]);
});
