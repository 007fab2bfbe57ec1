// A lockfile that lacks other platforms' builds is noticed and completed.

import { expect, it } from "vitest";

import { lockfileGaps, platformEntry } from "../../scripts/lib/lockfile-gaps.mjs";

const gap = (name: string) => ({ name, version: "1.2.3", location: `node_modules/${name}`, dev: true });

it("An optional dependency that has no entry of its own in the lockfile is found", () => {
  const packages = {
    "node_modules/tool": {
      version: "1.2.3",
      dev: true,
      optionalDependencies: { "tool-linux-x64": "1.2.3", "tool-darwin-x64": "1.2.3" },
    },
    "node_modules/tool-linux-x64": { version: "1.2.3" },
    "node_modules/outer/node_modules/nested": { version: "2.0.0", optionalDependencies: { a: "1.0.0", b: "1.0.0" } },
    "node_modules/outer/node_modules/nested/node_modules/a": { version: "1.0.0" },
    "node_modules/outer/node_modules/b": { version: "1.0.0" },
  };
  expect(lockfileGaps(packages)).toEqual([gap("tool-darwin-x64")]);
});

it.each([
  ["@tool/binding-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
  ["@tool/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"], libc: ["glibc"] }],
  ["@tool/binding-win32-ia32-msvc", { os: ["win32"], cpu: ["ia32"] }],
  ["@tool/workerd-darwin-64", { os: ["darwin"], cpu: ["x64"] }],
  ["@tool/workerd-windows-64", { os: ["win32"], cpu: ["x64"] }],
])("The generated lockfile entry of the optional dependency %s has its platform", (name, platform) => {
  expect(platformEntry(gap(name))).toEqual({ version: "1.2.3", dev: true, optional: true, ...platform });
});

it("An optional dependency whose name contains no platform gets no generated lockfile entry", () => {
  expect(platformEntry(gap("@tool/fsevents"))).toBeUndefined();
});
