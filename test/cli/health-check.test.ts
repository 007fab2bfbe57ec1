// The request for the health of a new deployment.

import { describe, expect, it } from "vitest";

import { checkHealth } from "#cli/deploy/health-check.ts";

/** Checks a Worker that gives these responses, one after the other; null is a failure of the connection. */
async function healthAfter(responses: readonly (Response | null)[]) {
  const addresses: string[] = [];
  const health = await checkHealth(
    "https://shop.example",
    (address) => {
      addresses.push(typeof address === "string" ? address : "no text");
      const response = responses[addresses.length - 1];
      return response ? Promise.resolve(response) : Promise.reject(new TypeError("fetch failed"));
    },
    () => Promise.resolve(),
  );
  return { ...health, requests: addresses };
}

describe("the health of a deployment", () => {
  it("The health check of a deploy requests a new address until the Worker answers, and reports the Worker's version", async () => {
    const page = new Response("There is nothing here yet", { status: 404 });
    const good = Response.json({ status: "ok", version: "1.2.3" });
    expect(await healthAfter([null, page, good])).toEqual({
      status: "ok",
      detail: "https://shop.example/healthz answers 200, version 1.2.3",
      requests: Array(3).fill("https://shop.example/healthz"),
    });
  });

  it("The health check of a deploy reports an error of the Worker at once with its message", async () => {
    const refusal = { error: { code: "auth_not_configured", message: "Set API_TOKENS." } };
    const health = await healthAfter([Response.json(refusal, { status: 503 })]);
    expect(health).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("503: Set API_TOKENS.") as string,
    });
    expect(health.requests).toHaveLength(1);
  });

  it("If five health checks of a deploy get a server error that is not a response of the API, the deploy fails with a message that names the next step", async () => {
    const broken = Array.from({ length: 5 }, () => new Response("<h1>Worker threw exception</h1>", { status: 500 }));
    const health = await healthAfter(broken);
    expect([health.status, health.requests.length]).toEqual(["failed", 5]);
    expect(health.detail).toMatch(/answers 500, .* npx wrangler tail\. npx wrangler rollback/);
    const starting = new Response("error code: 522", { status: 522 });
    expect(await healthAfter([starting, Response.json({ version: "1.2.3" })])).toMatchObject({ status: "ok" });
  });

  it("A deploy does not fail if the Worker cannot be reached, or a page of another program answers, in five health checks", async () => {
    for (const responses of [[], Array.from({ length: 5 }, () => new Response("My shop"))]) {
      const health = await healthAfter(responses);
      expect([health.status, health.requests.length]).toEqual(["unknown", 5]);
      expect(health.detail).toContain("may need a minute");
    }
  });
});
