// Converts the records of a run to UPP's messages, and to a turn with its tool executions and token counts.

import type { StopReason } from "#contract/thread-message.ts";
import { addUsage, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { unreachable } from "#lib/unreachable.ts";

import { answerMessage, instructionMessage, resultMessage } from "./message-records.ts";
import type { EndedCalls } from "./tool-calls.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { TokenUsage, Turn } from "./turn.ts";
import type { AnyMessage, AssistantMessage } from "./upp-message.ts";

/** A turn, and why its last answer ended. */
export interface EndedTurn {
  turn: Turn;
  stopReason: StopReason;
}

/** The run that is converted: its message records, and the executions of its calls. */
interface RunParts {
  journal: { readonly messages: readonly MessageRecord[] };
  calls: EndedCalls;
}

/** Converts the records of a run in progress. Each record is converted once, so its message is the same object in each list and turn. */
export class TurnRecords {
  readonly #request: Pick<TurnRequest, "input" | "structure" | "modelOrder">;
  readonly #run: RunParts;
  readonly #made = new Map<string, AnyMessage>();

  constructor(request: Pick<TurnRequest, "input" | "structure" | "modelOrder">, run: RunParts) {
    this.#request = request;
    this.#run = run;
  }

  /** The number of records. */
  get length(): number {
    return this.#run.journal.messages.length;
  }

  /** Converts the records from index `from` on. The input is not among them. */
  messages(from = 0): AnyMessage[] {
    const records = this.#run.journal.messages.slice(from);
    const rows = rowsByStep(records);
    return records.flatMap((record): AnyMessage[] => {
      if (record.role === "user") return [this.#once(record.id, () => instructionMessage(record))];
      if (record.role !== "assistant") return [];
      const answer = this.#once(record.id, () => answerMessage(record, this.#request));
      const results = rows.get(record.step) ?? [];
      if (results.length === 0) return [answer];
      return [answer, this.#once(`${record.id}:results`, () => resultMessage(results, this.#run.calls))];
    });
  }

  /**
   * Makes a turn of the records from index `from` on. If `from` is 0, the turn begins with the input. `usage` has the token counts of the
   * whole run, failed requests included. Without `usage`, the turn has the sum of the token counts of its answers.
   */
  turn(from = 0, usage?: Usage): EndedTurn {
    const records = this.#run.journal.messages.slice(from);
    const { input, structure } = this.#request;
    const messages = [...(from === 0 ? input : []), ...this.messages(from)];
    const response = messages.findLast((message): message is AssistantMessage => message.type === "assistant");
    const answers = records.filter(({ role }) => role === "assistant");
    const last = answers.at(-1);
    if (response === undefined || last === undefined) unreachable("a completed run has an answer");
    const texts = last.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const data = structure === undefined || response.hasToolCalls ? undefined : answerData(texts);
    const counted = answers.flatMap((answer) => answer.usage ?? []);
    const turn: Turn = {
      messages,
      response,
      toolExecutions: records.flatMap(({ role, tool_call_id }) =>
        role === "tool" ? (this.#run.calls.execution(tool_call_id ?? "") ?? []) : [],
      ),
      usage: { ...tokenUsage(usage ?? counted.reduce(addUsage, zeroUsage)), cycles: counted.map(tokenUsage) },
      cycles: answers.length,
      ...(data === undefined ? {} : { data }),
    };
    return { turn, stopReason: last.stop_reason ?? "stop" };
  }

  #once<M extends AnyMessage>(key: string, make: () => M): M {
    const known = this.#made.get(key) as M | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    return made;
  }
}

/** Groups the tool records by the number of their step. */
function rowsByStep(records: readonly MessageRecord[]): Map<number | null, MessageRecord[]> {
  const rows = new Map<number | null, MessageRecord[]>();
  for (const record of records) {
    if (record.role !== "tool") continue;
    const known = rows.get(record.step);
    if (known === undefined) rows.set(record.step, [record]);
    else known.push(record);
  }
  return rows;
}

function tokenUsage({ input, output, cache_read, cache_write, total_tokens }: Usage): TokenUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: total_tokens,
    cacheReadTokens: cache_read,
    cacheWriteTokens: cache_write,
  };
}
