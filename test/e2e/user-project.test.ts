// `threadhold dev` in a project of a user: wrangler.jsonc, a Worker that mounts the API under a path, a folder with spaces in its path, no
// .dev.vars. One server, which the last test ends.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { isPortFree, nextFreePort } from "#cli/dev/free-port.ts";

import { fromRoot } from "../../scripts/lib/paths.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import { timeoutMs, within } from "../support/http-client/deadline.ts";
import { type DevServer, runDevCommand } from "./dev-server.ts";

const threadhold = fromRoot("scripts/threadhold.mjs");

const configuration = (port: number): string => `{
  // A configuration with a comment.
  "name": "shop",
  "main": "src/main.ts",
  "compatibility_date": "2026-04-01",
  "compatibility_flags": ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"],
  "dev": { "port": ${String(port)} },
  "durable_objects": {
    "bindings": [
      { "name": "THREADS", "class_name": "ThreadObject" },
      { "name": "FEEDS", "class_name": "ThreadFeed" },
    ],
  },
  "migrations": [{ "tag": "threadhold-v1", "new_sqlite_classes": ["ThreadObject", "ThreadFeed"] }],
  "d1_databases": [
    {
      "binding": "CATALOG",
      "database_name": "shop-threads",
      "database_id": "00000000-0000-0000-0000-000000000000",
      "migrations_dir": ${JSON.stringify(fromRoot("migrations/catalog"))},
    },
  ],
  // The package is used from its sources here.
  "alias": { "@standardagents/spec": ${JSON.stringify(fromRoot("src/spec/index.ts"))} },
  "rules": [{ "type": "Text", "globs": ["**/*.sql"], "fallthrough": true }],
  "build": { "command": ${JSON.stringify(`node "${threadhold}" build --auto`)}, "watch_dir": ["agents", ".cache/types/findings.json"] },
}
`;

const agent = (name: string): string => `import { defineAgent } from "threadhold";
export default defineAgent({ name: "${name}", sideA: { prompt: "helper", maxSteps: 3 } });
`;

