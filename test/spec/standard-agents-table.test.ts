// The reference of Standard Agents matches the code: every member of the document has a row, and every row a member and a file.
// `scripts/rules.mjs` checks that each row has a test.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { specMembers } from "./spec-members.ts";

const root = new URL("../../", import.meta.url);
const table = readFileSync(new URL("docs/reference/standard-agents.md", root), "utf8");
const [rowsText = "", additionsText = ""] = table.split("## Beyond the document");

interface Row {
  id: string;
  member: string;
  file: string;
  proof: string;
}

const rows = [...rowsText.matchAll(/^\| (SA[A-Z]+\d+) \|(.*)\|$/gm)].map(([, id = "", cells = ""]): Row => {
  const [member = "", , file = "", proof = ""] = cells.split("|").map((cell) => cell.trim());
  return { id, member: /^`([^`]+)`/.exec(member)?.[1] ?? "", file: file.replaceAll("`", ""), proof };
});

/** Members of the document's types that are ours. */
const additions = [...additionsText.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].flatMap(([, type = "", cell = ""]) =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, member = ""]) => `${type}.${member}`),
);

const zodTypes = /^Zod(String|Number|Boolean|Null|Literal|Enum|Optional|Nullable|Default|Array|Object|Record|Union)$/;

describe("the reference of Standard Agents", () => {
  it("Each type, function, field and method of the types for Standard Agents has a row in the reference or is listed there as an addition", () => {
    const covered = new Set([...rows.map(({ member }) => member), ...additions]);
    expect([...specMembers()].filter((member) => !covered.has(member))).toEqual([]);
  });

  it("The reference of Standard Agents has no row for a member that does not exist", () => {
    const known = specMembers();
    expect(rows.filter(({ member }) => !known.has(member) && !zodTypes.test(member))).toEqual([]);
    expect(additions.filter((member) => !known.has(member))).toEqual([]);
  });

  it("Each row of the reference of Standard Agents names an existing file and a known kind of proof", () => {
    expect(rows.filter(({ file }) => !existsSync(fileURLToPath(new URL(file, root))))).toEqual([]);
    const proofs = new Set(["request", "row", "event", "answer", "state", "type"]);
    expect(rows.filter(({ proof }) => !proofs.has(proof))).toEqual([]);
    expect(rows.length).toBeGreaterThan(300);
  });
});
