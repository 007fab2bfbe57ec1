// Pages of lists, as the thread's object and the catalog (the deployment's index of all threads) return them. In the response of a route,
// the field with the list has the plural name of its items.

import { z } from "zod";

/** One page. `next_cursor` is null on the last. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A page of messages, with the total of the list. `total` is null if no stored counter covers the filter. */
export interface MessagePage<T> extends Page<T> {
  total: number | null;
  has_more: boolean;
}

/** Response schema of a list route: `{<plural>: [...], next_cursor}`. */
export function listSchema<K extends string, S extends z.ZodType>(plural: K, item: S) {
  const shape = { [plural]: z.array(item), next_cursor: z.string().nullable() };
  return z.object(shape as Record<K, z.ZodArray<S>> & { next_cursor: z.ZodNullable<z.ZodString> });
}
