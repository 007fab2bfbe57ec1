// The playground has a manifest of its own, and its packages are installed with those of the project.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { missingPackages } from "../../scripts/lib/installed-packages.mjs";
import type { Lockfile } from "../../scripts/lib/installed-packages.mjs";

const lockfile = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../package-lock.json", import.meta.url)), "utf8"),
) as Required<Lockfile>;

it("Every package of the playground is installed at the root, so that pages, hooks and tests use one copy of React", () => {
  const locations = Object.keys(lockfile.packages);
  expect(locations).toContain("node_modules/@threadhold/playground");
  expect(locations.filter((location) => location.startsWith("playground/"))).toEqual([]);
});

it("An installation from before the playground had a manifest counts as incomplete", () => {
  const { playground, "node_modules/@threadhold/playground": link, ...before } = lockfile.packages;
  expect([playground, link?.link]).toEqual([expect.anything(), true]);
  expect(missingPackages(lockfile, { packages: before })).toEqual([
    "node_modules/@threadhold/playground",
    "playground",
  ]);
});
