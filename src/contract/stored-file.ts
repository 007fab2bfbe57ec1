// The record of a file or folder on the wire, with the field names of Standard Agents.

import { z } from "zod";

/** Sizes are bytes, times microseconds since epoch. */
export const fileRecordSchema = z.object({
  /** With a leading `/`. */
  path: z.string(),
  name: z.string(),
  mimeType: z.string(),
  storage: z.string(),
  size: z.number().int().nonnegative(),
  isDirectory: z.boolean(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Pixels, for images. */
  width: z.number().int().positive().optional(),
  /** Pixels, for images. */
  height: z.number().int().positive().optional(),
  createdAt: z.number().int().optional(),
  updatedAt: z.number().int().optional(),
});
