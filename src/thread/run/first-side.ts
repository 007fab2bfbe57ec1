// Which side of the thread's agent speaks first in a run (decision 9).

import type { Side } from "#contract/message.ts";
import { isAnswer } from "#core/line.ts";
import type { RunRecord } from "#core/record.ts";
import { other } from "#flow/conversation-strategy.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";
import { messagesBefore } from "./earlier-messages.ts";

/** Messages looked at for the one who spoke last: between two answers stand at most the results of one step. */
const lookBack = 50;

/** The side that answers the last one; the first where nobody has spoken, or where there is no other. */
export function firstSide({ live }: ObjectContext, run: RunRecord, agent: AnyAgentDefinition): Side {
  if (agent.type !== "dual_ai") return "a";
  const last = messagesBefore(live, run, lookBack).find(isAnswer)?.side ?? "b";
  return other(last);
}
