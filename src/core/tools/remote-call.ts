// A call of a remote tool, which has no function: a client reads the call's name and arguments from the thread, and posts its result. The
// run is suspended until then, with an alarm at the deadline (architecture §5.3).

import type { Clock } from "../ports/clock.ts";
import type { NestedCall, NestedRunner } from "../ports/tool-port.ts";
import type { AwaitedClientResult } from "../record/awaited.ts";
import type { CallContext } from "./call-slot.ts";
import { errorResult } from "./error-results.ts";
import { threadResults } from "./read-result.ts";

/** Milliseconds that a call waits if its tool sets no time. */
export const defaultRemoteTimeoutMs = 24 * 60 * 60 * 1000;

/** Makes the runner of a remote tool's calls. */
export function remoteCall(name: string, deadlineMs: number | undefined, clock: Clock): NestedRunner {
  const timeoutMs = deadlineMs ?? defaultRemoteTimeoutMs;
  return {
    begin: () => ({
      awaits: { kind: "remote", deadline: clock.now() + timeoutMs * 1000, delivered: null },
      events: [],
    }),
    async run(call, context) {
      const awaits = awaitedClient(call, context);
      const { errors } = context.ports.results ?? threadResults;
      if (awaits === null) return { type: "answer", answer: errorResult(errors.notAnswerable(name)) };
      if (awaits.delivered !== null) return { type: "answer", answer: awaits.delivered.answer };
      if (context.signal.aborted) return { type: "answer", answer: errorResult(errors.stopped(name)) };
      if (awaits.deadline > clock.now()) return { type: "suspend", until: awaits.deadline };
      return { type: "answer", answer: errorResult(errors.remoteTimedOut(name, durationText(timeoutMs))) };
    },
  };
}

/** What the call's current row waits for: the result may have been delivered into it since the call started. */
function awaitedClient({ message }: NestedCall, { ports }: CallContext): AwaitedClientResult | null {
  const { awaits } = ports.journal.messages.find((known) => known.id === message.id) ?? message;
  return awaits?.kind === "remote" ? awaits : null;
}

const units: [ms: number, name: string][] = [
  [24 * 60 * 60 * 1000, "days"],
  [60 * 60 * 1000, "hours"],
  [60 * 1000, "minutes"],
];

function durationText(ms: number): string {
  const [size, name] = units.find(([one]) => ms >= 2 * one) ?? [1000, "seconds"];
  return `${Math.round((ms / size) * 10) / 10} ${name}`;
}
