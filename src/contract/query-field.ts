// Fields of query strings, which arrive as text: flags, whole numbers, lengths of lists.

import { z } from "zod";

/** A flag. It is set if its name is given without a value. */
export const flag = z.enum(["true", "false", "1", "0", ""]).transform((value) => value !== "false" && value !== "0");

/** Reads a number of at most 15 plain digits, which is exact. Any other text stays text, which the schema refuses. */
function readDigits(text: unknown): unknown {
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

const notDigits = "has to be a whole number in plain digits";

/** A whole number within bounds. */
export function digits(least: number, most = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(readDigits, z.number(notDigits).int().min(least).max(most));
}

/** The length of a page or a list. */
export function limit(fallback: number, most: number) {
  // The default is part of the inner schema, because the JSON Schema of the field is made from the inner schema only.
  return z.preprocess(readDigits, z.number(notDigits).int().min(1).max(most).default(fallback));
}

/** The position after which a list continues: `next_cursor` of the previous page. */
export const cursorField = z.string().max(500);

/** Query of the routes that start a run: with `wait=true` the response is sent when the run has ended or waits for a client. */
export const waitSchema = z.object({ wait: flag.default(false) }).strict();
