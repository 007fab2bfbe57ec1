// A thread's files on the wire: responses of the routes for folders, searches and totals, and the queries of all file routes.

import { z } from "zod";

import { flag, limit } from "./query-field.ts";
import { fileRecordSchema } from "./stored-file.ts";

/** The entries of a folder. */
export const folderSchema = z.object({ entries: z.array(fileRecordSchema) });

/** The JSON response to a read of a path: a folder's entries, or the record that `stat` requests. */
export const readFileAnswerSchema = z.union([folderSchema, fileRecordSchema]);

/** Totals of a thread's files, including folders that exist only in paths. */
export const fileStatsSchema = z.object({
  fileCount: z.number().int().nonnegative(),
  directoryCount: z.number().int().nonnegative(),
  totalSize: z.number().int().nonnegative(),
});

/** True if a bound ended the search: more files may match. */
const truncated = z.boolean();

/** Response to `grep`: the matching lines by file. */
const grepAnswerSchema = z.object({
  results: z.array(
    z.object({
      path: z.string(),
      /** Lines count from 1. */
      matches: z.array(z.object({ line: z.number().int().positive(), content: z.string() })),
    }),
  ),
  truncated,
});

/** Response to `glob`: the matching paths. */
export const globAnswerSchema = z.object({ paths: z.array(z.string()), truncated });

/** Response of a search, by its kind. */
export const searchFilesAnswerSchema = z.union([grepAnswerSchema, globAnswerSchema]);

/** Query of `GET` of a file: its record or a thumbnail in place of the bytes. */
export const readFileSchema = z
  .object({ stat: flag.optional(), thumbnail: flag.optional() })
  .strict()
  .refine(({ stat, thumbnail }) => stat !== true || thumbnail !== true, "Ask for stat or for thumbnail, not for both");

/** Query of `PUT` of a file: creates a folder in place of a file. */
export const putFileSchema = z.object({ mkdir: flag.optional() }).strict();

/** Query of a search: a regular expression over lines, or a glob over paths. */
export const searchFilesSchema = z
  .object({
    grep: z.string().min(1).max(1000).optional(),
    glob: z.string().min(1).max(1000).optional(),
    /** Folder to search in; the root when absent. */
    path: z.string().max(4096).optional(),
    /** Maximal number of files. */
    limit: limit(100, 1000),
  })
  .strict()
  .refine(({ grep, glob }) => (grep === undefined) !== (glob === undefined), "Give grep or glob, one of the two");

/** Body of a move: the current path of a file or a folder, and its new path. */
export const moveFileSchema = z.object({ from: z.string().min(1).max(4096), to: z.string().min(1).max(4096) }).strict();

export type ReadFile = z.infer<typeof readFileSchema>;
