// When a command decides to install, and when it must not.

import { expect, it } from "vitest";

import { missingPackages } from "../../scripts/lib/installed-packages.mjs";
import { nodeTooOld } from "../../scripts/lib/node-version.mjs";

const lockfile = {
  packages: {
    "": { version: "0.1.0" },
    "node_modules/hono": { version: "4.13.19" },
    "node_modules/esbuild-other-platform": { version: "1.0.0", optional: true },
  },
};

it("A fresh clone lacks every package except the builds for other platforms", () => {
  expect(missingPackages(lockfile, undefined)).toEqual(["node_modules/hono"]);
});

it("An install with exactly the locked versions lacks no package", () => {
  expect(missingPackages(lockfile, { packages: { "node_modules/hono": { version: "4.13.19" } } })).toEqual([]);
});

it("A package that is installed in another version counts as missing, also an optional one", () => {
  const installed = {
    packages: {
      "node_modules/hono": { version: "4.13.18" },
      "node_modules/esbuild-other-platform": { version: "0.9.0" },
    },
  };
  expect(missingPackages(lockfile, installed)).toEqual(["node_modules/hono", "node_modules/esbuild-other-platform"]);
});

it.each([
  ["18.20.0", false],
  ["20.18.9", false],
  ["20.19.0", true],
  ["22.0.0", true],
])("The Node version %s is accepted: %s", (version, toolFunctions) => {
  expect(nodeTooOld(version) === undefined).toBe(toolFunctions);
});
