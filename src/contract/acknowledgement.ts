// What a reader sends over the subscriber protocol (architecture §5.7).

import { z } from "zod";

/** What a reader sends: it has taken everything up to `seq`. At least every 64 KiB or every second. */
export const acknowledgementSchema = z.object({ type: z.literal("ack"), seq: z.number().int().nonnegative() }).strict();
