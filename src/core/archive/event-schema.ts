// The schema of an imported event: the contract's event without the fields that rows leave out. Replay sends imported events to readers
// without further checks, so each one is validated by the schema of its type.

import { z } from "zod";

import { eventSchema } from "#contract/event.ts";
import { pendingCallSchema } from "#contract/thread.ts";

import type { StoredEvent } from "../record/record.ts";
import { leftOut } from "../record/stored-event.ts";

const [plainEvents] = eventSchema.options;

/** The calls of an `awaiting_tool_execution` event. Rows may leave out their arguments, which are in the messages that made the calls. */
const openCalls = z.array(z.strictObject(pendingCallSchema.shape));

function storedForm(option: (typeof plainEvents.options)[number]) {
  const gone = new Set<string>(["thread_id", "prev", ...(leftOut[option.shape.type.value] ?? [])]);
  const kept = Object.entries(option.shape).filter(([field]) => !gone.has(field));
  const shape = { ...Object.fromEntries(kept), type: option.shape.type };
  // Older exports contain the thread as it was. The import does not store it.
  if ("thread" in option.shape && shape.type.value === "thread_updated")
    Object.assign(shape, { thread: z.unknown().optional() });
  return z.strictObject("tool_calls" in shape ? { ...shape, tool_calls: openCalls } : shape);
}

const [first, ...others] = plainEvents.options.map(storedForm);

/** One event of a row. */
export const storedEventSchema = z.discriminatedUnion("type", [
  ...(first === undefined ? [] : [first]),
  ...others,
] as unknown as [z.ZodObject<{ type: z.ZodLiteral<StoredEvent["type"]> }>]) as unknown as z.ZodType<StoredEvent>;

/** The events of a row, in ascending order of their numbers. */
export const storedEventsSchema = z
  .array(storedEventSchema)
  .refine((events) => events.every((event, at) => event.seq > (events[at - 1]?.seq ?? 0)), "the numbers have to rise");
