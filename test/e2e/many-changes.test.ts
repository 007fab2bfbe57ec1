// Many changed files at once under a development server: one build compiles at a time, and at the end the newest files are served.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setInterval as ticks } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import { startDevServer } from "./dev-server.ts";
import { startPlainServer } from "./support/plain-wrangler.ts";
import { copyProject, type ProjectCopy } from "./support/project-copy.ts";

const title = (number: number): string => `burst_${String(number)}`;

/** Writes an agent with the version of the file as its description. */
function writeAgent(project: ProjectCopy, number: number, version: string): void {
  project.write(
    `agents/agents/${title(number)}.ts`,
    `import { defineAgent } from "threadhold";
export default defineAgent({ name: "${title(number)}", description: "${version}", sideA: { prompt: "burst_rules" } });`,
  );
}

/** The descriptions of the served agents, by number. */
async function served(url: string): Promise<Record<string, string>> {
  const { agents } = (await (await fetch(`${url}/api/agents`)).json()) as {
    agents: { name: string; description: string }[];
  };
  return Object.fromEntries(
    agents.filter(({ name }) => name.startsWith("burst_")).map(({ name, description }) => [name, description]),
  );
}

const all = (count: number, version: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [title(number), version]));

/** A project with a definition that reports each process that loads the definitions. */
async function countedProject() {
  const project = copyProject();
  onTestFinished(project.remove);
  // The playground does not change.
  const config = readFileSync(path.join(project.root, "wrangler.toml"), "utf8");
  project.write("wrangler.toml", config.replace(" && node scripts/build-ui.mjs --auto", ""));
  const counts = { running: 0, most: 0, total: 0 };
  const server = createServer((_request, response) => {
    counts.total += 1;
    counts.most = Math.max(counts.most, (counts.running += 1));
    response.on("close", () => (counts.running -= 1));
    // A compiler that runs at the same time reports until the next turn of the event loop but one.
    setImmediate(() => setImmediate(() => response.end()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  project.write(
    "agents/tools/report_compiler.ts",
    `import { defineTool } from "threadhold";
if (!("WebSocketPair" in globalThis)) await fetch("${address}");
export default defineTool("Reports.", async () => ({ status: "success" as const }));`,
  );
  project.write(
    "agents/prompts/burst_rules.ts",
    `import { definePrompt } from "threadhold";
export default definePrompt({ name: "burst_rules", toolDescription: "Answers", model: "scripted", prompt: "Answer." });`,
  );
  project.write(
    "agents/models/scripted.ts",
    `import { defineModel } from "threadhold";
export default defineModel({ name: "scripted", provider: "test", model: "scripted", script: [{ text: "yes" }] });`,
  );
  return { project, counts };
}

/** Several hundred processes start, on two shared cores. */
const patient = { timeout: 500_000 };

describe("many changed files", { timeout: 560_000 }, () => {
  it("While 300 files are written in three seconds, plain wrangler dev compiles one build at a time, and then serves all files", async () => {
    const { project, counts } = await countedProject();
    const server = await startPlainServer(project);
    onTestFinished(server.stop);
    const before = counts.total;
    let written = 0;
    for await (const _tick of ticks(100)) {
      for (let at = 0; at < 10; at += 1) writeAgent(project, written++, "newest");
      if (written === 300) break;
    }
    await expect.poll(() => served(server.url), patient).toEqual(all(300, "newest"));
    expect(counts.most).toBe(1);
    expect(counts.total - before).toBeLessThan(30);
    expect(server.output()).not.toMatch(/ERROR|failed/);
  });

  it("After git checkouts between two branches, the dev command serves the last branch and shows its type errors", async () => {
    const { project, counts } = await countedProject();
    const git = (...args: string[]): void => {
      const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      execFileSync("git", [...author, ...args], { cwd: project.root, stdio: "pipe" });
    };
    const wrong = (type: string): void =>
      project.write(
        "agents/tools/wrong_type.ts",
        `import { defineTool } from "threadhold";
const count: number = ${type};
export default defineTool("Counts " + count, async () => ({ status: "success" as const }));`,
      );
    git("init", "--quiet", "--initial-branch", "first");
    for (let number = 0; number < 100; number += 1) writeAgent(project, number, "first");
    wrong("1");
    git("add", "agents");
    git("commit", "--quiet", "--message", "first");
    git("checkout", "--quiet", "-b", "second");
    for (let number = 0; number < 60; number += 1) writeAgent(project, number, "second");
    wrong('"of the second branch"');
    git("add", "agents");
    git("commit", "--quiet", "--message", "second");
    git("checkout", "--quiet", "first");
    const server = await startDevServer(project.state("branches"), [], { root: project.root, checkTypes: true });
    onTestFinished(async () => void (await server.stop()));
    expect(await served(server.url)).toEqual(all(100, "first"));
    for (const branch of ["second", "first", "second"]) git("checkout", "--quiet", branch);
    const both = { ...all(100, "first"), ...all(60, "second") };
    await expect.poll(() => served(server.url), { timeout: 300_000 }).toEqual(both);
    const shown = /agents\/tools\/wrong_type\.ts:2:7  warning[^]*\ncompiled \d+ definitions in/;
    // Less than the time limit of the test, so that a failure shows the output.
    await expect.poll(() => server.output(), { timeout: 200_000 }).toMatch(shown);
    expect(server.output()).not.toContain("the last good build keeps being served");
    expect(counts.most).toBe(1);
  });
});
