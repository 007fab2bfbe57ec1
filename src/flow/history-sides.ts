// A conversation of two models as one of them sees it (decision 9): its own words are the assistant's, the other's are the
// user's, and of tools it sees only its own. With one side this changes nothing.

import type { Side } from "#contract/message.ts";
import type { CallOutcome } from "#core/ports/strategy.ts";
import type { MessageRecord } from "#core/record.ts";
import { outcomeOf, stepOf } from "#core/run-state.ts";
import { isAnswer } from "#core/scope.ts";
import { textOf } from "#core/view.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { other, sideOf } from "./conversation-strategy.ts";
import { stopOutcome } from "./turn-end.ts";

/** Metadata that marks a person's words in a conversation of two models. */
export const humanMark = { from: "human" } as const;

/** Who looks at the history: a side of the thread's agent, or a sub-prompt that it called. */
export interface Viewer {
  side: Side;
  agent: AnyAgentDefinition;
}

/** The records that the side sees, in the roles it sees them in. */
export function seenFrom({ side, agent }: Viewer, records: readonly MessageRecord[]): MessageRecord[] {
  const speakers = nextSpeakers(records, side);
  return records.flatMap((record, at) => {
    if (record.role === "system" || record.role === "extension") return [record];
    const own = record.depth > 0 ? record.role !== "user" : ownerOf(record, speakers[at] ?? side) === side;
    if (record.role === "tool") return own ? [record] : [];
    if (own) return [record.role === "assistant" ? record : { ...record, role: "assistant" }];
    if (record.role === "user" && !isAnswer(record)) return [record];
    const heard = heardParts(record, records.slice(at + 1), agent);
    return heard.length === 0 ? [] : [{ ...record, role: "user", parts: heard }];
  });
}

function ownerOf(record: MessageRecord, speaksNext: Side): Side {
  if (record.side !== null) return record.side;
  if (record.metadata["from"] === humanMark.from) return other(speaksNext);
  return record.role === "user" ? "b" : "a";
}

/** For each record the side whose answer comes next behind it; behind the last answer it is the viewer. */
function nextSpeakers(records: readonly MessageRecord[], viewer: Side): Side[] {
  const speakers: Side[] = [];
  let next = viewer;
  for (const [back, record] of records.toReversed().entries()) {
    speakers[records.length - 1 - back] = next;
    if (isAnswer(record)) next = record.side ?? "a";
  }
  return speakers;
}

/** What the other side hears of an answer: its words, or the outcome of the stop tool it called (decision 6). */
function heardParts(
  record: MessageRecord,
  behind: readonly MessageRecord[],
  agent: AnyAgentDefinition,
): MessageRecord["parts"] {
  const stop = record.side === null ? null : stopCall(record, behind, { agent, side: record.side });
  if (stop !== null) return [{ type: "text", text: stop }];
  const said = textOf(record.parts) ?? "";
  return said.trim() === "" ? [] : record.parts.filter(({ type }) => type !== "thinking" && type !== "tool_call");
}

function stopCall(
  record: MessageRecord,
  behind: readonly MessageRecord[],
  { agent, side }: { agent: AnyAgentDefinition; side: Side },
): string | null {
  const config = sideOf(agent, side);
  if (config.stopTool === undefined) return null;
  const isStop = ({ call }: CallOutcome) => call.name === config.stopTool;
  if (!record.parts.some((part) => part.type === "tool_call" && part.name === config.stopTool)) return null;
  const call = outcomeOf(stepOf(record, behind)).calls.find(isStop);
  if (call === undefined) return null;
  const outcome = stopOutcome(config, call);
  return typeof outcome === "string" ? outcome : JSON.stringify(outcome);
}
