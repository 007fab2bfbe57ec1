// The examples of UAP with the packed package, outside of the repository: in Node, and in a Worker with the wrangler that npm installs.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { startLocalServer } from "../../examples/uap/local-server.ts";
import { nodeOutcomes, portableOutcomes } from "../support/uap-outcomes.ts";
import { linkPackages } from "./linked-packages.ts";
import { run, serve, wranglerDev, type ProgramResult, type RunningServer } from "./run.ts";

const packed = inject("packed");

describe("a project with the examples of UAP", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-uap-"));
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });
  let models: Awaited<ReturnType<typeof startLocalServer>> | undefined;
  let worker: RunningServer | undefined;

  beforeAll(async () => {
    cpSync(fileURLToPath(new URL("../../examples/uap", import.meta.url)), folder, { recursive: true });
    cpSync(path.join(packed.projects.web, "package.json"), path.join(folder, "package.json"));
    linkPackages(packed.projects.web, folder);
    models = await startLocalServer();
    const settings = [
      'name = "uap-examples"',
      'main = "in-worker.ts"',
      'compatibility_date = "2026-01-01"',
      "[vars]",
      `ADDRESS = "${models.url}"`,
    ];
    writeFileSync(path.join(folder, "wrangler.toml"), settings.join("\n"));
  });

  afterAll(async () => {
    await worker?.close();
    await models?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("Every example of UAP runs in Node with the packed package and observes what the document describes", async () => {
    const bundled = ["in-node.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=in-node.mjs"] as const;
    expect(await inProject("esbuild", ...bundled, "--log-level=error")).toEqual({ code: 0, output: "" });
    const program = 'import("./in-node.mjs").then(() => {}, (error) => { console.error(error); process.exit(1); });';
    writeFileSync(path.join(folder, "start.mjs"), `console.error = () => {};\n${program}\n`);
    const { code, output } = await inProject("node", "start.mjs");
    expect([code, JSON.parse(output)]).toEqual([0, { ...portableOutcomes, ...nodeOutcomes }]);
  });

  it("Every example of UAP that needs no files runs in a Worker with the packed package and observes the same", async () => {
    worker = await serve(wranglerDev, { cwd: folder });
    const response = await fetch(`${worker.url}/outcomes`);
    expect([response.status, await response.json()]).toEqual([200, portableOutcomes]);
  });

  it("The bundle of a Worker with agents contains no Hono and no module of Node", async () => {
    const { code } = await inProject("wrangler", "deploy", "--dry-run", "--outdir", "bundle");
    expect(code).toBe(0);
    const scripts = readdirSync(path.join(folder, "bundle")).filter((name) => name.endsWith(".js"));
    const bundle = scripts.map((name) => readFileSync(path.join(folder, "bundle", name), "utf8")).join("\n");
    expect(bundle).toContain("subagent_start");
    expect(bundle).not.toMatch(/node_modules\/(?:@hono|hono)\/|class Hono\b|from "node:/);
  });
});
