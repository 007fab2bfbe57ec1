// What is kept of the loops of one context: the messages that were sent, so that the next loop extends them, and what the last loop used.
// It belongs to the context's object; a copy of a context begins without it.

import type { AgentContext } from "../agent-context.ts";
import type { AgentLoopConfig } from "../loop-config.ts";
import { ExecutionTracker } from "./execution-tracker.ts";
import { SentMessages } from "./sent-messages.ts";

interface KeptSending {
  sent: SentMessages;
  /** What the last loop used; null without limits. */
  execution: ExecutionTracker | null;
}

const sendings = new WeakMap<AgentContext, KeptSending>();

/** The state of a context for a loop that begins. What was sent is forgotten if another budget or strategy applies. */
export function beginSending(context: AgentContext, config: AgentLoopConfig): KeptSending {
  const kept = sendings.get(context)?.sent;
  const isContinued = kept?.begin(config) === true;
  const sending: KeptSending = {
    sent: isContinued ? kept : new SentMessages(config),
    execution: config.executionLimits === undefined ? null : new ExecutionTracker(config.executionLimits),
  };
  sendings.set(context, sending);
  return sending;
}

/** The state of a context; undefined before its first loop. */
export function sendingOf(context: AgentContext): KeptSending | undefined {
  return sendings.get(context);
}

/** Passes the state of a context on to the next one of the same conversation. */
export function passSending(from: AgentContext, to: AgentContext): void {
  const kept = sendings.get(from);
  if (kept !== undefined) sendings.set(to, kept);
}
