// The install scripts of a created project's packages.

import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

interface Manifest {
  allowScripts: Record<string, boolean>;
}

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

it("A created project denies the install scripts of its packages, which run without them, so npm prints no warnings about them", () => {
  const { allowScripts } = JSON.parse(read("packages/create-threadhold/templates/base/package.json")) as Manifest;
  expect(allowScripts).toEqual({ esbuild: false, sharp: false, workerd: false });
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>;
  };
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.split("node_modules/").at(-1) ?? ""] : [],
  );
  expect(scripted).toEqual(expect.arrayContaining(Object.keys(allowScripts)));
});
