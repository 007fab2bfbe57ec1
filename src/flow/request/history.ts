// Selects the stored messages that a step sends, and adapts them to the side that takes the step. The prompt decides which messages of
// earlier runs are included. In a conversation of two models (decision 9: two models in a thread), a side's own messages have the role of
// the assistant, the other side's that of the user, and a side receives only its own tool calls. With one side nothing is adapted.

import type { Side } from "#contract/thread-message.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { CallOutcome } from "#core/ports/strategy-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { outcomeOf, stepOf } from "#core/record/run-state.ts";
import { isAnswer } from "#core/record/scope.ts";
import { textOf } from "#core/record/view.ts";
import { GrowingRepair } from "#core/request/repair.ts";
import { isSendable, modelMessage } from "#core/request/request-messages.ts";
import { earlierThinking } from "#core/request/selected-thinking.ts";
import { beginsWith } from "#lib/begins-with.ts";
import { ListMemo } from "#lib/list-memo.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { otherSide, sideOf } from "../strategy/conversation-strategy.ts";
import { stopOutcome } from "../strategy/turn-end.ts";

/**
 * The messages of earlier runs that the prompt includes: all or none, with or without thinking, tool calls and the silent messages of a
 * strategy. `own` are the messages of the current run.
 */
export function earlierMessages(
  earlier: readonly MessageRecord[],
  prompt: AnyPromptDefinition,
  own: readonly MessageRecord[],
): MessageRecord[] {
  if (prompt.includeChat !== true) return [];
  const shown = prompt.includePastTools === true ? earlier : withoutTools(earlier);
  return earlierThinking(shown, prompt.reasoning, own);
}

/** The results of `withoutTools`, by its argument. Each step of a loop passes the same list. */
const listsWithoutTools = new WeakMap<readonly MessageRecord[], MessageRecord[]>();

function withoutTools(earlier: readonly MessageRecord[]): readonly MessageRecord[] {
  const known = listsWithoutTools.get(earlier);
  if (known !== undefined) return known;
  const list = earlier.flatMap((message) => {
    if (message.role === "tool" || message.strategy !== undefined) return [];
    const parts = message.parts.filter(({ type }) => type !== "tool_call" && type !== "provider_tool");
    if (parts.length === message.parts.length) return [message];
    return textOf(parts) === null ? [] : [{ ...message, parts }];
  });
  listsWithoutTools.set(earlier, list);
  return list;
}

/** The metadata of a person's message in a conversation of two models. */
export const humanMark = { from: "human" } as const;

/** The side that takes the step, and its agent. A sub-prompt has the side of its caller. */
export interface Viewer {
  side: Side;
  agent: AnyAgentDefinition;
}

/**
 * The messages of a loop's steps as a model receives them, with calls and results paired. A step has the messages of the previous step and a few
 * more, so only those are converted and repaired. All messages are adapted again if the list changed in another way, or if what a side
 * receives of a message depends on later messages.
 */
export class LoopMessages {
  #side: Side | null = null;
  #records: readonly MessageRecord[] = [];
  #repair = new GrowingRepair();
  readonly #converted = new ListMemo<MessageRecord, ModelMessage>();
  /** True if the form of a message depends on a later message. */
  #looksAhead = false;

