// A project that installs the package from its tarball, in an empty folder outside of the repository: build, types, server, bundle. The
// wrangler is the one that npm installs, with its own runtime.

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { nextFreePort } from "../../scripts/lib/free-port.mjs";
import { waitUntilHealthy } from "../../scripts/lib/wait-until-healthy.mjs";
import { run, type ProgramResult } from "./run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));

describe("a project that installs the package", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-installed-"));
  let server: ChildProcess | undefined;
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });

  beforeAll(async () => {
    const packed = await run([process.execPath, path.join(root, "scripts/pack.mjs")], { cwd: root });
    expect(packed).toMatchObject({ code: 0 });
    const tarball = /artifacts\/packages\/threadhold-\S+\.tgz/.exec(packed.output)?.[0] ?? "";
    cpSync(path.join(fixtures, "project"), folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest(path.join(root, tarball))));
    writeFileSync(path.join(folder, ".dev.vars"), "OPEN_LOOPBACK=true\n");
    // Build scripts of dependencies do not run, as in projects that block them.
    const installed = await inProject(
      "npm",
      "install",
      "--ignore-scripts",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
    );
    expect(installed).toMatchObject({ code: 0 });
    for (const [kind, name] of [
      ["model", "default"],
      ["prompt", "assistant"],
      ["agent", "assistant"],
      ["tool", "note"],
    ] as const) {
      expect(await inProject("npx", "threadhold", "new", kind, name)).toMatchObject({ code: 0 });
    }
  });

  afterAll(async () => {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = new Promise((resolve) => server?.once("close", resolve));
      process.kill(-server.pid, "SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("The command check finds nothing in new definitions, and names the type error of a name that does not exist", async () => {
    expect(await inProject("npx", "threadhold", "check")).toMatchObject({ code: 0 });
    const file = path.join(folder, "agents/agents/assistant.ts");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.replace('prompt: "assistant"', 'prompt: "asistant"'));
    const { code, output } = await inProject("npx", "threadhold", "check");
    expect([code, output]).toEqual([1, expect.stringContaining("asistant")]);
    writeFileSync(file, good);
    expect(await inProject("npx", "threadhold", "build")).toMatchObject({ code: 0 });
    expect(await inProject("npx", "tsc", "-p", ".")).toMatchObject({ code: 0 });
  });

  it.each(["bundler", "nodenext"])(
    "The entries for programs outside of Workers have complete types under the module resolution %s",
    async (resolution) => {
      cpSync(path.join(fixtures, "entries"), folder, { recursive: true });
      const checked = await inProject("npx", "tsc", "-p", `tsconfig.${resolution}.json`);
      expect(checked).toMatchObject({ code: 0 });
    },
  );

  it("The server of the installed wrangler streams an answer and serves the playground", async () => {
    const port = await nextFreePort(28_787);
    const url = `http://localhost:${String(port)}`;
    server = spawn("npx", ["wrangler", "dev", "--port", String(port), "--show-interactive-dev-session=false"], {
      cwd: folder,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false" },
    });
    expect(await waitUntilHealthy(`${url}/healthz`, AbortSignal.timeout(120_000))).toBe(true);
    const headers = { "content-type": "application/json", "sec-fetch-site": "none" };
    const created = await fetch(`${url}/api/threads`, {
      method: "POST",
      headers,
      body: JSON.stringify({ agent_id: "assistant" }),
    });
    const { id } = (await created.json()) as { id: string };
    const answer = await fetch(`${url}/api/threads/${id}/messages`, {
      method: "POST",
      headers: { ...headers, accept: "text/event-stream" },
      body: JSON.stringify({ content: "Hello" }),
    });
    expect(await answer.text()).toContain('"delta":"You said: Hello"');
    const page = await fetch(url, { headers: { accept: "text/html" } });
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
    expect([page.status, (await fetch(new URL(script, url))).status]).toEqual([200, 200]);
  });

  it("The Worker is bundled for a deploy without an account", async () => {
    const { code, output } = await inProject("npx", "wrangler", "deploy", "--dry-run", "--outdir", "bundle");
    expect([code, output]).toEqual([0, expect.stringContaining("env.THREADS")]);
  });
});

/** The manifest of the project. Versions of tools are those that this repository is tested with. */
function manifest(tarball: string): object {
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const tools = ["@cloudflare/workers-types", "@types/react", "react", "typescript", "wrangler"];
  return {
    name: "my-app",
    private: true,
    type: "module",
    dependencies: { threadhold: `file:${tarball}`, zod: own.dependencies["zod"] },
    devDependencies: Object.fromEntries(tools.map((name) => [name, own.devDependencies[name]])),
  };
}
