// Runs a tool's function under its time limit and the run's signal, and tells what it says on the way. A tool that ignores
// its signal is left behind: its result no longer counts.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { Clock } from "../ports/clock.ts";
import type { Faults } from "../ports/faults.ts";
import type { ToolAnswer, ToolRunner } from "../ports/tool-port.ts";
import { failed, stoppedCall, timedOut } from "./outcome.ts";
import { readAnswer, settleThrown } from "./settle.ts";
import type { ResultBounds } from "./settle.ts";

/** What a tool works in. */
export interface Surroundings {
  clock: Clock;
  faults: Faults;
  tell: (event: EventDraft) => void;
  signal: AbortSignal;
  /** Left out: the bounds of a row. */
  bounds?: ResultBounds | undefined;
}

/** Contract: never rejects, and settles soon after the signal fires or the time is up. */
export async function perform(
  runner: ToolRunner,
  work: { args: JsonObject; call: { id: string; attempt: number }; message_id: string },
  { clock, faults, tell, signal, bounds }: Surroundings,
): Promise<ToolAnswer> {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  let over = false;
  const about = { message_id: work.message_id, tool_call_id: work.call.id, tool_name: runner.spec.name };

  const listen = async (): Promise<ToolAnswer> => {
    let offset = 0;
    const pieces = runner.run(work.args, { ...work.call, signal: both });
    await faults.at("tool.run");
    for await (const piece of pieces) {
      await faults.at("tool.piece");
      if (over) break;
      switch (piece.type) {
        case "delta":
          if (piece.delta === "") break;
          tell({ type: "tool_execution_delta", ...about, offset, delta: piece.delta });
          offset += piece.delta.length;
          break;
        case "progress":
          tell({ type: "tool_execution_delta", ...about, progress: piece.data });
          break;
        case "result":
          return readAnswer(piece.result, bounds);
      }
    }
    return failed("The tool ended without a result.");
  };
  await faults.at("tool.wait");
  const answer = await waitWithin(() => listen().catch((thrown: unknown) => settleThrown(thrown, bounds)), {
    timers: clock,
    milliseconds: runner.timeoutMs,
    onTimeout: () => {
      own.abort(new Error("the tool's time is up"));
      return timedOut(runner.timeoutMs);
    },
    abort: { signal, onAbort: () => stoppedCall },
  });
  over = true;
  return answer;
}