const files: Record<string, string> = {
  "src/main.ts": `import { createThreadhold } from "threadhold/worker";
import { diagnostics } from "../.threadhold/diagnostics.ts";
import { registry } from "../.threadhold/registry.ts";
const threadhold = createThreadhold(registry, { diagnostics, prefix: "/agents" });
export const { ThreadObject, ThreadFeed } = threadhold;
export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname.startsWith("/agents/")) return threadhold.fetch(request, env, context);
    return new Response("My shop", { status: new URL(request.url).pathname === "/" ? 200 : 404 });
  },
};
`,
  "agents/models/scripted.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "scripted", provider: "test", model: "scripted", script: [{ text: "It is in stock." }] });
`,
  "agents/prompts/helper.ts": `import { definePrompt } from "threadhold";
export default definePrompt({ name: "helper", toolDescription: "Helps", model: "scripted", prompt: "Help." });
`,
  "agents/agents/helper.ts": agent("helper"),
  "tsconfig.json": JSON.stringify({ extends: fromRoot("tsconfig.json"), files: [], references: [] }),
};

const healthSchema = z.object({
  diagnostics: z.array(z.object({ severity: z.string(), code: z.string(), file: z.string() })).optional(),
});

/** The processes that descend from a process. */
function descendants(root: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const found = [root];
  for (const parent of found) {
    for (const [pid = 0, ppid] of parents) if (ppid === parent && !found.includes(pid)) found.push(pid);
  }
  return found.slice(1);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("threadhold dev", () => {
  mkdirSync(fromRoot(".cache/user projects"), { recursive: true });
  const folder = mkdtempSync(fromRoot(".cache/user projects/shop-"));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const dev = (...args: string[]): Omit<DevServer, "url"> =>
    runDevCommand(args, { root: folder, command: [threadhold, "dev"], checkTypes: true });
  const taken: Server = createServer();
  let server: Omit<DevServer, "url"> | undefined;
  let port = 0;
  let takenPort = 0;
  const url = (): string => `http://localhost:${String(port)}`;
  const api = (): ApiClient => new ApiClient(`${url()}/agents`);
  const printed = (): string => server?.output() ?? "";

  beforeAll(async () => {
    // Below the ports of outgoing connections, one of which could take the next port before the server does.
    takenPort = await nextFreePort(9_300 + (process.pid % 600));
    await new Promise<void>((resolve) => taken.listen(takenPort, "127.0.0.1", resolve));
    for (const [file, text] of Object.entries(files)) write(file, text);
    write("wrangler.jsonc", configuration(takenPort));
    const starting = dev();
    server = starting;
    const ready = new Promise<void>((resolve, reject) => {
      starting.process.stdout?.on("data", () => {
        const found = /ready on http:\/\/localhost:(\d+)\n/.exec(printed())?.[1];
        if (found === undefined) return;
        port = Number(found);
        resolve();
      });
      void starting.ended.then((code) => reject(new Error(`It ended with ${String(code)}:\n${printed()}`)));
    });
    await within(timeoutMs, () => `the ready line:\n${printed()}`, ready);
  });

  afterAll(async () => {
    await server?.stop();
    await new Promise((resolve) => taken.close(resolve));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("The command dev takes the next free port if that of the configuration is taken, and prints the addresses and the state", () => {
    expect(port).toBeGreaterThan(takenPort);
    expect(printed()).toContain(`Port ${String(takenPort)} is taken, so the server listens on port ${String(port)}.`);
    expect(printed()).toContain(`  Worker      ${url()}\n`);
    const below = "under the path where the Worker mounts the API: <path>";
    expect(printed()).toContain(`  playground  ${below}/studio\n  API         ${below}/api\n`);
    expect(printed()).toContain("  state       .wrangler/state\n");
  });

  it("The command dev serves a Worker that mounts the API under a path, with its catalog migrated, without .dev.vars", async () => {
    expect(await (await fetch(url())).text()).toBe("My shop");
    expect(printed()).toContain("requests of this machine need no credentials (OPEN_LOOPBACK=true)");
    const { id } = await api().createThread("helper");
    const { run } = await api().say(id, "Is it in stock?");
    expect(run).toMatchObject({ status: "completed", text: "It is in stock." });
    await expect.poll(printed).toMatch(new RegExp(`^helper completed · .* · thread ${id}$`, "m"));
    expect(existsSync(path.join(folder, ".wrangler/state/threadhold-migrations"))).toBe(true);
  });

  it("The command dev serves a definition that is added while it runs", async () => {
    write("agents/agents/second.ts", agent("second"));
    const names = async (): Promise<string> => JSON.stringify((await api().call("GET", "/api/agents")).body);
    await expect.poll(names).toContain('"second"');
  });

  it("Code with a type error is served, and the console and /healthz show the error until it is fixed", async () => {
    const findings = async (): Promise<unknown> => {
      try {
        return healthSchema.parse((await api().call("GET", "/healthz")).body).diagnostics ?? [];
      } catch {
        // The server reloads and does not answer.
        return null;
      }
    };
    const file = "agents/api/greeting.get.ts";
    const controller = 'export default () => ({ hello: "typed" });\n';
    write(file, `${controller}export const wrong: number = "text";\n`);
    await expect.poll(findings).toEqual([{ severity: "warning", code: "type", file }]);
    await expect.poll(printed).toMatch(/greeting\.get\.ts:2:14\s+warning\s+Type 'string' is not assignable/);
    const greeting = () =>
      api()
        .call("GET", "/api/greeting")
        .then(({ text }) => text, String);
    await expect.poll(greeting).toContain('"hello":"typed"');
    write(file, controller);
    await expect.poll(findings).toEqual([]);
  });

  it("The command dev refuses a state folder that a server uses, and a port that is given and taken", async () => {
    const second = dev();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Another server (pid ${String(server?.process.pid)}) uses `);
    const other = dev("--state", "other state", "--port", String(port));
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain(`Port ${String(port)} is taken.`);
  });

  it("The command dev leaves no process and frees its port after SIGINT", async () => {
    const started = descendants(server?.process.pid ?? 0);
    expect(started.length).toBeGreaterThan(1);
    expect(await server?.stop("SIGINT")).toBe(0);
    server = undefined;
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
    expect(await isPortFree(port)).toBe(true);
    expect(existsSync(path.join(folder, ".wrangler/state/threadhold.lock"))).toBe(false);
  });
});
