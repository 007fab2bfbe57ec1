// How large the client is in an application's bundle.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

it("The client is under 15 KiB of gzip, and neither it nor the hooks bundle a package", () => {
  const script = fileURLToPath(new URL("../../scripts/client-size.mjs", import.meta.url));
  // The script exits with another code if the client is over its limit or bundles a package.
  const printed = execFileSync(process.execPath, [script], { encoding: "utf8" });
  expect(printed).toMatch(/^threadhold\/client: .* KiB gzip of 15\.0 KiB$/m);
  expect(printed).toMatch(/^threadhold\/react: .* KiB gzip of 3\.0 KiB$/m);
});
