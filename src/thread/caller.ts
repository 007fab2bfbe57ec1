// Reads the caller of an internal request. The Worker writes the header itself; what is missing or broken is nobody.

import { z } from "zod";

import type { Caller } from "#core/thread-rpc.ts";

const callerSchema = z.object({
  user: z.string().nullable(),
  admin: z.boolean(),
  lease: z.object({ id: z.string(), bridged: z.boolean() }).optional(),
});

/** Contract: never throws; a caller that cannot be read may do nothing. */
export function parseCaller(header: string | null): Caller {
  try {
    return callerSchema.parse(JSON.parse(header ?? ""));
  } catch {
    return { user: null, admin: false };
  }
}