  /** Returns the messages for a step. Contract: the caller does not change `records` afterwards. */
  of(viewer: Viewer, records: readonly MessageRecord[]): ModelMessage[] {
    const grows = this.#isContinuedBy(viewer.side, records);
    const repair = grows ? this.#repair : new GrowingRepair();
    const added = grows ? records.slice(this.#records.length) : records;
    const list = viewedList(viewer, added.filter(isSendable));
    const seen = seenIn(list);
    const messages = repair.add(grows ? seen.map(modelMessage) : this.#converted.map(seen, modelMessage));
    this.#repair = repair;
    this.#side = viewer.side;
    this.#records = records;
    this.#looksAhead = list.looksAhead;
    return messages;
  }

  /** Whether only the added messages have to be converted. The agent is not compared: it matters only if `#looksAhead` is true. */
  #isContinuedBy(side: Side, records: readonly MessageRecord[]): boolean {
    if (this.#side !== side || this.#looksAhead || this.#repair.hasLostResult) return false;
    return beginsWith(records, this.#records);
  }
}

/**
 * The messages that the side receives, with roles from its perspective: the side's own have the role of the assistant, the other side's
 * that of the user.
 */
export function fromPerspective(viewer: Viewer, records: readonly MessageRecord[]): MessageRecord[] {
  return seenIn(viewedList(viewer, records));
}

function seenIn(list: ViewedList): MessageRecord[] {
  const { records } = list;
  const seen: MessageRecord[] = [];
  // A conversation may have thousands of messages, so the loop creates no object for an unchanged message.
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at];
    const shown = record === undefined ? null : shownMessage(record, at, list);
    if (shown !== null) seen.push(shown);
  }
  return seen;
}

/** A list of messages as a side receives it. */
interface ViewedList extends Viewer {
  records: readonly MessageRecord[];
  /** For each message the side of the next answer after it; null until it is needed, because most lists do not need it. */
  sides: readonly Side[] | null;
  /** True if the form of a message depends on the messages after it. */
  looksAhead: boolean;
}

function viewedList(viewer: Viewer, records: readonly MessageRecord[]): ViewedList {
  return { ...viewer, records, sides: null, looksAhead: false };
}

/** The side of the next answer after the message at an index. */
function nextSide(list: ViewedList, at: number): Side {
  list.looksAhead = true;
  list.sides ??= nextSides(list.records, list.side);
  return list.sides[at] ?? list.side;
}

/** The message at an index as the side receives it; null if it does not receive it. */
function shownMessage(record: MessageRecord, at: number, list: ViewedList): MessageRecord | null {
  if (record.role === "system" || record.role === "extension") return record;
  const { side, agent, records } = list;
  if (record.strategy !== undefined && record.depth === 0) return strategyMessage(record, at, list);
  const own = record.depth > 0 ? record.role !== "user" : ownerOf(record, at, list) === side;
  if (record.role === "tool") return own ? record : null;
  if (own) return record.role === "assistant" ? record : { ...record, role: "assistant" };
  if (record.role === "user" && !isAnswer(record)) return record;
  list.looksAhead = true;
  const parts = otherSideParts(record, records.slice(at + 1), agent);
  return parts.length === 0 ? null : { ...record, role: "user", parts };
}

/** A silent message of a strategy: an instruction or reasoning. Only the side that it belongs to receives it. */
function strategyMessage(record: MessageRecord, at: number, list: ViewedList): MessageRecord | null {
  if (!isAnswer(record)) return nextSide(list, at) === list.side ? record : null;
  return record.side === list.side ? { ...record, role: "assistant" } : null;
}

function ownerOf(record: MessageRecord, at: number, list: ViewedList): Side {
  if (record.side !== null) return record.side;
  if (record.metadata["from"] === humanMark.from) return otherSide(nextSide(list, at));
  return record.role === "user" ? "b" : "a";
}

/** For each record, the side of the next answer after it; for records after the last answer, the viewer's side. */
function nextSides(records: readonly MessageRecord[], viewer: Side): Side[] {
  const sides = records.map(() => viewer);
  let next = viewer;
  for (let at = records.length - 1; at >= 0; at -= 1) {
    const record = records[at];
    sides[at] = next;
    if (record !== undefined && isAnswer(record)) next = record.side ?? "a";
  }
  return sides;
}

/** The parts of an answer that the other side receives: its content, or the outcome of the called stop tool (decision 6: stop tools). */
function otherSideParts(
  record: MessageRecord,
  later: readonly MessageRecord[],
  agent: AnyAgentDefinition,
): MessageRecord["parts"] {
  const stop = record.side === null ? null : stopCallText(record, later, { agent, side: record.side });
  if (stop !== null) return [{ type: "text", text: stop }];
  const text = textOf(record.parts) ?? "";
  const own = new Set(["thinking", "tool_call", "provider_tool"]);
  return !isVisible(text) ? [] : record.parts.filter(({ type }) => !own.has(type));
}

function stopCallText(
  record: MessageRecord,
  later: readonly MessageRecord[],
  { agent, side }: { agent: AnyAgentDefinition; side: Side },
): string | null {
  const config = sideOf(agent, side);
  if (config.stopTool === undefined) return null;
  const isStop = ({ call }: CallOutcome) => call.name === config.stopTool;
  if (!record.parts.some((part) => part.type === "tool_call" && part.name === config.stopTool)) return null;
  const call = outcomeOf(stepOf(record, later)).calls.find(isStop);
  if (call === undefined) return null;
  const outcome = stopOutcome(config, call);
  return typeof outcome === "string" ? outcome : JSON.stringify(outcome);
}
