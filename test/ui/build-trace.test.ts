// A run's log and events as a tree of times.

import { describe, expect, it } from "vitest";

import type { Log, ThreadEvent } from "#client/index.ts";
import type { EventDraft } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";
import { buildTrace } from "#playground/trace/build-trace.ts";
import { nextStepOf } from "#playground/trace/node-label.ts";
import type { AttemptNode, RunNode, TraceNode } from "#playground/trace/trace-node.ts";
import { traceRows } from "#playground/trace/trace-rows.ts";

import { at, attemptRow, callRow, runOf, numberedEvents } from "./support/streamed-events.ts";

const begun: EventDraft = {
  type: "run_start",
  agent_id: "helper",
  kind: "message",
  trigger: "user",
  parent_run_id: null,
};
const ended: EventDraft = {
  type: "run_end",
  status: "completed",
  reason: null,
  outcome: null,
  usage: zeroUsage,
  cost: 0,
  message_ids: [],
  error: null,
};
const step = (number: number, more: object = {}): EventDraft => ({
  type: "step_start",
  step: number,
  model: "fast",
  attempt: 1,
  ...more,
});
const stepEnd = (number: number, more: object = {}): EventDraft => ({
  type: "step_end",
  step: number,
  usage: zeroUsage,
  stop_reason: "stop",
  cost: 0,
  ...more,
});
const call = (id: string, more: object = {}): EventDraft => ({
  type: "tool_execution_start",
  step: 1,
  tool_call_id: id,
  tool_name: "find",
  message_id: `tool ${id}`,
  args: { for: id },
  ...more,
});
const result = (id: string, took: number, more: object = {}): EventDraft => ({
  type: "tool_execution_end",
  step: 1,
  tool_call_id: id,
  tool_name: "find",
  message_id: `tool ${id}`,
  result: { status: "success", result: `found ${id}` },
  is_error: false,
  duration_ms: took,
  ...more,
});
const answer = (id: string, more: object = {}): EventDraft => ({
  type: "message_start",
  step: 1,
  role: "assistant",
  message_id: id,
  position: id,
  ...more,
});
const error = { code: "network", message: "It hung up.", retryable: true };

function traced(streamed: readonly [number, EventDraft][], logs: readonly Log[] = [], isOver = true): RunNode {
  const tell = numberedEvents();
  const events: ThreadEvent[] = streamed.map(([ms, draft]) => tell(ms, draft));
  const run = isOver ? runOf() : runOf({ status: "running", ended_at: null });
  return buildTrace({ thread_id: "thread", run, logs, events });
}

/** One line for each node: its depth as indentation, its kind, name and state, and its start and end in milliseconds. */
function drawn(root: RunNode): string[] {
  const ms = (time: number | null): string => (time === null ? "…" : String((time - at(0)) / 1000));
  return traceRows(root, new Set()).map(
    ({ node, level }) =>
      `${" ".repeat(level - 1)}${node.kind} ${node.name} ${node.state} ${ms(node.start)}-${ms(node.end)}`,
  );
}

const only = <K extends TraceNode["kind"]>(root: RunNode, kind: K) =>
  traceRows(root, new Set()).flatMap(({ node }) =>
    node.kind === kind ? [node as Extract<TraceNode, { kind: K }>] : [],
  );

describe("a strategy", () => {
  it("A step in a trace shows its phase, its reasoning, and the plan with the number of completed steps", () => {
    const planStep = (id: string, status: "pending" | "completed") => ({ id, description: id, dependsOn: [], status });
    const steps = [planStep("look", "completed"), planStep("answer", "pending")];
    const root = traced([
      [0, begun],
      [1, step(1, { phase: "reason" })],
      [2, { type: "message_start", role: "user", message_id: "instruction", position: "a", silent: true }],
      [3, stepEnd(1)],
      [3, { type: "reasoning", step: 1, strategy: "react", message_id: "m", text: "Look first." }],
      [4, step(2, { phase: "execute", side: "b" })],
      [5, stepEnd(2)],
      [5, { type: "plan", step: 2, strategy: "plan", steps }],
      [6, step(3)],
      [7, stepEnd(3)],
      [8, ended],
    ]);
    const shown = root.children.filter((node) => node.kind === "step");
    expect(shown.map(({ aside }) => aside)).toEqual(["reason", "execute, 1 of 2 done, side B", null]);
    expect(shown.map(({ reasoning }) => reasoning)).toEqual(["Look first.", null, null]);
    expect(shown.map(({ plan }) => plan)).toEqual([null, steps, null]);
  });
});

describe("a compaction in a trace", () => {
  it("A trace shows a compaction as a note with the tokens before and after it, and the number of messages that are no longer sent", () => {
    const root = traced([
      [0, begun],
      [1, step(1)],
      [2, { type: "compaction_start", step: 1, reason: "budget", tokens: 1775, budget: 1600 }],
      [3, { type: "compaction_end", step: 1, level: "drop", tokens: 1170, dropped: 6 }],
      [4, { type: "compaction_start", step: 1, reason: "files", tokens: 900, budget: 1600 }],
      [5, { type: "compaction_end", step: 1, level: "files", tokens: 800, dropped: 0 }],
      [6, stepEnd(1)],
      [7, ended],
    ]);
    const notes = root.children.filter((node) => node.kind === "note");
    expect(notes.map(({ name, aside }) => [name, aside?.replaceAll("\u00a0", " ")])).toEqual([
      ["Request compacted", "from 1 775 to 1 170 tokens; 6 messages are no longer sent"],
      ["Request compacted", "from 900 to 800 tokens"],
    ]);
  });
});

