// The words of a run as they are said. Deltas that were merged, or come again after a cut, say nothing twice: what is yielded is
// what their block had not yet.

import type { ThreadEvent } from "#contract/event.ts";

/** What the run itself says; not its thinking, nor what sub-prompts say. Words that are retracted later were yielded all the same. */
export async function* textDeltas(events: AsyncIterable<ThreadEvent>): AsyncGenerator<string, void, undefined> {
  const said = new Map<string, number>();
  for await (const event of events) {
    if ((event.type !== "text_delta" && event.type !== "text_end") || (event.depth ?? 0) > 0) continue;
    const block = `${event.message_id}:${event.index}`;
    const known = said.get(block) ?? 0;
    const [offset, text] = event.type === "text_delta" ? [event.offset, event.delta] : [0, event.text];
    said.set(block, Math.max(known, offset + text.length));
    const fresh = text.slice(Math.max(0, known - offset));
    if (fresh !== "") yield fresh;
  }
}
