// The loop for which steps are built, and the messages before that loop. Before a run's main loop these are the messages of earlier runs.
// They are read once, and only as far as a request may contain them.

import type { Side } from "#contract/thread-message.ts";
import type { MessageRecord, StoredProjection } from "#core/record/record.ts";
import { mainScope } from "#core/record/scope.ts";
import type { Scope } from "#core/record/scope.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import type { Definitions } from "../setup/project-definitions.ts";
import { sideOf } from "./conversation-strategy.ts";
import type { AnswerForm, FormOfSide } from "./structured-answer.ts";

/** The range of earlier messages that is read: all from a position on, and single ones before that position. */
export interface ReadRange {
  from: string;
  head: readonly string[];
  /**
   * Whether the messages after each message of `head` are read too, up to the next answer. In a conversation of two models that answer
   * decides the roles of these messages.
   */
  withAnswers: boolean;
}

/** The range of earlier messages that a projection sends. */
export function rangeOf(stored: StoredProjection | undefined, agent: AnyAgentDefinition): ReadRange | undefined {
  if (stored === undefined || stored.count === 0) return undefined;
  const { head, pinned, dropped } = stored;
  const single = pinned === null ? head : [...head, pinned];
  return { from: dropped, head: single, withAnswers: agent.type === "dual_ai" };
}

/** The side that takes the next step. */
interface ActiveSide {
  prompt: AnyPromptDefinition;
  side: Side;
  agent: AnyAgentDefinition;
  /** The form of its answers; null for free text. */
  form: AnswerForm | null;
}

/** The loop for which steps are built: its scope, its current side, and the messages before the loop. */
export interface Participant {
  scope: Scope;
  /** The side of the next step. Called for each step, because the side and the agent may have changed. */
  activeSide: () => Promise<ActiveSide>;
  /**
   * The messages before this loop, oldest first: the newest `limit` messages of the branch. For a nested loop they include this run's
   * messages before its call. With a range, messages outside of it may be missing.
   */
  messagesBefore: (limit: number, range?: ReadRange) => MessageRecord[];
  /** The projection that a nested loop with `includeChat` begins with: that of its caller. Absent for a run's main loop. */
  projectionBefore?: () => StoredProjection | undefined;
}

/** The participant of a run's main loop. */
export function mainParticipant(
  { definitions }: { definitions: Definitions },
  turn: {
    agent: () => Promise<AnyAgentDefinition>;
    side: () => Side;
    formOf: FormOfSide;
    /** The newest `limit` messages before the run, oldest first; with a range, those within it. */
    earlier: (limit: number, range?: ReadRange) => MessageRecord[];
  },
): Participant {
  let read: { limit: number; range: ReadRange | undefined; messages: MessageRecord[] } | null = null;
  return {
    scope: mainScope,
    activeSide: async () => {
      const agent = await turn.agent();
      const side = turn.side();
      const prompt = await definitions.prompt(sideOf(agent, side).prompt);
      return { prompt, side, agent, form: await turn.formOf(agent, side) };
    },
    messagesBefore: (limit, range) => {
      if (read === null || read.limit < limit || !hasRange(read, range)) {
        const both = read === null ? range : joinedRange(read.range, range);
        read = { limit, range: both, messages: turn.earlier(limit, both) };
      }
      return read.limit === limit ? read.messages : read.messages.slice(-limit);
    },
  };
}

/** A range that includes both. The two sides of a conversation take turns and have a range each, so both ranges are read together. */
function joinedRange(one: ReadRange | undefined, other: ReadRange | undefined): ReadRange | undefined {
  if (one === undefined || other === undefined) return undefined;
  return {
    from: one.from < other.from ? one.from : other.from,
    head: [...new Set([...one.head, ...other.head])],
    withAnswers: one.withAnswers || other.withAnswers,
  };
}

/** Whether messages that were read for one range include those of another one. */
function hasRange(
  { range: known, messages }: { range: ReadRange | undefined; messages: readonly MessageRecord[] },
  range: ReadRange | undefined,
): boolean {
  if (known === undefined) return true;
  if (range === undefined || range.from < known.from) return false;
  return range.head.every((id) => messages.some((message) => message.id === id));
}
