// What holds for every project of `create-threadhold`, made from the tarballs outside of the repository: check, tests, server, bundle.

import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { root, run, serve, type ProgramResult } from "./run.ts";

/** A created project, and a conversation with one of its agents. */
export interface CreatedProject {
  folder: string;
  packageManager: "npm" | "pnpm";
  /** Variables of the programs that run in it. */
  env?: NodeJS.ProcessEnv;
  agent: string;
  message: string;
  /** What the events of the run contain. */
  events: string[];
}

/** Posts a message to an agent and returns the events of its run. */
async function converse(url: string, { agent, message }: CreatedProject): Promise<string> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "none" };
  const body = JSON.stringify({ agent_id: agent });
  const created = await fetch(`${url}/api/threads`, { method: "POST", headers, body });
  const { id } = (await created.json()) as { id: string };
  const events = await fetch(`${url}/api/threads/${id}/messages`, {
    method: "POST",
    headers: { ...headers, accept: "text/event-stream" },
    body: JSON.stringify({ content: message }),
  });
  return events.text();
}

/** Describes a project, which exists when its tests run. */
export function describeCreatedProject(template: string, project: CreatedProject): void {
  const { folder, packageManager, env = {}, events } = project;
  const script = (name: string, ...args: string[]): [string, ...string[]] => [
    packageManager,
    "run",
    name,
    // npm takes options after this separator, pnpm takes all.
    ...(packageManager === "npm" && args.length > 0 ? ["--", ...args] : args),
  ];
  const runScript = (...command: Parameters<typeof script>): Promise<ProgramResult> =>
    run(script(...command), { cwd: folder, env });

  describe(`a project of the template ${template}, with ${packageManager}`, () => {
    it("The command check finds no error in a created project", async () => {
      expect(await runScript("check")).toMatchObject({ code: 0 });
    });

    it("The TypeScript configuration of a created project includes the generated names of its definitions", async () => {
      const command = packageManager === "npm" ? (["npm", "exec", "--"] as const) : (["pnpm", "exec"] as const);
      const listed = await run([...command, "tsc", "--listFilesOnly"], { cwd: folder, env });
      expect(listed.output).toMatch(/\/\.threadhold\/names\.d\.ts$/m);
    });

    it("The tests of a created project pass", async () => {
      const { code, output } = await runScript("test");
      expect([code, output]).toEqual([0, expect.stringMatching(/Tests .*\d passed/)]);
    });

    it("The server of a created project answers a message without an API key", async () => {
      const server = await serve(script("dev", "--port"), { cwd: folder, env });
      try {
        const answer = await converse(server.url, project);
        for (const expected of events) expect(answer).toContain(expected);
        const page = await fetch(server.url, { headers: { accept: "text/html" } });
        expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/^<!doctype html>/i)]);
      } finally {
        await server.close();
      }
    });

    it("Wrangler bundles the Worker of a created project for a deploy, without a Cloudflare account", async () => {
      const { code, output } = await runScript("deploy", "--dry-run");
      expect([code, output]).toEqual([0, expect.stringMatching(/^worker: would deploy .* KiB/m)]);
    });

    it("A created project contains no path of this repository and no link to it", () => {
      const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
      const own = entries.filter((file) => !/^(?:node_modules|\.git|\.wrangler|\.cache)(?:\/|$)/.test(file));
      const texts = own.filter((file) => !file.endsWith(".tgz") && lstatSync(path.join(folder, file)).isFile());
      expect(texts).toContain(packageManager === "npm" ? "package.json" : "pnpm-lock.yaml");
      expect(texts.filter((file) => readFileSync(path.join(folder, file), "utf8").includes(root))).toEqual([]);
      const links = entries.filter((file) => lstatSync(path.join(folder, file)).isSymbolicLink());
      const targets = links.filter((file) => existsSync(path.join(folder, file)));
      expect(targets.length).toBeGreaterThan(10);
      expect(targets.filter((file) => realpathSync(path.join(folder, file)).startsWith(`${root}/`))).toEqual([]);
    });
  });
}
