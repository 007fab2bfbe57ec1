// The catalog of the test Worker, which the project's own routes read.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it("The catalog has its tables before a test starts a thread", async () => {
  expect(await env.CATALOG.prepare("SELECT count(*) AS count FROM thread").first()).toEqual({ count: 0 });
});
