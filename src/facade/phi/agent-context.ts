// The context of a loop: the conversation, the tools, and the ids of the loop (architecture §6, AgentContext).

import { isObject } from "#lib/json-value.ts";

import { problemOfMessages } from "./context/compaction-strategy.ts";
import { checkTools } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import type { ContinuationKind } from "./loop-event.ts";
import { isLlmMessage } from "./loop-messages.ts";
import type { AgentMessage } from "./loop-messages.ts";
import type { AgentTool } from "./loop-tool.ts";

/** The context of a loop. The loop appends its messages to `messages`, and writes the ids that are absent. */
export interface AgentContext {
  system_prompt: string;
  messages: AgentMessage[];
  tools: readonly AgentTool[];
  /** Absent: `agentLoop` makes one and writes it back. `agentLoopContinue` requires it. */
  agent_id?: string | undefined;
  /** As `agent_id`. */
  session_id?: string | undefined;
  /** Absent: the loop makes one and writes it back. The next loop of the context then makes another one. */
  loop_id?: string | undefined;
  /** The loop from which this one continues. */
  parent_loop_id?: string | undefined;
  /** How this loop relates to the earlier one. Absent for an origin. */
  continuation_kind?: ContinuationKind | undefined;
}

/**
 * Checks a list of messages that a program gives, or that its function returns. Throws a LoopError with the name and the position of the
 * first wrong one.
 */
export function checkMessages(name: string, messages: unknown, verb: "be" | "return" = "be"): void {
  const problem = problemOfMessages(messages);
  if (problem !== null) throw new LoopError(`\`${name}\` has to ${verb} a list of messages: ${problem}`);
}

/** Checks a context. Throws a LoopError that names what is wrong. */
export function checkContext(context: AgentContext): void {
  if (!isObject(context))
    throw new LoopError("`context` has to be an object with `system_prompt`, `messages` and `tools`.");
  if (typeof context.system_prompt !== "string") throw new LoopError("`context.system_prompt` has to be a text.");
  checkMessages("context.messages", context.messages);
  checkTools(context.tools);
}

/** Checks what `agentLoopContinue` requires (REQ-108, REQ-191). */
export function checkContinued({ messages, ...ids }: AgentContext): void {
  for (const name of ["agent_id", "session_id"] as const) {
    // An id of null is absent too: the loop would make one.
    if (!ids[name])
      throw new LoopError(
        `agent_loop_continue requires context.${name} to be set: take the context of the loop that it continues.`,
      );
  }
  const last = messages.findLast(isLlmMessage);
  if (last === undefined)
    throw new LoopError("agentLoopContinue requires messages in the context. Begin a conversation with agentLoop.");
  if (last.role === "assistant")
    throw new LoopError(
      "agentLoopContinue cannot continue after an answer: the last message is the assistant's. Append a message first.",
    );
}
