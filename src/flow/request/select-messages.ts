// Selects the messages of a step's request in two of the stages that messages pass: the history that the prompt includes, and filter hooks.
// `build-request.ts` fits them into the budget of tokens and adds the attachments.

import type { Side } from "#contract/thread-message.ts";
import { TokenEstimates } from "#core/context/compact.ts";
import { PositionedMessages } from "#core/context/projection.ts";
import type { MessageRecord, StoredProjection } from "#core/record/record.ts";
import { isInScope } from "#core/record/scope.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import type { HookRunner } from "../hook/hook-runner.ts";
import { rangeOf } from "../strategy/participant.ts";
import type { Participant, ReadRange } from "../strategy/participant.ts";
import { filteredMessages } from "./filter-hooks.ts";
import { earlierMessages, LoopMessages } from "./history.ts";

/** Stores the projections of conversations. `of` is the name of a conversation, as in `ScopedProjection`. */
export interface Projections {
  get(of: string): StoredProjection | undefined;
  set(of: string, is: StoredProjection): void;
}

/** The sources of messages. */
export interface MessageSources {
  hooks: HookRunner;
  /** The run's messages so far, including those of nested loops. */
  own: () => readonly MessageRecord[];
  /** The stored projections: which messages of the conversation the last requests contained. */
  projections: Projections;
}

/** The prompt and the side of a step, and the agent of the side. */
interface StepSide {
  prompt: AnyPromptDefinition;
  side: Side;
  agent: AnyAgentDefinition;
}

/** The messages of a step. */
export interface SelectedMessages {
  /** The messages to send, with the projection that was applied to those of the step before. */
  messages: PositionedMessages;
  /** The stored messages that the prompt includes. */
  included: readonly MessageRecord[];
  /** The messages whose answers have measured tokens: `stored` are all, `included` those of the request. */
  answered: { stored: readonly MessageRecord[]; included: readonly MessageRecord[] };
}

/** The maximum number of messages before the loop that `filter_messages` receives if the prompt does not include them. */
const filteredRows = 1000;

/** Selects the messages of the steps of one loop. */
export class MessageSelection {
  readonly #sources: MessageSources;
  readonly #participant: Participant;
  /** The messages of the last step's request and their tokens, so that the next step converts and counts only new messages. */
  readonly #messages = new LoopMessages();
  readonly estimates = new TokenEstimates();
  /** The messages of the last step's request with the projection that was applied to them. */
  #positioned: PositionedMessages | undefined;
  /** The prompt of the current step, and the range of the messages before it; null before the first step. */
  #current: { prompt: AnyPromptDefinition; side: Side; range: ReadRange | undefined } | null = null;

  constructor(sources: MessageSources, participant: Participant) {
    this.#sources = sources;
    this.#participant = participant;
  }

  /** The prompt of the current step; undefined before the first step. */
  get prompt(): AnyPromptDefinition | undefined {
    return this.#current?.prompt;
  }

  /** The messages that the current step's prompt includes, and those that this loop added since. */
  get loaded(): MessageRecord[] {
    return this.#current === null ? this.#added() : this.#included(this.#current.prompt, this.#current.range);
  }

  /** Begins a step. `last` is the projection of the conversation's last request. Returns the range of earlier messages for `select`. */
  begin({ prompt, side, agent }: StepSide, last: StoredProjection | undefined): ReadRange | undefined {
    const range = rangeOf(last, agent);
    this.#current = { prompt, side, range };
    return range;
  }

