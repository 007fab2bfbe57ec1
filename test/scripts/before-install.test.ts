// A fresh clone has no packages: what its commands load before they have installed any must need none.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts/", import.meta.url));

/** Bare names of packages that a script loads as it begins, directly or through files of ours. */
function packagesOf(file: string, received = new Set<string>()): string[] {
  if (received.has(file)) return [];
  received.add(file);
  const statement = /^(?:import|export)\s(?:[\w$*{}\s,]+?\sfrom\s)?["']([^"']+)["']/gm;
  const imported = [...readFileSync(file, "utf8").matchAll(statement)];
  return imported.flatMap(([, name = ""]) => {
    if (name.startsWith("node:")) return [];
    if (name.startsWith(".")) return packagesOf(path.resolve(path.dirname(file), name), received);
    return [`${path.relative(scripts, file)} loads ${name}`];
  });
}

const installing = readdirSync(scripts).filter(
  (name) => name.endsWith(".mjs") && readFileSync(path.join(scripts, name), "utf8").includes("ensureInstall()"),
);

it("The scripts of `npm run dev` and `npm test` are among those that install missing packages", () => {
  expect(installing).toEqual(expect.arrayContaining(["dev.mjs", "test.mjs"]));
});

it.each(installing)("The script %s loads no package before it has installed the packages", (name) => {
  expect(packagesOf(path.join(scripts, name))).toEqual([]);
});
