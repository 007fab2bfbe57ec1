// A project written for Standard Agents, unmodified: it compiles, and type-checks with the generated files.

import { cpSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, vi } from "vitest";

import { typeCheck } from "../spec/typed-project.ts";
import { runCommand } from "./command.ts";
import { writeProject } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const fixture = fileURLToPath(new URL("fixtures/standard-agents", import.meta.url));

function filesOf(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => path.endsWith(".ts") && statSync(join(root, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

describe("a project of Standard Agents", () => {
  it("A project of Standard Agents compiles unmodified, with only the warning about its route that replaces a built-in one", async () => {
    const root = writeProject({});
    cpSync(fixture, root, { recursive: true });
    const { code, stdout } = await runCommand(["build", "--root", root, "--json"]);
    const result: unknown = JSON.parse(stdout);
    expect([code, result]).toEqual([
      0,
      expect.objectContaining({
        ok: true,
        files: 16,
        diagnostics: [
          expect.objectContaining({ code: "route_shadows_built_in", file: "agents/api/agents/index.get.ts" }),
        ],
      }),
    ]);
    const files = filesOf(root);
    expect(Object.keys(files).some((path) => path.startsWith(".threadhold/"))).toBe(true);
    // The main module imports the whole Worker, which is checked with this repository's own names.
    const kept = Object.entries(files).filter(
      ([path]) => !path.startsWith(".cache/") && path !== ".threadhold/worker.ts",
    );
    expect(await typeCheck(Object.fromEntries(kept))).toEqual([]);
  });
});
