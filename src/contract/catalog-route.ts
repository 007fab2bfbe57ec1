// The route by which a catalog that was lost is filled again. The objects hold everything it knows; only who their objects
// are has to be said, since no object knows of another.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

/** Body: objects by the platform's ids, as its API lists them and a local server names their files. */
export const restoreCatalogSchema = z.strictObject({
  object_ids: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, "Has to be an object's id: 64 hexadecimal digits"))
    .min(1)
    .max(50),
});

/** What came of each object, in the order asked. */
export const restoredObjectSchema = z.object({
  object_id: z.string(),
  /** Null for an object without a thread, and where `error` says why it could not be asked. */
  thread_id: z.string().nullable(),
  /** Runs whose totals the catalog has now. */
  runs: z.number().int().nonnegative(),
  error: z.string().nullable(),
});
export type RestoredObject = z.infer<typeof restoredObjectSchema>;

/** The row. */
export const catalogRoutes = {
  restoreCatalog: {
    method: "POST",
    path: "/api/catalog/restore",
    summary: "Has objects tell the catalog their threads and the totals of their runs again",
    tag: "service",
    access: "admin",
    body: restoreCatalogSchema,
    answers: { 200: z.object({ objects: z.array(restoredObjectSchema) }) },
  },
} as const satisfies Record<string, BuiltInRoute>;
