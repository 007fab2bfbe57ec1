// `threadhold doctor` over projects with one fault each. Wrangler reads their configurations.

import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { runCli } from "#cli/run-cli.ts";

import { good, packageRoot, writeProject, type Files } from "../compiler/temporary-project.ts";

// The command compiles the project.
vi.setConfig({ testTimeout: 60_000 });

const inRepository = join(packageRoot, ".cache/doctor");

const toml = `name = "app"
main = ".threadhold/worker.ts"
compatibility_date = "2026-04-01"
compatibility_flags = ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"]
[build]
command = "npx threadhold build --auto"
[[durable_objects.bindings]]
name = "THREADS"
class_name = "ThreadObject"
[[durable_objects.bindings]]
name = "FEEDS"
class_name = "ThreadFeed"
[[migrations]]
tag = "threadhold-v1"
new_sqlite_classes = ["ThreadObject", "ThreadFeed"]
[[d1_databases]]
binding = "CATALOG"
database_name = "threads"
database_id = "00000000-0000-0000-0000-000000000000"
migrations_dir = "node_modules/threadhold/migrations/catalog"
`;

const complete: Files = { ...good, "wrangler.toml": toml, ".dev.vars": "OPEN_LOOPBACK=true\n" };

async function doctor(files: Files, under?: string): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const code = await runCli(["doctor", "--root", writeProject(files, under)], {
    env: {},
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: (text) => lines.push(text),
    printError: (text) => lines.push(text),
    colours: false,
    self: ["false"],
  });
  return { code, output: lines.join("\n") };
}

describe("the command doctor", () => {
  it("The command doctor finds nothing to mend in a complete project, in TOML and in JSON with comments", async () => {
    const { code, output } = await doctor(complete, inRepository);
    expect([code, output]).toEqual([0, expect.not.stringMatching(/^(?:warning|error)/m)]);
    const json = `{ // a comment
      "name": "app", "main": ".threadhold/worker.ts", "compatibility_date": "2026-04-01",
      "compatibility_flags": ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"],
      "build": { "command": "npx threadhold build --auto" },
      "durable_objects": { "bindings": [
        { "name": "THREADS", "class_name": "ThreadObject" }, { "name": "FEEDS", "class_name": "ThreadFeed" } ] },
      "migrations": [{ "tag": "v1", "new_sqlite_classes": ["ThreadObject", "ThreadFeed"] }],
      "d1_databases": [{ "binding": "CATALOG", "database_name": "threads", "database_id": "x", "migrations_dir": "m" }] }`;
    const { "wrangler.toml": _, ...others } = complete;
    expect(await doctor({ ...others, "wrangler.jsonc": json }, inRepository)).toMatchObject({ code: 0 });
  });

  it.each([
    [
      "no class of threads",
      /\[\[durable_objects.bindings\]\]\nname = "THREADS"\nclass_name = "ThreadObject"\n/,
      "",
      "binding THREADS",
    ],
    ["another class of feeds", /class_name = "ThreadFeed"/, 'class_name = "Other"', 'class_name = "ThreadFeed"'],
    ["no migration of feeds", /, "ThreadFeed"\]/, "]", "migration of ThreadFeed"],
    ["no catalog", /\[\[d1_databases\]\][\s\S]*/, "", "npx wrangler d1 create"],
    ["no compatibility date", /compatibility_date.*\n/, "", 'add compatibility_date = "'],
    ["a date that the runtime does not accept", /"2026-04-01"/, '"2099-01-01"', "install a newer wrangler"],
    ["a date that is too old", /"2026-04-01"/, '"2023-01-01"', "is older than"],
    ["no flag for modules of Node", /"nodejs_compat", /, "", 'add "nodejs_compat"'],
    ["another build command", /npx threadhold build --auto/, "make", 'command = "make && npx threadhold build --auto"'],
    ["a file that cannot be parsed", /^name = "app"/, "name = ", "wrangler.toml"],
  ] as const)("The command doctor ends with 1 and names the fix for a configuration with %s", async (...given) => {
    const [, from, to, fix] = given;
    const { code, output } = await doctor({ ...complete, "wrangler.toml": toml.replace(from, to) }, inRepository);
    expect([code, output]).toEqual([1, expect.stringContaining(fix)]);
    expect(output).toMatch(/^error .*\n {8}fix: /m);
  });

  it("The command doctor names a missing wrangler, a missing configuration, missing definitions and errors in them", async () => {
    expect(await doctor(complete)).toMatchObject({
      code: 1,
      output: expect.stringContaining("npm install --save-dev wrangler@4") as string,
    });
    const { "wrangler.toml": _, ...others } = complete;
    expect((await doctor(others, inRepository)).output).toContain("There is no wrangler.toml or wrangler.jsonc.");
    expect((await doctor({ "wrangler.toml": toml }, inRepository)).output).toContain("fix: npx threadhold new agent");
    const broken = { ...complete, "agents/tools/search_docs.ts": "export default defineTool(" };
    expect((await doctor(broken, inRepository)).output).toContain("fix: npx threadhold check");
  });

  it("The command doctor warns of a model whose key is not set, and of a local server without access, and ends with 0", async () => {
    const model = `import { defineModel } from "threadhold";
export default defineModel({ name: "fast", provider: "openai", model: "gpt-5" });`;
    const { ".dev.vars": _, ...others } = complete;
    const warned = await doctor({ ...others, "agents/models/fast.ts": model }, inRepository);
    expect(warned.code).toBe(0);
    expect(warned.output).toContain("warning model fast: OPENAI_API_KEY is not set");
    expect(warned.output).toContain("fix: add OPEN_LOOPBACK=true");
    const keyed = {
      ...complete,
      "agents/models/fast.ts": model,
      ".dev.vars": "OPENAI_API_KEY=k\nOPEN_LOOPBACK=true\n",
    };
    expect((await doctor(keyed, inRepository)).output).not.toContain("warning");
  });
});