  /** Selects the messages of a step that began. */
  async select({ prompt, side, agent }: StepSide, range: ReadRange | undefined): Promise<SelectedMessages> {
    const { hooks } = this.#sources;
    const before = this.#before(prompt, range);
    const included = this.#included(prompt, range);
    const added = this.#added();
    // The answers before a nested loop belong to another prompt, so the tokens of their requests are not comparable.
    const isNested = this.#participant.scope.depth > 0;
    const answered = isNested ? { stored: added, included: added } : { stored: [...before, ...added], included };
    const viewer = { side, agent };
    const chosen = hooks.changesHistory
      ? await filteredMessages({ included, stored: this.#filterable(prompt, included, range) }, hooks, viewer)
      : this.#messages.of(viewer, included);
    this.#positioned = new PositionedMessages(chosen, included, this.#positioned?.last);
    return { messages: this.#positioned, included, answered };
  }

  /** The name under which the projection of the step's conversation is stored. */
  conversation({ name }: AnyPromptDefinition, side: Side): string {
    return this.#participant.scope.parent_id ?? `${side}/${name}`;
  }

  /**
   * The projection of the conversation's last request. A prompt that includes no earlier messages does not use the projection of an earlier
   * run, because its marker and summary replace that run's messages.
   */
  projectionOf(prompt: AnyPromptDefinition, side: Side): StoredProjection | undefined {
    const stored = this.#sources.projections.get(this.conversation(prompt, side)) ?? this.#projectionBefore(prompt);
    if (stored === undefined || stored.count === 0 || prompt.includeChat === true) return stored;
    const [first] = this.#added();
    return first !== undefined && stored.dropped > first.position ? stored : undefined;
  }

  /** The projection and the messages with which the nested loop of one of this loop's calls begins: those before the answer with that call. */
  beforeCall(call: MessageRecord): Pick<Participant, "messagesBefore" | "projectionBefore"> {
    const { messagesBefore, scope } = this.#participant;
    return {
      projectionBefore: () => {
        const current = this.#current;
        return current?.prompt.includeChat === true ? this.projectionOf(current.prompt, current.side) : undefined;
      },
      messagesBefore: (limit, range) => {
        const before = this.#sources
          .own()
          .filter((message) => isInScope(scope, message) && message.position < call.position);
        const answer = before.findLastIndex(({ parts }) => hasCall(parts, call.tool_call_id));
        return [...messagesBefore(limit, range), ...before.slice(0, answer === -1 ? before.length : answer)];
      },
    };
  }

  /** The caller's projection, for a nested loop that includes the caller's messages and compacts its requests. */
  #projectionBefore({ includeChat, context }: AnyPromptDefinition): StoredProjection | undefined {
    return includeChat === true && context?.strategy !== "off" ? this.#participant.projectionBefore?.() : undefined;
  }

  /** The messages that the prompt includes: those before the loop with `includeChat`, and those of the loop. */
  #included(prompt: AnyPromptDefinition, range: ReadRange | undefined): MessageRecord[] {
    const added = this.#added();
    return [...earlierMessages(this.#before(prompt, range), prompt, added), ...added];
  }

  /** The messages before the loop, if the prompt includes any. */
  #before(prompt: AnyPromptDefinition, range: ReadRange | undefined): MessageRecord[] {
    const limit = earlierLimit(prompt, 0);
    return limit === 0 ? [] : this.#participant.messagesBefore(limit, range);
  }

  /** The messages that `filter_messages` receives. Messages that the prompt does not include are read only if the project has this hook. */
  #filterable(
    prompt: AnyPromptDefinition,
    included: readonly MessageRecord[],
    range: ReadRange | undefined,
  ): readonly MessageRecord[] {
    if (!this.#sources.hooks.filtersMessages) return included;
    return [...this.#participant.messagesBefore(earlierLimit(prompt, filteredRows), range), ...this.#added()];
  }

  /** The messages that the loop has added so far. */
  #added(): MessageRecord[] {
    return this.#sources.own().filter((message) => isInScope(this.#participant.scope, message));
  }
}

/** The maximum number of messages before the loop that are read: without a limit if the prompt has `includeChat`, else `otherwise`. */
function earlierLimit({ includeChat }: AnyPromptDefinition, otherwise: number): number {
  return includeChat === true ? allMessages : otherwise;
}

const allMessages = 1_000_000;

function hasCall(parts: MessageRecord["parts"], callId: string | null): boolean {
  return parts.some((part) => part.type === "tool_call" && part.id === callId);
}
