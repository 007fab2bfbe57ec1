// The lines in the operator's log: one for each run, with its level, and one for each tool that threw.

import { beforeEach, expect, it, vi } from "vitest";

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
