// Reads the caller of an internal request from the header that the Worker writes.

import { z } from "zod";

import type { Caller } from "#core/thread-rpc.ts";

const callerSchema = z.object({
  user: z.string().nullable(),
  admin: z.boolean(),
  lease: z.object({ id: z.string(), bridged: z.boolean() }).optional(),
});

/** Contract: never throws. A missing or invalid header is read as a caller without any rights. */
export function parseCaller(header: string | null): Caller {
  try {
    return callerSchema.parse(JSON.parse(header ?? ""));
  } catch {
    return { user: null, admin: false };
  }
}
