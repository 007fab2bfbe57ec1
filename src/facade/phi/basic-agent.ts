// An agent that owns a conversation (architecture §1, BasicAgent): its messages, tools, queues and ids. It runs one loop at a time.

import type { AgentContext } from "./agent-context.ts";
import { AgentConversation } from "./agent-conversation.ts";
import { agentLoop, agentLoopContinue } from "./agent-loop.ts";
import { readSnapshot } from "./agent-snapshot.ts";
import type { AgentSnapshot } from "./agent-snapshot.ts";
import { CancellationToken } from "./cancellation-token.ts";
import { withEvents } from "./event-channel.ts";
import type { EventReceiver, EventSender } from "./event-channel.ts";
import { checkConfig, checkTools } from "./loop-config.ts";
import type { AgentLoopConfig } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import type { ContinuationKind } from "./loop-event.ts";
import { isLlmMessage, userMessage } from "./loop-messages.ts";
import type { AgentMessage } from "./loop-messages.ts";
import { MessageQueue } from "./message-queue.ts";
import { inspectSymbol } from "./printed.ts";
import { messagesFromJson, messagesToJson, readMessages } from "./saved-messages.ts";

/** What a run of an agent returns: its events, and a promise of its new messages. The iteration over the events throws if the promise rejects. */
export interface AgentRun extends EventReceiver {
  /** The new messages of the run. Rejects only if a function of the program failed outside of the loop. */
  readonly done: Promise<AgentMessage[]>;
}

/** An agent. Builders change the agent and return it. */
export class BasicAgent extends AgentConversation {
  /** The token of the loop that runs; null if none does. */
  cancel: CancellationToken | null = null;
  readonly #steering = new MessageQueue();
  readonly #followUps = new MessageQueue();

  /** The messages that wait to steer the loop. */
  get steeringQueue(): readonly AgentMessage[] {
    return this.#steering.messages;
  }

  /** The messages that wait for the end of the loop. */
  get followUpQueue(): readonly AgentMessage[] {
    return this.#followUps.messages;
  }

  /** Prompts the agent with a text. Returns the events at once; the loop works in the background. Throws a LoopError while a loop runs. */
  prompt(text: string): AgentRun {
    return this.promptMessages([userMessage(text)]);
  }

  /** As `prompt`, with messages. */
  promptMessages(messages: readonly AgentMessage[]): AgentRun {
    return withEvents((tx) => this.promptMessagesWithSender(messages, tx));
  }

  /** As `prompt`, with a sender for the events, which stays open. Resolves with the new messages. */
  promptWithSender(text: string, tx: EventSender): Promise<AgentMessage[]> {
    return this.promptMessagesWithSender([userMessage(text)], tx);
  }

  /** As `promptMessages`, with a sender for the events, which stays open. */
  promptMessagesWithSender(messages: readonly AgentMessage[], tx: EventSender): Promise<AgentMessage[]> {
    this.assertIdle("prompt");
    const prompts = readMessages(messages);
    if (prompts.length === 0) throw new LoopError("A prompt needs at least one message.");
    return this.#run(null, (context, config, cancel) => agentLoop(prompts, context, config, tx, cancel));
  }

  /** Continues from the messages, whose last one is a user's or a tool's. Throws a LoopError after an answer, or while a loop runs. */
  continueLoop(): AgentRun {
    return withEvents((tx) => this.continueLoopWithSender(tx, "Default"));
  }

  /** As `continueLoop`, with a sender for the events, which stays open. */
  continueLoopWithSender(tx: EventSender, kind: ContinuationKind = "Default"): Promise<AgentMessage[]> {
    this.assertIdle("continueLoop");
    const last = this.messages.findLast(isLlmMessage);
    if (last === undefined) throw new LoopError("There is no message to continue from. Begin with `prompt`.");
    if (last.role === "assistant")
      throw new LoopError("The last message is an answer, so there is nothing to continue. Use `prompt` or `rerun`.");
    return this.#run(kind, (context, config, cancel) => agentLoopContinue(context, config, tx, cancel));
  }

  /**
   * Requests the last answer again: removes the messages after the last message of a user or a tool, and continues. The tag is the current
   * time.
   */
  rerun(): AgentRun {
    this.assertIdle("rerun");
    const last = this.messages.findLastIndex((message) => message.role === "user" || message.role === "toolResult");
    if (last === -1) throw new LoopError("There is no message to run again. Begin with `prompt`.");
    this.messages = this.messages.slice(0, last + 1);
    return withEvents((tx) => this.continueLoopWithSender(tx, { Rerun: { tag: new Date().toISOString() } }));
  }

