// Executes a run in the caller's process, without a Worker or a thread, until it ends or waits for results of remote tool calls.

import { run as loop } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import { anySignal } from "#lib/any-signal.ts";
import { errorMessage } from "#lib/cut-text.ts";

import type { HostLimits } from "./host-limits.ts";

/**
 * Executes the run, within `limits` if they are given. If the loop suspends the run for a back-off, waits here and continues. Returns the end of the run, for which it emits
 * `run_end`, or the suspension for remote tool calls: to resume, store their results in the calls' messages and execute the run again.
 * Contract: never rejects; an exception inside the library ends the run with the reason `internal`.
 */
export async function executeRun(
  ports: RunPorts,
  { limits, signal }: { limits?: HostLimits; signal: AbortSignal },
): Promise<Halt> {
  const either = limits?.signal === undefined ? signal : anySignal([signal, limits.signal]);
  const halt = await untilHalt(limits === undefined ? ports : { ...ports, limits }, either);
  limits?.halt();
  if (halt.type === "end") emitEnd(halt.end, ports);
  return halt;
}

async function untilHalt(ports: RunPorts, signal: AbortSignal): Promise<Halt> {
  const { clock, journal } = ports;
  try {
    for (;;) {
      const halt = await loop(ports, signal);
      if (halt.type === "end" || journal.messages.some(isAwaited)) return halt;
      const ms = Math.max(0, (halt.until - clock.now()) / 1000);
      await clock.sleep(ms, signal).catch(() => undefined);
    }
  } catch (thrown) {
    const message = `The execution failed inside the library: ${errorMessage(thrown)}`;
    return { type: "end", end: { status: "error", reason: "internal", error: { code: "internal", message } } };
  }
}

/** Whether a message is that of a tool call that waits for its result. */
function isAwaited({ status, awaits }: RunPorts["journal"]["messages"][number]): boolean {
  return status === "started" && awaits !== undefined && awaits.delivered === null;
}

function emitEnd(end: RunEnd, { run, journal, sink }: RunPorts): void {
  if (sink.discards === true) return;
  const { status, reason, outcome = null, error = null } = end;
  const data = end.data === undefined ? {} : { data: end.data };
  const { id: run_id, usage, cost } = run;
  const message_ids = journal.messages.map(({ id }) => id);
  sink.send(
    sink.number({ type: "run_end", run_id, status, reason, outcome, ...data, usage, cost, message_ids, error }),
  );
}
