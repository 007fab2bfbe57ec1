// Queries about files, and the responses to them.

import { expect, it } from "vitest";

import {
  fileStatsSchema,
  putFileSchema,
  readFileAnswerSchema,
  readFileSchema,
  searchFilesAnswerSchema,
  searchFilesSchema,
} from "#contract/file.ts";

const record = { path: "/a", name: "a", mimeType: "text/plain", storage: "thread", size: 1, isDirectory: false };

it("A query about files is refused if it has an unknown field", () => {
  for (const [schema, valid] of [
    [readFileSchema, { stat: "" }],
    [putFileSchema, { mkdir: "true" }],
    [searchFilesSchema, { glob: "**" }],
  ] as const) {
    expect(schema.safeParse(valid).success).toBe(true);
    expect(schema.safeParse({ ...valid, more: "1" }).success).toBe(false);
  }
});

it("FHTTP17 A search has either a text pattern (grep) or a path pattern (glob), and a default limit of 100 files", () => {
  expect(searchFilesSchema.parse({ grep: "a" })).toEqual({ grep: "a", limit: 100 });
  for (const wrong of [
    {},
    { grep: "a", glob: "a" },
    { grep: "" },
    { glob: "x".repeat(1001) },
    { grep: "a", limit: "1001" },
  ]) {
    expect(searchFilesSchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
  }
});

it("FHTTP10 A request for the record and the thumbnail of a file at once is refused", () => {
  expect(readFileSchema.parse({ stat: "", thumbnail: "false" })).toEqual({ stat: true, thumbnail: false });
  expect(readFileSchema.safeParse({ stat: "", thumbnail: "1" }).success).toBe(false);
});

it("FHTTP10, FHTTP17 The schemas of file responses accept a folder, a record and results of both searches, and refuse a negative size and incomplete statistics", () => {
  for (const answer of [{ entries: [record] }, record]) expect(readFileAnswerSchema.parse(answer)).toEqual(answer);
  const lines = { results: [{ path: "/a", matches: [{ line: 1, content: "x" }] }], truncated: false };
  for (const answer of [lines, { paths: ["/a"], truncated: true }])
    expect(searchFilesAnswerSchema.parse(answer)).toEqual(answer);
  expect(readFileAnswerSchema.safeParse({ ...record, size: -1 }).success).toBe(false);
  expect(fileStatsSchema.safeParse({ fileCount: 1, directoryCount: 0 }).success).toBe(false);
});
