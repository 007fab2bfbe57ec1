// The loop as two functions (architecture §1, AgentLoop): from new prompts, and from an existing context.

/* oxlint-disable eslint/max-params -- the functions have the parameters of the document */

import { toolHostOf } from "#core/ports/tool-host.ts";
import { anySignal } from "#lib/any-signal.ts";

import type { AgentContext } from "./agent-context.ts";
import { checkContext, checkContinued, checkMessages } from "./agent-context.ts";
import { signalOf } from "./cancellation-token.ts";
import type { CancellationToken } from "./cancellation-token.ts";
import type { EventSender } from "./event-channel.ts";
import { filterInput } from "./filtered-input.ts";
import type { FilteredInput } from "./filtered-input.ts";
import { GuardedSender } from "./guarded-sender.ts";
import { checkConfig } from "./loop-config.ts";
import type { AgentLoopConfig } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import type { ContinuationKind } from "./loop-event.ts";
import { loopIndexOf, newId } from "./loop-identity.ts";
import { zeroTokens } from "./loop-messages.ts";
import type { AgentMessage, Usage } from "./loop-messages.ts";
import { LoopRun } from "./loop-run.ts";
import { isAbortOf, waitFor } from "./program-functions.ts";

/**
 * Runs a loop from new prompts (REQ-036): appends them to `context.messages`, requests answers and runs their calls until an answer calls no
 * tool and no message waits. Appends each new message to the context, and writes the ids that the context lacks. Returns the new messages;
 * failures of models and tools are among them. Rejects with a LoopError for a wrong option, before anything is sent.
 */
export async function agentLoop(
  prompts: readonly AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  tx: EventSender,
  cancel?: CancellationToken | AbortSignal,
): Promise<AgentMessage[]> {
  check(context, config, tx);
  if (!Array.isArray(prompts) || prompts.length === 0)
    throw new LoopError("agentLoop takes a list of at least one prompt. agentLoopContinue takes none.");
  checkMessages("prompts", prompts);
  return begin({ context, config, tx, cancel, prompts, kind: null });
}

/**
 * Continues from the messages of a context, whose last one is a user's or a tool's (REQ-037). `context.agent_id` and `context.session_id`
 * are those of the earlier loop. Otherwise as `agentLoop`.
 */
export async function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  tx: EventSender,
  cancel?: CancellationToken | AbortSignal,
): Promise<AgentMessage[]> {
  check(context, config, tx);
  checkContinued(context);
  return begin({ context, config, tx, cancel, prompts: [], kind: context.continuation_kind ?? null });
}

function check(context: AgentContext, config: AgentLoopConfig, tx: EventSender): void {
  checkConfig(config);
  checkContext(context);
  if (typeof (tx as EventSender | undefined)?.send !== "function")
    throw new LoopError("`tx` has to have the function `send`. `channel()` makes a sender and its receiver.");
}

interface LoopCall {
  context: AgentContext;
  config: AgentLoopConfig;
  tx: EventSender;
  cancel: CancellationToken | AbortSignal | undefined;
  prompts: readonly AgentMessage[];
  /** Null for an origin. */
  kind: ContinuationKind | null;
}

/** The contexts of loops that run. */
const used = new WeakSet<AgentContext>();

/** The ids that loops made for their contexts. */
const made = new WeakMap<AgentContext, string>();

/** The id of the next loop of a context: the one that the program set, or else a new one, so that no two loops have one id. */
function loopIdOf(context: AgentContext): string {
  const { loop_id: given } = context;
  if (given && given !== made.get(context)) return given;
  const loop_id = newId();
  made.set(context, loop_id);
  return (context.loop_id = loop_id);
}

/** Runs a loop, unless another one uses the context: the messages of two loops would be mixed. */
async function begin(call: LoopCall): Promise<AgentMessage[]> {
  if (used.has(call.context))
    throw new LoopError("Another loop uses this context. Wait for its end, or give each loop a context of its own.");
  used.add(call.context);
  try {
    return await run(call);
  } finally {
    used.delete(call.context);
  }
}

async function run({ context, config, tx, cancel, prompts, kind }: LoopCall): Promise<AgentMessage[]> {
  const signal = signalOf(cancel);
  // Loaded here, so that a program loads the code of providers with its first loop.
  const [{ modelsOf }, { beginExecution }] = await Promise.all([
    import("./provider/models-of.ts"),
    import("./loop-in-thread.ts"),
  ]);
  const given = modelsOf(config);
  const loop_id = loopIdOf(context);
  const sender = new GuardedSender(tx);
  const emit = sender.send;
  const inThread = config.in === undefined ? undefined : toolHostOf(config.in);
  const cancelled = anySignal([signal, sender.broken, ...(inThread === undefined ? [] : [inThread.executions.signal])]);
  const end = async (messages: AgentMessage[], usage: Usage, rejection: string | null): Promise<AgentMessage[]> => {
    emit({ type: "AgentEnd", loop_id, messages, usage, timestamp: now(), rejection });
    try {
      await waitFor(config.afterLoop?.(messages, usage), cancelled);
    } catch (error) {
      if (!isAbortOf(error, cancelled)) throw error;
    }
    sender.end();
    return messages;
  };
  /** Null if a hook refuses the loop, or if the loop is cancelled first. */
  const admit = async (): Promise<FilteredInput | null> => {
    try {
      const goesOn = await waitFor(config.beforeLoop?.(context.messages, loopIndexOf(loop_id)), cancelled);
      return goesOn === false ? null : await filterInput(prompts, config.inputFilters ?? [], cancelled);
    } catch (error) {
      if (isAbortOf(error, cancelled)) return null;
      throw error;
    }
  };
  // Before the first event, so that a loop whose filter throws has no start without an end.
  const filtered = await admit();
  if (filtered === null) return end([], zeroTokens(), null);
  const agent_id = (context.agent_id ??= newId());
  const session_id = (context.session_id ??= newId());
  emit({
    type: "AgentStart",
    agent_id,
    session_id,
    loop_id,
    parent_loop_id: context.parent_loop_id ?? null,
    continuation_kind: kind,
    timestamp: now(),
    metadata: null,
  });
  if ("rejection" in filtered) {
    emit({ type: "InputRejected", loop_id, reason: filtered.rejection });
    return end([], zeroTokens(), filtered.rejection);
  }
  context.messages.push(...filtered.prompts);
  const { execution, models, ...counted } = beginExecution(config, given, filtered.prompts);
  const loop = new LoopRun({
    context: context as AgentContext & { loop_id: string },
    config,
    models,
    emit,
    signal: cancelled,
    prompts: filtered.prompts,
    execution,
  });
  const { messages, usage } = await loop.run();
  counted.end(messages, cancelled.aborted);
  return end(messages, usage, null);
}

function now(): string {
  return new Date().toISOString();
}
