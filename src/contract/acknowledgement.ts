// The message by which a reader acknowledges events in the subscriber protocol (architecture §5.7).

import { z } from "zod";

/** The reader has received everything up to `seq`. Sent at once after the first event, then at least after every 64 KiB or every second. */
export const acknowledgementSchema = z.object({ type: z.literal("ack"), seq: z.number().int().nonnegative() }).strict();
