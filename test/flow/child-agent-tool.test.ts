// Calls to agents with two sides: the bounds and the texts of the settings, and those of threads by default.

import { expect, it } from "vitest";

import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { CallContext } from "#core/tools/call-slot.ts";
import { agentToolRunner, threadChildCalls } from "#flow/tool/child-agent-tool.ts";
import type { ChildCallSettings } from "#flow/tool/child-agent-tool.ts";
import { defineAgent, definePrompt } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";
import { messageRecord } from "../store/records.ts";

const prompt = definePrompt({ name: "talk", toolDescription: "Talks", prompt: "Talk.", model: "m" });
const agent = defineAgent({
  name: "pair",
  type: "dual_ai",
  sideA: { prompt: "talk", stopOnResponse: true },
  sideB: { prompt: "talk" },
});

/** Runs a call after `waitedMs`, in a thread with `depth` ancestors, and returns the text that the model reads. */
async function textOfCall({ depth = 0, waitedMs = 0, settings }: CallOptions): Promise<string | undefined> {
  const clock = new ManualClock();
  const refuses = () => Promise.reject(new Error("no room"));
  const children: ChildThreads = { depth, newId: () => "child", start: refuses, stop: () => {} };
  const ports = { children, clock, faults: noFaults, ...(settings === undefined ? {} : { settings }) };
  const { nested } = agentToolRunner(agent, prompt, ports);
  const call = { id: "c1", args: {}, message: messageRecord(1, { role: "tool", tool_call_id: "c1" }) };
  const { awaits } = nested?.begin(call) ?? {};
  const row = { ...call.message, ...(awaits === undefined ? {} : { awaits }) };
  await clock.advance(waitedMs);
  const context = {
    ports: { journal: { messages: [row] }, run: { id: "r1" } },
    signal: new AbortController().signal,
  } as unknown as CallContext;
  const outcome = await nested?.run({ ...call, message: row }, context);
  return outcome?.type === "answer" ? outcome.answer.error : undefined;
}

interface CallOptions {
  depth?: number;
  waitedMs?: number;
  settings?: ChildCallSettings;
}

const own: ChildCallSettings = {
  timeoutMs: 1000,
  maxDepth: 2,
  texts: {
    unknownChild: () => "unknown",
    timedOut: () => "late",
    tooDeep: (maxDepth) => `deeper than ${maxDepth}`,
    noBudget: () => "no budget",
    notStarted: (name, cause) => `${name}: ${cause}`,
  },
};

it("A call to an agent uses the limits and the error texts in its settings", async () => {
  expect(await textOfCall({ settings: own, depth: 2 })).toBe("deeper than 2");
  expect(await textOfCall({ settings: own, depth: 1 })).toBe("pair: no room");
  expect(await textOfCall({ settings: own, waitedMs: 1000 })).toBe("late");
});

it("A call to an agent without settings uses the limits and the error texts of threads", async () => {
  expect(await textOfCall({ depth: 10 })).toBe(
    "Agents call each other more than 10 threads deep. Answer without calling another one.",
  );
  expect(await textOfCall({ depth: 9 })).toBe('The agent "pair" could not be started: no room');
  expect(await textOfCall({ waitedMs: threadChildCalls.timeoutMs })).toBe("The agent did not answer in time.");
});
