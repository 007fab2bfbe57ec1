// What an event of a row may look like: the contract's event without what the row leaves out. Replay sends such events to
// readers as they are, so each is held against the shape its type has.

import { z } from "zod";

import { eventSchema } from "#contract/event.ts";
import { pendingCallSchema } from "#contract/thread.ts";

import type { StoredEvent } from "../record.ts";
import { leftOut } from "../stored-event.ts";

const [plainEvents] = eventSchema.options;

/** A rest leaves the arguments of its calls to the messages that ask for them. */
const restingCalls = z.array(z.strictObject(pendingCallSchema.shape));

function storedForm(option: (typeof plainEvents.options)[number]) {
  const gone = new Set<string>(["thread_id", "prev", ...(leftOut[option.shape.type.value] ?? [])]);
  const kept = Object.entries(option.shape).filter(([field]) => !gone.has(field));
  const shape = { ...Object.fromEntries(kept), type: option.shape.type };
  return z.strictObject("tool_calls" in shape ? { ...shape, tool_calls: restingCalls } : shape);
}

const [first, ...others] = plainEvents.options.map(storedForm);

/** One event of a row. */
export const storedEventSchema = z.discriminatedUnion("type", [
  ...(first === undefined ? [] : [first]),
  ...others,
] as unknown as [z.ZodObject<{ type: z.ZodLiteral<StoredEvent["type"]> }>]) as unknown as z.ZodType<StoredEvent>;

/** The events of a row, their numbers rising. */
export const storedEventsSchema = z
  .array(storedEventSchema)
  .refine((events) => events.every((event, at) => event.seq > (events[at - 1]?.seq ?? 0)), "the numbers have to rise");
