// The index of decision records, against the records.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../docs/decisions/", import.meta.url));
const read = (file: string) => readFileSync(path.join(folder, file), "utf8");
const records = readdirSync(folder)
  .filter((file) => /^\d{4}-/.test(file))
  .sort();
const row = /^\| \[(?<number>\d{4})\]\((?<file>[^)]+)\) \| (?<title>.*?) \| (?<status>.*?) \| (?<by>.*?)\|$/;
const rows = read("README.md")
  .split("\n")
  .flatMap((line) => {
    const groups = row.exec(line)?.groups;
    if (groups === undefined) return [];
    const { number = "", file = "", title = "", status = "", by = "" } = groups;
    return [{ number, file, title, status, by }];
  });

it("The index of decisions lists every decision record once, with its number and title", () => {
  expect(rows.map(({ file }) => file)).toEqual(records);
  for (const { number, file, title } of rows) expect(read(file).split("\n")[0]).toBe(`# ${number}. ${title}`);
});

it("The index of decisions marks a record as superseded exactly if the record names its successor", () => {
  for (const { file, status, by } of rows) {
    const [, head = ""] = read(file).split("\n\n");
    expect([file, status.includes("superseded")]).toEqual([file, head.includes("superseded")]);
    for (const [later = ""] of status.includes("superseded") ? by.matchAll(/\b\d{4}(?=: )/g) : [])
      expect([file, head]).toEqual([file, expect.stringContaining(`[${later}](`)]);
  }
});
