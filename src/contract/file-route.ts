// The routes of a thread's files, as rows of the one route table. Requests and responses contain raw bytes, which no schema describes.

import type { BuiltInRoute } from "./built-in-route.ts";
import {
  fileStatsSchema,
  moveFileSchema,
  putFileSchema,
  readFileAnswerSchema,
  readFileSchema,
  searchFilesAnswerSchema,
  searchFilesSchema,
} from "./file.ts";
import { fileRecordSchema } from "./stored-file.ts";

// The path may be absent: the thread's root is a folder like any other.
const path = "/api/threads/:id/files/*path?";

export const fileRoutes = {
  readFile: {
    method: "GET",
    path,
    summary: "A file's bytes, a folder's entries, or with `stat` the record of either",
    tag: "files",
    access: "user",
    query: readFileSchema,
    raw: "answer",
    requestHeaders: ["Range", "If-Range", "If-Match", "If-None-Match"],
    answers: { 200: readFileAnswerSchema, 206: null, 304: null },
  },
  putFile: {
    method: "PUT",
    path,
    summary: "Writes a file as a whole from the raw body, or with `mkdir` makes a folder",
    tag: "files",
    access: "user",
    query: putFileSchema,
    raw: "request",
    requestHeaders: ["If-Match", "If-None-Match"],
    answers: { 201: fileRecordSchema, 200: fileRecordSchema },
  },
  deleteFile: {
    method: "DELETE",
    path,
    summary: "Deletes a file or an empty folder",
    tag: "files",
    access: "user",
    requestHeaders: ["If-Match"],
    answers: { 204: null },
  },
  moveFile: {
    method: "POST",
    path: "/api/threads/:id/files-move",
    summary: "Moves a file, or a folder with everything in it",
    tag: "files",
    access: "user",
    body: moveFileSchema,
    answers: { 200: fileRecordSchema },
  },
  searchFiles: {
    method: "GET",
    path: "/api/threads/:id/files-search",
    summary: "Lines that a regular expression matches, or paths that a glob matches",
    tag: "files",
    access: "user",
    query: searchFilesSchema,
    answers: { 200: searchFilesAnswerSchema },
  },
  fileStats: {
    method: "GET",
    path: "/api/threads/:id/files-stats",
    summary: "How many files and folders a thread has, and how many bytes",
    tag: "files",
    access: "user",
    answers: { 200: fileStatsSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
