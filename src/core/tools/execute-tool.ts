// Runs a tool's function until its result, its time limit or the run's abort, and emits its progress. The result of a function that
// ignores its signal is dropped.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { anySignal } from "#lib/any-signal.ts";
import { followAbort } from "#lib/follow-abort.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { Clock } from "../ports/clock.ts";
import type { Faults } from "../ports/faults.ts";
import type { UpdateHook } from "../ports/hook-port.ts";
import type { CallContext, ToolRunner } from "../ports/tool-port.ts";
import type { ToolAnswer } from "../record/awaited.ts";
import { errorResult } from "./error-results.ts";
import { readToolAnswer, threadResults, thrownResult } from "./read-result.ts";
import type { ResultSettings } from "./read-result.ts";

/** The ports and bounds that a tool runs with. */
export interface ToolEnvironment {
  clock: Clock;
  faults: Faults;
  emit: (event: EventDraft) => void;
  signal: AbortSignal;
  /** The bounds of the result, and the texts of error results. Default: those of a thread. */
  results?: ResultSettings | undefined;
  /** Receives each update before it is emitted, and may hide it. */
  onUpdate?: UpdateHook | undefined;
}

/** Returns the result. Contract: never rejects, and resolves soon after the signal fires or the time is over. */
export async function executeTool(
  runner: ToolRunner,
  work: { args: JsonObject; call: Omit<CallContext, "signal">; message_id: string },
  {
    clock,
    faults,
    emit,
    signal,
    results = threadResults,
    onUpdate = (_update, emitUpdate) => emitUpdate(),
  }: ToolEnvironment,
): Promise<ToolAnswer> {
  // The call has its own signal, so that listeners that tools add do not remain on the run's signal. It is not the result of
  // `AbortSignal.any`, which Node keeps in memory for ever while it has a listener. The result between them has one, until the call is
  // over, because Node warns about a signal with more than 10 listeners, and more calls than that may run at a time.
  const { controller, release } = followAbort(anySignal([signal]));
  let isOver = false;
  const ids = { message_id: work.message_id, tool_call_id: work.call.id, tool_name: runner.spec.name };
  const updated = { id: work.call.id, name: runner.spec.name };

  const readPieces = async (): Promise<ToolAnswer> => {
    let offset = 0;
    const pieces = runner.run(work.args, { ...work.call, signal: controller.signal });
    await faults.at("tool.run");
    for await (const piece of pieces) {
      await faults.at("tool.piece");
      if (isOver) break;
      switch (piece.type) {
        case "delta":
          if (piece.delta === "") break;
          onUpdate({ ...updated, delta: piece.delta }, () => {
            emit({ type: "tool_execution_delta", ...ids, offset, delta: piece.delta });
            offset += piece.delta.length;
          });
          break;
        case "progress":
          onUpdate({ ...updated, progress: piece.data }, () => {
            emit({ type: "tool_execution_delta", ...ids, progress: piece.data });
          });
          break;
        case "result":
          return readToolAnswer(piece.result, results);
      }
    }
    return errorResult(results.errors.noResultPiece());
  };
  let stopped = (): ToolAnswer => errorResult(results.errors.stopped(runner.spec.name));
  await faults.at("tool.wait");
  const answer = await waitWithin(() => readPieces().catch((thrown: unknown) => thrownResult(thrown, results)), {
    timers: clock,
    milliseconds: runner.timeoutMs,
    onTimeout: () => {
      // The abort of the call's signal ends the wait too.
      stopped = () => errorResult(results.errors.timedOut(runner.spec.name, runner.timeoutMs));
      controller.abort(new Error("the tool's time is up"));
      return stopped();
    },
    abort: { signal: controller.signal, onAbort: () => stopped() },
  });
  isOver = true;
  release();
  return answer;
}
