// What Node keeps of calls that have ended: their signals, and the listeners that tools added to them.

import { expect, it } from "vitest";

import { noFaults } from "#core/ports/faults.ts";
import type { CallContext, ToolRunner } from "#core/ports/tool-port.ts";
import { runnerDefaults } from "#core/ports/tool-port.ts";
import { executeTool } from "#core/tools/execute-tool.ts";
import { systemClock } from "#lib/system-clock.ts";

import { collectGarbage } from "../support/collect-garbage.ts";

/** Executes calls of a tool that listens to its signal and never removes its listener. Returns the signals of the calls. */
async function listeningCalls(count: number, signal: AbortSignal): Promise<WeakRef<AbortSignal>[]> {
  const signals: WeakRef<AbortSignal>[] = [];
  let begin = (): void => undefined;
  const all = new Promise<void>((resolve) => (begin = resolve));
  const runner: ToolRunner = {
    ...runnerDefaults,
    spec: { name: "listen", description: "", parameters: { type: "object" } },
    timeoutMs: Infinity,
    check: (args) => ({ ok: true, args }),
    async *run(_args, call) {
      signals.push(new WeakRef(call.signal));
      call.signal.addEventListener("abort", () => undefined);
      if (signals.length === count) begin();
      await all;
      yield { type: "result", result: { status: "success", result: "ok" } };
    },
  };
  const execute = (_: unknown, at: number) =>
    executeTool(
      runner,
      { args: {}, call: { id: `call_${at}` } as Omit<CallContext, "signal">, message_id: "m" },
      { clock: systemClock, faults: noFaults, emit: () => undefined, signal },
    );
  const answers = await Promise.all(Array.from({ length: count }, execute));
  expect(answers.every(({ status }) => status === "success")).toBe(true);
  return signals;
}

it("The signals of ended calls are collected although tools listen to them and the run goes on, also if a run is itself a part of another one", async () => {
  const outer = new AbortController();
  for (const signal of [new AbortController().signal, outer.signal, AbortSignal.any([outer.signal])]) {
    const signals = await listeningCalls(5, signal);
    await collectGarbage();
    expect(signals.map((weak) => weak.deref()?.aborted)).toEqual(Array.from({ length: 5 }, () => undefined));
  }
});

it("A run with 50 calls at a time causes no warning of Node about too many listeners", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): number => warnings.push(warning);
  process.on("warning", warned);
  try {
    await listeningCalls(50, new AbortController().signal);
    // Node emits a warning in the next turn of its event loop.
    await collectGarbage();
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", warned);
  }
});
