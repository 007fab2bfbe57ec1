// Which thinking of earlier runs is sent again (decision 19): none, unless the prompt's `reasoning.include` asks for it.
// Signatures that ride on text and calls are thinking too, so they go with it. The present run's thinking is always sent,
// and the model layer lets it reach none but the provider that made it.

import type { ReasoningConfig } from "#spec/index.ts";

import type { MessageRecord } from "../record.ts";

/**
 * The messages above a line with the thinking they keep. A run that goes on where tools have just answered, and nobody
 * else has spoken since, is in the middle of a turn: providers refuse that turn's calls without their signatures, so it
 * keeps them. `own` are the line's messages of the present run.
 */
export function earlierThinking(
  above: readonly MessageRecord[],
  reasoning: ReasoningConfig | undefined,
  own: readonly MessageRecord[],
): MessageRecord[] {
  if (reasoning?.include === true) return [...above];
  const turn = openTurn(above, own);
  const runs = new Set(own.flatMap(({ run_id }) => run_id ?? []));
  const keeps = ({ run_id }: MessageRecord, at: number) => at >= turn || (run_id !== null && runs.has(run_id));
  return above.map((message, at) => (keeps(message, at) ? message : withoutThinking(message)));
}

/** Index of the first message of a turn that is still open; the list's length when there is none. */
function openTurn(above: readonly MessageRecord[], own: readonly MessageRecord[]): number {
  const last = above.at(-1);
  if (last?.role !== "tool") return above.length;
  const fromElse = ({ role, side }: MessageRecord) => (role === "user" || role === "assistant") && side !== last.side;
  return own.some(fromElse) ? above.length : above.findLastIndex(fromElse) + 1;
}

function withoutThinking(message: MessageRecord): MessageRecord {
  const parts = message.parts.flatMap((part) => {
    if (part.type === "thinking") return [];
    if (part.provider_data === undefined) return [part];
    const { provider_data: _, ...rest } = part;
    return [rest];
  });
  return { ...message, parts };
}
