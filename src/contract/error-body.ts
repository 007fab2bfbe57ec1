// The body of an error response as a schema. Its own file, because the bundles of loops throw errors and contain no schema of them.

import { z } from "zod";

import { errorCodes } from "./error.ts";

/** Body of every error response: `{"error": {"code", "message", "details"}}`. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