  /** Adds a message that the running loop takes between calls or turns. Without a loop the next one takes it first. */
  steer(message: AgentMessage | string): void {
    this.#steering.add(this.#queued(message));
  }

  /** Adds a message that the loop takes when it would end. */
  followUp(message: AgentMessage | string): void {
    this.#followUps.add(this.#queued(message));
  }

  /** Cancels the loop that runs, with its calls. Does nothing if none runs. */
  abort(): void {
    this.cancel?.cancel();
  }

  /** Removes the messages and the queues, and cancels the loop that runs. Its end changes nothing of the agent any more. */
  reset(): void {
    this.abort();
    this.messages = [];
    this.#steering.clear();
    this.#followUps.clear();
    this.isStreaming = false;
    this.cancel = null;
    this.forgetSending();
  }

  /** The messages as JSON text. */
  saveMessages(): string {
    return messagesToJson(this.messages);
  }

  /** Replaces the messages. Throws a LoopError for a text of another form, and the messages stay as they are. */
  restoreMessages(json: string): void {
    this.assertIdle("restoreMessages");
    this.messages = messagesFromJson(json);
  }

  /** The state as plain data. */
  checkpoint(): AgentSnapshot {
    return structuredClone({
      agent_id: this.agentId,
      session_id: this.sessionId,
      loop_counters: this.loopCounters,
      last_loop_id: this.lastLoopId,
      last_active_at: this.lastActiveAt?.toISOString() ?? null,
      messages: this.messages,
      steering_queue: [...this.#steering.messages],
      follow_up_queue: [...this.#followUps.messages],
    });
  }

  /** Replaces the state by that of a checkpoint. Throws a LoopError for one of another form, and the state stays as it is. */
  restore(snapshot: AgentSnapshot): void {
    this.assertIdle("restore");
    const { agent_id, session_id, last_loop_id, active, loop_counters, messages, steering, followUps } =
      readSnapshot(snapshot);
    (this as { agentId: string }).agentId = agent_id;
    this.sessionId = session_id;
    this.loopCounters = loop_counters;
    this.lastLoopId = last_loop_id;
    this.lastActiveAt = active;
    this.messages = messages;
    this.#steering.clear();
    this.#followUps.clear();
    for (const message of steering) this.#steering.add(message);
    for (const message of followUps) this.#followUps.add(message);
  }

  /** Prompts the agent, or adds the message to a loop that runs. Returns the run; null if the message was added to one. */
  send(message: AgentMessage | string): AgentRun | null {
    const given = typeof message === "string" ? userMessage(message) : message;
    if (!this.isStreaming) return this.promptMessages([given]);
    this.steer(given);
    return null;
  }

  /** No key is printed. */
  toJSON(): AgentSnapshot {
    return this.checkpoint();
  }

  [inspectSymbol](): unknown {
    return {
      BasicAgent: {
        agent_id: this.agentId,
        session_id: this.sessionId,
        model: this.modelConfig.id,
        messages: this.messages.length,
      },
    };
  }

  #queued(message: AgentMessage | string): AgentMessage {
    const given = typeof message === "string" ? userMessage(message) : message;
    const [read] = readMessages([given]);
    return read ?? given;
  }

  #config(): AgentLoopConfig {
    return {
      ...this.loopConfig(),
      getSteeringMessages: () => this.#steering.take(this.steeringMode),
      getFollowUpMessages: () => this.#followUps.take(this.followUpMode),
    };
  }

  /** Runs a loop over a copy of the messages, and merges the new ones at its end. */
  #run(
    kind: ContinuationKind | null,
    start: (context: AgentContext, config: AgentLoopConfig, cancel: CancellationToken) => Promise<AgentMessage[]>,
  ): Promise<AgentMessage[]> {
    const config = this.#config();
    checkConfig(config);
    checkTools(this.tools);
    const parent = kind === null ? null : this.lastLoopId;
    const cancel = new CancellationToken();
    const context: AgentContext = {
      system_prompt: this.systemPrompt,
      messages: [...this.messages],
      tools: [...this.tools],
      agent_id: this.agentId,
      session_id: this.sessionId,
      loop_id: this.nextLoopId(config),
      ...(parent === null ? {} : { parent_loop_id: parent }),
      ...(kind === null ? {} : { continuation_kind: kind }),
    };
    this.continueSending(context);
    if (kind === null) this.lastActiveAt = new Date();
    this.isStreaming = true;
    this.cancel = cancel;
    const settle = (): void => {
      // After a reset the agent belongs to another run, or to none.
      if (this.cancel !== cancel) return;
      this.messages = context.messages;
      this.isStreaming = false;
      this.cancel = null;
    };
    return start(context, config, cancel).finally(settle);
  }
}
