// The lines in the operator's log: one for each run, with its level, and one for each tool that threw.

import { beforeEach, expect, it, vi } from "vitest";

import { toolCallLines } from "#thread/run/run-line.ts";

import { scripts } from "../worker/definitions.ts";
import { converse, newThread } from "./thread-driver.ts";

interface Line {
  level: string;
  event: string;
  thread_id: string;
}

const consoles = {
  info: vi.spyOn(console, "log"),
  warning: vi.spyOn(console, "warn"),
  error: vi.spyOn(console, "error"),
};

beforeEach(() => {
  for (const spy of Object.values(consoles)) spy.mockClear();
});

/** The lines of a thread, each with the level of the method that wrote it. */
function linesOf(id: string): { written: string; line: Line }[] {
  return Object.entries(consoles).flatMap(([written, spy]) =>
    spy.mock.calls
      .map(([text]) => ({ written, line: JSON.parse(String(text)) as Line }))
      .filter(({ line }) => line.thread_id === id),
  );
}

it("The log line of a run that completes has the level info", async () => {
  const id = await newThread("parallel");
  await converse(id, "hello");
  expect(linesOf(id)).toEqual([
    { written: "info", line: expect.objectContaining({ level: "info", event: "run_end", status: "completed" }) },
  ]);
});

it("The log lines of a failed run and of its failed tool call have the level error", async () => {
  const id = await newThread("parallel");
  scripts.set("failing", ({ step }) =>
    step === 0
      ? { toolCalls: [{ name: "broken", arguments: {} }] }
      : { error: { kind: "auth", message: "no such key" } },
  );
  await converse(id, "failing");
  const lines = linesOf(id);
  expect(lines.map(({ written, line }) => [written, line.level, line.event])).toEqual([
    ["error", "error", "tool_failed"],
    ["error", "error", "run_end"],
  ]);
  expect(lines.at(-1)?.line).toMatchObject({ status: "error", error: { code: "auth", message: "no such key" } });
});

/** The lines of tool calls, with a clock that the test moves. */
function callLines(logToolCalls: boolean) {
  const lines: [string, unknown][] = [];
  const due: (() => void)[] = [];
  const onCall = toolCallLines({
    live: { record: { id: "t1" } },
    definitions: { toolFile: (name) => (name === "spin" ? "agents/tools/spin.ts" : undefined) },
    deployment: {
      settings: { logToolCalls },
      clock: {
        after: (_ms, run) => {
          due.push(run);
          return () => void due.splice(due.indexOf(run), 1);
        },
      },
      log: (_level, event, fields) => lines.push([event, fields]),
    },
  });
  return { lines, due, onCall };
}

it("A tool call that is logged has a line at once, one each second, and one at its end, with its thread, its tool and its file", () => {
  const { lines, due, onCall } = callLines(true);
  const onEnd = onCall?.("spin", "c1");
  const line = { thread_id: "t1", call_id: "c1", tool: "spin", file: "agents/tools/spin.ts" };
  expect(lines).toEqual([["tool_runs", line]]);
  due.shift()?.();
  onEnd?.();
  expect(lines.slice(1)).toEqual([
    ["tool_runs", line],
    ["tool_ended", line],
  ]);
  expect(due).toEqual([]);
});

it("The lines of a logged tool call that never ends stop after an hour", () => {
  const { lines, due, onCall } = callLines(true);
  onCall?.("other", "c1");
  while (due.length > 0) due.shift()?.();
  expect(lines.length).toBe(3601);
  expect(lines.at(-1)).toEqual(["tool_ended", { thread_id: "t1", call_id: "c1", tool: "other", file: null }]);
});

it("Tool calls are logged only if the deployment requests it", () => {
  expect(callLines(false).onCall).toBeUndefined();
});
