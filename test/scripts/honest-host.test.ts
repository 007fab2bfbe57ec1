// The check that the dev command puts into wrangler's server. What it does is shown by E2E41, over a real one.

import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { serverFile, withHostCheck } from "../../scripts/lib/honest-host.mjs";

it("fits the server of the installed wrangler", () => {
  const source = readFileSync(serverFile(), "utf8");
  expect(source).not.toContain("Disallowed header in request: MF-Original-URL");
  expect(withHostCheck(source)).toContain("Disallowed header in request: MF-Original-URL");
});

it("refuses a server it does not know", () => {
  expect(() => withHostCheck("export default {}")).toThrow("must not be served open");
});
