// A call of a tool without a function: somebody outside has its name and arguments from the thread, and posts its result. The
// run rests meanwhile as rows, with one alarm at the deadline (architecture §5.3).

import type { AwaitedClient } from "../awaited.ts";
import type { Clock } from "../ports/clock.ts";
import type { NestedCall, NestedRunner } from "../ports/tool-port.ts";
import type { CallContext } from "./call-slot.ts";
import { failed, stoppedCall } from "./outcome.ts";

/** Milliseconds that a call waits where its tool does not say. */
export const defaultDeadlineMs = 24 * 60 * 60 * 1000;

/** Answers the calls of one tool. */
export function remoteCall(name: string, deadlineMs: number | undefined, clock: Clock): NestedRunner {
  const patience = deadlineMs ?? defaultDeadlineMs;
  return {
    begin: () => ({
      awaits: { kind: "remote", deadline: clock.now() + patience * 1000, delivered: null },
      events: [],
    }),
    async run(call, context) {
      const awaits = awaitedClient(call, context);
      if (awaits === null)
        return { type: "answer", answer: failed(`The call of "${name}" cannot be answered any more.`) };
      if (awaits.delivered !== null) return { type: "answer", answer: awaits.delivered.answer };
      if (context.signal.aborted) return { type: "answer", answer: stoppedCall };
      if (awaits.deadline > clock.now()) return { type: "rest", until: awaits.deadline };
      const waited = `Nobody answered the call of "${name}" within ${words(patience)}.`;
      return { type: "answer", answer: failed(waited) };
    },
  };
}

/** What the call's row says now: the answer may have been put into it meanwhile. */
function awaitedClient({ message }: NestedCall, { ports }: CallContext): AwaitedClient | null {
  const { awaits } = ports.journal.messages.find((known) => known.id === message.id) ?? message;
  return awaits?.kind === "remote" ? awaits : null;
}

const units: [ms: number, name: string][] = [
  [24 * 60 * 60 * 1000, "days"],
  [60 * 60 * 1000, "hours"],
  [60 * 1000, "minutes"],
];

function words(ms: number): string {
  const [size, name] = units.find(([one]) => ms >= 2 * one) ?? [1000, "seconds"];
  return `${Math.round((ms / size) * 10) / 10} ${name}`;
}
