// A thread's files on the wire: what a folder, a search and a count answer, and what the queries of their routes may say.

import { z } from "zod";

import { flag, limit } from "./query-field.ts";
import { fileRecordSchema } from "./stored-file.ts";

/** What a folder holds. */
export const folderSchema = z.object({ entries: z.array(fileRecordSchema) });

/** What a path answers where it does not answer bytes: a folder's entries, or the record that `stat` asks for. */
export const readFileAnswerSchema = z.union([folderSchema, fileRecordSchema]);

/** Totals over a thread's files, implied folders included. */
export const fileStatsSchema = z.object({
  fileCount: z.number().int().nonnegative(),
  directoryCount: z.number().int().nonnegative(),
  totalSize: z.number().int().nonnegative(),
});

/** True where a bound ended the search: more may match. */
const truncated = z.boolean();

/** Answer to `grep`: the matching lines by file. */
export const grepAnswerSchema = z.object({
  results: z.array(
    z.object({
      path: z.string(),
      /** Lines count from 1. */
      matches: z.array(z.object({ line: z.number().int().positive(), content: z.string() })),
    }),
  ),
  truncated,
});

/** Answer to `glob`: the paths that match. */
export const globAnswerSchema = z.object({ paths: z.array(z.string()), truncated });

/** Answer of a search, by what was asked. */
export const searchFilesAnswerSchema = z.union([grepAnswerSchema, globAnswerSchema]);

/** Query of `GET` of a file: the record or a small picture in place of the bytes. */
export const readFileSchema = z
  .object({ stat: flag.optional(), thumbnail: flag.optional() })
  .strict()
  .refine(({ stat, thumbnail }) => stat !== true || thumbnail !== true, "Ask for stat or for thumbnail, not for both");

/** Query of `PUT` of a file: a folder in place of a file. */
export const putFileSchema = z.object({ mkdir: flag.optional() }).strict();

/** Query of a search: a regular expression over lines, or a glob over paths. */
export const searchFilesSchema = z
  .object({
    grep: z.string().min(1).max(1000).optional(),
    glob: z.string().min(1).max(1000).optional(),
    /** Folder to search in; the root when absent. */
    path: z.string().max(4096).optional(),
    /** Files at most. */
    limit: limit(100, 1000),
  })
  .strict()
  .refine(({ grep, glob }) => (grep === undefined) !== (glob === undefined), "Give grep or glob, one of the two");

export type ReadFile = z.infer<typeof readFileSchema>;
export type PutFile = z.infer<typeof putFileSchema>;
export type SearchFiles = z.infer<typeof searchFilesSchema>;
