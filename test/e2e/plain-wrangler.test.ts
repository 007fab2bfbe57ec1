// Without our own command: wrangler's dev and deploy read the same configuration and have to work alone.

import path from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { nextFreePort } from "../../scripts/lib/free-port.mjs";
import type * as ProcessGroup from "../../scripts/lib/process-group.mjs";
import { tools, wranglerEnvironment } from "../../scripts/lib/tools.mjs";
import { waitUntilHealthy } from "../../scripts/lib/wait-until-healthy.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import { within } from "../support/http-client/deadline.ts";
import { statusUnderHost } from "./suites/loopback-only.ts";
import { copyProject } from "./support/project-copy.ts";

describe("plain wrangler", () => {
  const project = copyProject();

  /** Runs wrangler in the copy, in a group of its own that ends with us. */
  async function wrangler(...args: string[]) {
    const group = (await import(path.join(project.root, "scripts/lib/process-group.mjs"))) as typeof ProcessGroup;
    const run = group.startGroup(
      process.execPath,
      [path.join(project.root, tools.wrangler), ...args],
      wranglerEnvironment,
    );
    let output = "";
    for (const stream of [run.stdout, run.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    }
    return { ...run, output: () => output };
  }

  afterAll(() => project.remove());

  it("E2E32 wrangler dev serves the project without a build step of ours before it", async () => {
    const port = await nextFreePort(20_000 + (process.pid % 20_000));
    const run = await wrangler("dev", "--port", String(port), "--persist-to", project.state("plain"));
    const stopped = new AbortController();
    try {
      const api = new ApiClient(`http://localhost:${String(port)}`);
      const ready = waitUntilHealthy(`${api.url}/healthz`, stopped.signal);
      await within(45_000, () => `wrangler dev to be healthy:\n${run.output()}`, ready);
      const path = "/api/agents/assistant";
      const own = await api.call("GET", path, { headers: { "sec-fetch-site": "none" } });
      expect(own.body).toMatchObject({ name: "assistant" });
      const page = await fetch(api.url, { headers: { accept: "text/html" } });
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
      // What a rebound page can send: a name and a URL made up, and no word of the browser's.
      const forged = { "mf-original-url": `${api.url}${path}` };
      expect(await statusUnderHost(`${api.url}${path}`, "evil.example", forged)).toBe(403);
      expect(await statusUnderHost(`${api.url}${path}`, "evil.example")).toBe(503);
    } finally {
      stopped.abort();
      run.signal("SIGTERM");
      await within(15_000, () => `wrangler's end:\n${run.output()}`, run.ended);
    }
  });

  it("E2E33 wrangler deploy --dry-run accepts the project", async () => {
    const run = await wrangler("deploy", "--dry-run", "--outdir", project.state("bundle"));
    const code = await within(50_000, () => `the dry run's end:\n${run.output()}`, run.ended);
    expect([code, run.output()]).toEqual([0, expect.stringContaining("--dry-run: exiting now.")]);
  });
});
