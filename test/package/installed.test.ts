// A project without a template that has the package from its tarball, outside of the repository: build, types, server, bundle. The
// wrangler is the one that npm installs, with its own runtime.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { quickTypescript } from "../../scripts/lib/tools.mjs";
import { linkPackages } from "./linked-packages.ts";
import { run, serve, wranglerDev, type ProgramResult, type RunningServer } from "./run.ts";

const packed = inject("packed");
const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));

describe("a project that installs the package", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-installed-"));
  let server: RunningServer | undefined;
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });

  beforeAll(async () => {
    cpSync(path.join(fixtures, "project"), folder, { recursive: true });
    // The packages of the template with a page: wrangler, TypeScript, React.
    cpSync(path.join(packed.projects.web, "package.json"), path.join(folder, "package.json"));
    linkPackages(packed.projects.web, folder);
    writeFileSync(path.join(folder, ".dev.vars"), "OPEN_LOOPBACK=true\n");
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
    await server?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("The command check reports no problem in new definitions, and reports a name that does not exist as a type error", async () => {
    expect(await inProject("threadhold", "check")).toMatchObject({ code: 0 });
    const file = path.join(folder, "agents/agents/assistant.ts");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.replace('prompt: "assistant"', 'prompt: "asistant"'));
    const { code, output } = await inProject("threadhold", "check");
    expect([code, output]).toEqual([1, expect.stringContaining("asistant")]);
    // The generated names of the last good build are those of the types: the package's own ones would accept any name.
    const typed = await inProject("tsc", "-p", ".");
    expect(typed.output).toMatch(/^agents\/agents\/assistant\.ts\(\d+,\d+\): error TS\d+: .*"asistant"/m);
    writeFileSync(file, good);
    expect(await inProject("threadhold", "build")).toMatchObject({ code: 0 });
    expect(await inProject("tsc", "-p", ".")).toMatchObject({ code: 0 });
  });

  it.each(["bundler", "nodenext"])(
    "The entries for programs outside of Workers have complete types under the module resolution %s",
    async (resolution) => {
      cpSync(path.join(fixtures, "entries"), folder, { recursive: true });
      const checked = await inProject("tsc", "-p", `tsconfig.${resolution}.json`, ...quickTypescript);
      expect(checked).toMatchObject({ code: 0 });
    },
  );

  it("A program in Node runs turns of threadhold/upp with a tool, and a request without a key is refused", async () => {
    cpSync(path.join(fixtures, "entries"), folder, { recursive: true });
    const { code, output } = await inProject("node", "turn.mjs");
    expect([code, JSON.parse(output)]).toEqual([0, { messages: 4, text: "3.", refused: "AUTHENTICATION_FAILED" }]);
  });

  it("A program in Node runs a command of threadhold/tools/bash, whose shell is part of the package, and a time limit ends one that waits", async () => {
    cpSync(path.join(fixtures, "entries"), folder, { recursive: true });
    const { code, output } = await inProject("node", "shell.mjs");
    const error = "Command timed out after 0.05s";
    const printed = { result: "Exit code: 0\ntwo\n", changes: [["/b.txt", "two\n"]], error };
    expect([code, JSON.parse(output)]).toEqual([0, printed]);
  });

  it("The example of an existing Worker with threads type-checks with the installed package, and is bundled for a deploy", async () => {
    const shop = path.join(folder, "shop");
    cpSync(fileURLToPath(new URL("../../examples/hono-worker", import.meta.url)), shop, { recursive: true });
    expect(await inProject("threadhold", "check", "--root", "shop")).toMatchObject({ code: 0 });
    expect(await inProject("threadhold", "build", "--root", "shop")).toMatchObject({ code: 0 });
    expect(await inProject("tsc", "-p", "shop")).toMatchObject({ code: 0 });
    const bundled = await run(["npx", "wrangler", "deploy", "--dry-run", "--outdir", "bundle"], { cwd: shop });
    expect([bundled.code, bundled.output]).toEqual([0, expect.stringContaining("env.FEEDS")]);
    const again = await inProject("threadhold", "init", "--root", "shop", "--yes");
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("Nothing is left to change")]);
  });

  it("The server of the installed wrangler streams an answer and serves the playground", async () => {
    server = await serve(wranglerDev, { cwd: folder });
    const { url } = server;
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

  it("Wrangler bundles the Worker of a project with the installed package for a deploy, without a Cloudflare account", async () => {
    const { code, output } = await inProject("wrangler", "deploy", "--dry-run", "--outdir", "bundle");
    expect([code, output]).toEqual([0, expect.stringContaining("env.THREADS")]);
  });
});
