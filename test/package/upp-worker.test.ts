// Models as functions in a Worker that installs the package from its tarball and has no compatibility flag: the answers in each provider's
// protocol, and the content and the size of the bundle. npm installs wrangler and its runtime.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { quickTypescript } from "../../scripts/lib/tools.mjs";
import { startModelServer, type ModelServer } from "../support/model-server/server.mjs";
import { linkPackages } from "./linked-packages.ts";
import { run, serve, wranglerDev, type ProgramResult, type RunningServer } from "./run.ts";

/** The maximum size in bytes of the Worker's scripts after gzip. They contain the loop, zod, and the packages of the four providers. */
const bundleLimit = 512 * 1024;

const packed = inject("packed");

describe("a Worker that calls models as functions", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-upp-worker-"));
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });
  let models: ModelServer | undefined;
  let worker: RunningServer | undefined;

  beforeAll(async () => {
    cpSync(fileURLToPath(new URL("fixtures/upp-worker", import.meta.url)), folder, { recursive: true });
    cpSync(path.join(packed.projects.web, "package.json"), path.join(folder, "package.json"));
    linkPackages(packed.projects.web, folder);
    models = await startModelServer();
    console.log(`MODEL_SERVER_SEED=${models.seed}`);
    const settings = [
      'name = "upp-worker"',
      'main = "worker.ts"',
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

  it("A Worker with threadhold/upp type-checks without the types of Node", async () => {
    const lib = ["--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "esnext"] as const;
    const options = ["--ignoreConfig", "--moduleResolution", "bundler", "--strict", "--noEmit", ...quickTypescript];
    expect(await inProject("tsc", ...lib, ...options, "worker.ts")).toMatchObject({ code: 0 });
  });

  it("The bundle of a Worker with threadhold/upp contains no Hono and no module of Node, and stays within its size limit", async () => {
    const { code, output } = await inProject("wrangler", "deploy", "--dry-run", "--outdir", "bundle");
    expect(code, output).toBe(0);
    const scripts = readdirSync(path.join(folder, "bundle")).filter((name) => name.endsWith(".js"));
    const bundle = scripts.map((name) => readFileSync(path.join(folder, "bundle", name), "utf8")).join("\n");
    expect(bundle).toContain("generativelanguage.googleapis.com");
    expect(bundle).not.toMatch(/node_modules\/(?:@hono|hono)\/|class Hono\b/);
    expect(bundle).not.toMatch(/\b(?:from|import|require)\s*\(?\s*["']node:/);
    const size = gzipSync(bundle, { level: 9 }).length;
    console.log(`A Worker with threadhold/upp and four providers: ${(size / 1024).toFixed(0)} KiB after gzip.`);
    expect(size).toBeLessThan(bundleLimit);
  });

  it("Turns with a tool, their streams and structured answers of each provider work in a Worker with threadhold/upp", async () => {
    worker = await serve(wranglerDev, { cwd: folder });
    for (const name of ["anthropic", "google", "openai", "openrouter"]) {
      const response = await fetch(`${worker.url}/${name}`);
      expect([name, response.status, await response.json()]).toEqual([
        name,
        200,
        {
          text: expect.stringContaining("how can I help?"),
          executions: [["get_weather", { city: "Zürich" }, { city: "Zürich", sky: "clear" }]],
          streamed: expect.stringContaining("how can I help?"),
          types: expect.arrayContaining(["message_start", "tool_call_delta", "tool_execution_end", "text_delta"]),
          isSame: true,
          data: { city: "Zürich", celsius: 21 },
          withoutKey: "AUTHENTICATION_FAILED",
        },
      ]);
    }
  });
});
