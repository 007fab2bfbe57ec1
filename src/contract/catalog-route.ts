// The route that restores a lost catalog (the deployment's index of all threads). Each thread's object stores the catalog's data about its
// thread. The caller lists the objects, because no object has a list of the others.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

/** Body: ids of objects, as the platform's API lists them and a local server names their files. */
const restoreCatalogSchema = z.strictObject({
  object_ids: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, "Has to be an object's id: 64 hexadecimal digits"))
    .min(1)
    .max(50),
});

/** The outcome for one object. The response has the outcomes in the order of the request. */
const restoredObjectSchema = z.object({
  object_id: z.string(),
  /** Null for an object without a thread, and for an object that failed (`error` has the reason). */
  thread_id: z.string().nullable(),
  /** Runs whose totals were sent to the catalog. */
  runs: z.number().int().nonnegative(),
  error: z.string().nullable(),
});
export type RestoredObject = z.infer<typeof restoredObjectSchema>;

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
