// Wrangler without our own command: its dev and deploy read the same configuration and have to work alone.

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startDemoServer } from "../../examples/demo-server.mjs";
import { ensureWranglerVariables } from "../../scripts/lib/dev-vars.mjs";
import { timeoutMs, within } from "../support/http-client/deadline.ts";
import { statusUnderHost } from "./suites/loopback-only.ts";
import { explorerRoutes } from "./support/explorer-routes.ts";
import { addFirstAgent } from "./support/first-agent.ts";
import { fences, guidePages, missingLine, readPage, runBlocks, testedBlocks } from "./support/guide-page.ts";
import { runWrangler, startPlainServer } from "./support/plain-wrangler.ts";
import type { Wrangler } from "./support/plain-wrangler.ts";
import { copyProject } from "./support/project-copy.ts";
import { addSessionAgents } from "./support/session-agents.ts";
import { addWeatherAgents } from "./support/weather-agents.ts";

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");

describe("plain wrangler", () => {
  const project = copyProject();
  let demoServer: Awaited<ReturnType<typeof startDemoServer>> | undefined;
  let server: (Wrangler & { url: string }) | undefined;
  const url = (): string => server?.url ?? "";

  beforeAll(async () => {
    addWeatherAgents(project);
    addFirstAgent(project);
    addSessionAgents(project);
    demoServer = await startDemoServer(0);
    const variables = [
      "OPEN_LOOPBACK=true",
      `DEMO_SERVER_URL=${demoServer.url}`,
      `ALLOWED_OUTBOUND_HOSTS=${new URL(demoServer.url).host}`,
    ];
    project.write(".dev.vars", variables.map((line) => `${line}\n`).join(""));
    ensureWranglerVariables(path.join(project.root, ".env"));
    server = await startPlainServer(project);
  });
  afterAll(async () => {
    await server?.stop();
    await demoServer?.close();
    project.remove();
  });

  it("The curls of the README run as they are written against plain wrangler dev", async () => {
    const shown = fences(readme);
    const at = shown.findIndex(({ info, text }) => info === "sh" && text.includes("curl"));
    const [printed = ""] = await runBlocks([{ commands: shown[at]?.text ?? "", output: null }], url(), project.root);
    expect(missingLine(shown[at + 1]?.text ?? "nothing is shown", printed), printed).toBeNull();
  });

  it.each(guidePages().filter((name) => testedBlocks(readPage(name)).length > 0))(
    "The commands of %s run as they are written against plain wrangler dev",
    async (name) => {
      const blocks = testedBlocks(readPage(name));
      const printed = await runBlocks(blocks, url(), project.root);
      for (const [index, { output }] of blocks.entries()) {
        const real = printed[index] ?? "";
        expect(output === null ? null : missingLine(output, real), real).toBeNull();
      }
    },
  );

  it("Node's fetch reads, writes and streams under plain wrangler dev, and the page is served", async () => {
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    const made = await fetch(`${url()}/api/threads`, { ...json, body: JSON.stringify({ agent_id: "assistant" }) });
    const { id } = (await made.json()) as { id: string };
    expect(made.status).toBe(201);
    const said = `${url()}/api/threads/${id}/messages?wait=true`;
    expect((await fetch(said, { ...json, body: JSON.stringify({ content: "Hello" }) })).status).toBe(200);
    const read = await fetch(`${url()}/api/threads/${id}/messages`);
    expect([read.status, await read.text()]).toEqual([200, expect.stringContaining('"Hello"')]);
    const stream = await fetch(`${url()}/api/threads/${id}/events?after=0&until=idle`);
    expect([stream.status, await stream.text()]).toEqual([200, expect.stringContaining("event: run_end")]);
    expect((await fetch(`${url()}/api/agents`, { method: "HEAD" })).status).toBe(200);
    const page = await fetch(url(), { headers: { accept: "text/html" } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
  });

  it("A request under a foreign host name is refused or redirected, also if forged headers of wrangler hide the name", async () => {
    const path = `${url()}/api/agents/assistant`;
    expect(await statusUnderHost(path, "evil.example")).toBe(503);
    const forged = { "mf-original-url": path, "accept-encoding": "gzip, deflate" };
    expect(await statusUnderHost(path, "evil.example", forged)).toBe(307);
    expect(
      await statusUnderHost(path, "evil.example", { ...forged, "mf-cf-blob": '{"clientAcceptEncoding":""}' }),
    ).toBe(503);
    expect(await statusUnderHost(path, "evil.example", { ...forged, "mf-proxy-shared-secret": "guess" })).toBe(400);
    expect(await statusUnderHost(path, "evil.example", { ...forged, origin: "http://evil.example" })).toBe(403);
  });

  it("The data explorer of plain wrangler dev is switched off by the install, and its routes are answered with 404", async () => {
    for (const [method, path] of explorerRoutes) {
      const answer = await fetch(`${url()}${path}`, { method, ...(method === "POST" ? { body: "{}" } : {}) });
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        404,
        expect.stringContaining("route_not_found"),
      ]);
    }
  });

  it("Wrangler deploy --dry-run accepts the project", async () => {
    const run = runWrangler(project, "deploy", "--dry-run", "--outdir", project.state("bundle"));
    const code = await within(timeoutMs, () => `the dry run's end:\n${run.output()}`, run.ended);
    expect([code, run.output()]).toEqual([0, expect.stringContaining("--dry-run: exiting now.")]);
  });
});