describe("a trace", () => {
  const parallel: [number, EventDraft][] = [
    [0, begun],
    [2, step(1)],
    [4, answer("m")],
    [100, call("a")],
    [101, call("b")],
    [150, result("b", 49)],
    [300, result("a", 200)],
    [301, stepEnd(1)],
    [302, ended],
  ];

  it("The trace bars of a model attempt and of its tool calls have the durations of the log, in the order in which they began", () => {
    const root = traced(parallel, [attemptRow(3, 90), callRow(100, 201, { id: "a", message_id: "tool a" })]);
    expect(drawn(root)).toEqual([
      "run helper done 0-1000",
      " step Step 1 done 2-301",
      "  attempt fast done 3-93",
      "  tool find done 100-300",
      "  tool find done 101-150",
    ]);
    const [attempt] = only(root, "attempt");
    expect(attempt).toMatchObject({ log_id: "row 3", cost: 0.001, first_token_ms: 10, usage: { cache_read: 30 } });
    expect(only(root, "tool")[0]).toMatchObject({
      duration_ms: 201,
      args: { for: "a" },
      result: { result: "found a" },
    });
  });

  it("A trace is built from the log without events, and from events without the log", () => {
    const logs = [attemptRow(3, 90), callRow(100, 50)];
    expect(drawn(traced([], logs))).toEqual([
      "run helper done 0-1000",
      " step Step 1 done 3-93",
      "  attempt fast done 3-93",
      " tool find done 100-150",
    ]);
    expect(drawn(traced(parallel))).toContain("  attempt fast done 2-301");
  });

  it("A trace leaves out events of another run", () => {
    expect(drawn(traced([[5, { ...step(1), run_id: "other" } as EventDraft]]))).toHaveLength(1);
  });

  const failing: [number, EventDraft][] = [
    [0, begun],
    [2, step(1)],
    [10, { type: "model_retry", step: 1, attempt: 2, max: 1, delay_ms: 40, error }],
    [60, { type: "model_fallback", step: 1, from: "fast", to: "slow", error }],
    [61, answer("m")],
    [90, stepEnd(1)],
    [91, ended],
  ];

  it("Failed attempts, the waits between them and the fallback model are trace bars, with or without the log", () => {
    const bars = [
      "  attempt fast failed 2-10",
      "  wait Back-off done 10-50",
      "  attempt fast failed 50-60",
      "  attempt slow done 60-90",
    ];
    expect(drawn(traced(failing)).slice(2)).toEqual(bars);
    const kind = { kind: "network", message: "It hung up." };
    const logs = [
      attemptRow(2, 8, { error: kind }),
      attemptRow(50, 10, { error: kind, attempt: 2 }),
      attemptRow(60, 30, { model: "slow" }),
    ];
    expect(drawn(traced(failing, logs)).slice(2)).toEqual(bars);
  });

  it("A failed attempt in a trace states whether it was retried, followed by a fallback, or the end of the run", () => {
    const attempts = only(traced(failing), "attempt");
    const said = attempts.map((node: AttemptNode) => nextStepOf(attempts, node));
    expect(said).toEqual([
      "fast was called again after 40 ms: attempt 2.",
      "The next attempt used the fallback slow.",
      null,
    ]);
    const alone = attempts.slice(0, 1);
    expect(alone.map((node) => nextStepOf(alone, node))).toEqual([
      "The run ended with this error: there was no other attempt.",
    ]);
  });

  const crashed: [number, EventDraft][] = [
    [0, begun],
    [1, { type: "error", code: "hook", message: "It threw." }],
    [2, step(1)],
    [4, answer("m")],
    [20, { type: "message_retracted", reason: "recovery" }],
    [21, { type: "agent_handoff", from: "a", to: "b", tool_call_id: "c" }],
    [25, step(1)],
    [27, answer("n")],
    [60, stepEnd(1)],
    [61, ended],
  ];
  const recovered: Log = { ...attemptRow(21, 0), id: "row 21", type: "recovery", data: {} };

  it.each([
    [
      "parallel calls",
      parallel,
      [attemptRow(3, 90), ...["a", "b"].map((id) => callRow(100, 9, { id, message_id: `tool ${id}` }))],
    ],
    [
      "failed attempts",
      failing,
      [attemptRow(2, 8), attemptRow(50, 10, { attempt: 2 }), attemptRow(60, 30, { model: "slow" })],
    ],
    ["a crash", crashed, [attemptRow(26, 30), recovered]],
  ])("Every trace bar of the log keeps its key while the events of a run with %s arrive", (_what, events, logs) => {
    const keys = (root: RunNode): string[] => traceRows(root, new Set()).map(({ node }) => node.key);
    for (let count = 0; count < events.length; count += 1) {
      const next = keys(traced(events.slice(0, count + 1), logs));
      expect(next).toEqual(expect.arrayContaining(keys(traced(events.slice(0, count), logs))));
      expect(new Set(next).size).toBe(next.length);
    }
  });

  it("A trace note of an event keeps its key if the log row of another note arrives after it", () => {
    const key = (logs: Log[]) => only(traced(crashed, logs), "note").find(({ name }) => name.includes("handed"))?.key;
    expect(key([recovered])).toBe(key([]));
  });

  it("If a crash of the server interrupts an attempt, a trace shows it next to the logged attempt that replaced it", () => {
    const root = traced(
      [
        [0, begun],
        [2, step(1)],
        [4, answer("m")],
        [20, { type: "message_retracted", reason: "recovery" }],
        [25, step(1)],
        [27, answer("n")],
        [60, stepEnd(1)],
        [61, ended],
      ],
      [attemptRow(26, 30)],
    );
    expect(drawn(root).slice(2)).toEqual([
      "  attempt fast failed 2-20",
      "  attempt fast done 26-56",
      " note Resumed after an interruption done 20-20",
    ]);
    expect(only(root, "attempt").map(({ log_id }) => log_id)).toEqual([null, "row 26"]);
  });

  it("A trace bar has no end while its step or call is active, and keeps its key when it ends", () => {
    const live = traced(parallel.slice(0, 5), [], false);
    expect(drawn(live)).toEqual([
      "run helper running 0-…",
      " step Step 1 running 2-…",
      "  attempt fast running 2-…",
      "  tool find running 100-…",
      "  tool find running 101-…",
    ]);
    const keys = (root: RunNode): string[] => traceRows(root, new Set()).map(({ node }) => node.key);
    expect(keys(live)).toEqual(keys(traced(parallel, [attemptRow(3, 90)])));
  });

  it("The trace bars of a nested prompt are under the bar of the call that runs the prompt", () => {
    const under = { parent_id: "tool a" };
    const start = {
      type: "subagent_start",
      message_id: "tool a",
      subagent_id: "tool a",
      subagent_type: "find",
    } as const;
    const root = traced([
      [0, begun],
      [2, step(1)],
      [100, call("a")],
      [100, { ...start, parent_tool_call_id: "a", prompt: "Look" }],
      [110, step(1, under)],
      [120, call("b", under)],
      [130, result("b", 10, under)],
      [140, stepEnd(1, under)],
      [150, result("a", 50)],
      [160, stepEnd(1)],
      [170, ended],
    ]);
    expect(drawn(root).slice(2)).toEqual([
      "  attempt fast done 2-160",
      "  prompt find done 100-150",
      "   step Step 1 done 110-140",
      "    attempt fast done 110-140",
      "    tool find done 120-130",
    ]);
  });

  it("A trace requests the steps of a child thread when the thread's call is opened", () => {
    const child = { subagent_id: "child", child_thread_id: "child", subagent_type: "find", prompt: "Look" };
    const root = traced([
      [0, begun],
      [2, step(1)],
      [100, call("a")],
      [100, { type: "subagent_start", message_id: "tool a", parent_tool_call_id: "a", ...child }],
    ]);
    const requested: string[] = [];
    const childOf = (node: TraceNode): readonly TraceNode[] => {
      requested.push(node.key);
      return [{ ...root, key: "under", children: [] }];
    };
    expect(traceRows(root, new Set(), childOf).map(({ node, open }) => [node.kind, open])).toContainEqual([
      "child",
      false,
    ]);
    expect(requested).toEqual([]);
    const opened = traceRows(root, new Set(["call tool a"]), childOf);
    expect(opened.find(({ node }) => node.key === "under")).toMatchObject({ level: 4, parent: "call tool a" });
  });

  it("A trace has the wait for an approval before its call, the wait for a client within its call, and the wait at a limit at the top level", () => {
    const awaited = { deadline: at(9999), name: "find", message_id: "tool a" };
    const asks = (id: string, kind: "approval" | "remote" | "limit"): EventDraft => ({
      type: "awaiting_tool_execution",
      tool_calls: [{ ...awaited, id, kind }],
    });
    const consent = traced([
      [0, begun],
      [2, step(1)],
      [100, asks("a", "approval")],
      [700, call("a")],
      [710, result("a", 10)],
      [720, stepEnd(1)],
    ]);
    expect(drawn(consent).slice(3)).toEqual(["  wait find done 100-700", "  tool find done 700-710"]);
    const client = traced(
      [
        [0, begun],
        [2, step(1)],
        [90, call("a")],
        [100, asks("a", "remote")],
      ],
      [],
      false,
    );
    expect(drawn(client).at(-1)).toBe("  tool find waiting 90-…");
    const limit = traced([
      [0, begun],
      [100, asks("l", "limit")],
      [500, step(1)],
      [510, ended],
    ]);
    expect(drawn(limit)[1]).toBe(" wait Limit done 100-500");
  });
});
