// Runs a tool's function until its result, its time limit or the run's abort, and emits its progress. The result of a function that
// ignores its signal is dropped.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { Clock } from "../ports/clock.ts";
import type { Faults } from "../ports/faults.ts";
import type { ToolAnswer, ToolRunner } from "../ports/tool-port.ts";
import { errorResult, stoppedCall, timedOut } from "./error-results.ts";
import { readToolAnswer, thrownResult } from "./read-result.ts";
import type { ResultBounds } from "./read-result.ts";

/** The ports and bounds that a tool runs with. */
export interface ToolEnvironment {
  clock: Clock;
  faults: Faults;
  emit: (event: EventDraft) => void;
  signal: AbortSignal;
  /** The bounds of the stored result. Default: what fits a row. */
  bounds?: ResultBounds | undefined;
}

/** Returns the result. Contract: never rejects, and resolves soon after the signal fires or the time is over. */
export async function executeTool(
  runner: ToolRunner,
  work: { args: JsonObject; call: { id: string; attempt: number }; message_id: string },
  { clock, faults, emit, signal, bounds }: ToolEnvironment,
): Promise<ToolAnswer> {
  const timeout = new AbortController();
  const both = AbortSignal.any([signal, timeout.signal]);
  let isOver = false;
  const ids = { message_id: work.message_id, tool_call_id: work.call.id, tool_name: runner.spec.name };

  const readPieces = async (): Promise<ToolAnswer> => {
    let offset = 0;
    const pieces = runner.run(work.args, { ...work.call, signal: both });
    await faults.at("tool.run");
    for await (const piece of pieces) {
      await faults.at("tool.piece");
      if (isOver) break;
      switch (piece.type) {
        case "delta":
          if (piece.delta === "") break;
          emit({ type: "tool_execution_delta", ...ids, offset, delta: piece.delta });
          offset += piece.delta.length;
          break;
        case "progress":
          emit({ type: "tool_execution_delta", ...ids, progress: piece.data });
          break;
        case "result":
          return readToolAnswer(piece.result, bounds);
      }
    }
    return errorResult("The tool ended without a result.");
  };
  await faults.at("tool.wait");
  const answer = await waitWithin(() => readPieces().catch((thrown: unknown) => thrownResult(thrown, bounds)), {
    timers: clock,
    milliseconds: runner.timeoutMs,
    onTimeout: () => {
      timeout.abort(new Error("the tool's time is up"));
      return timedOut(runner.timeoutMs);
    },
    abort: { signal, onAbort: () => stoppedCall },
  });
  isOver = true;
  return answer;
}
