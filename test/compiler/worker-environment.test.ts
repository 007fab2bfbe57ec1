// The types of `state.env`: read from the wrangler file and the files of secrets, written to names.d.ts, and checked by TypeScript.

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { environmentSource, registrySource } from "#compiler/generated-source.ts";
import { checkTypes } from "#compiler/type-check.ts";
import { readWorkerEnvironment, secretFiles } from "#compiler/worker-environment.ts";

import { runCommand } from "./command.ts";
import { compileWith, good, packageRoot, writeFiles, writeProject, type Files } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const wrangler = `{
  "name": "shop",
  "vars": { "SHOP_NAME": "The shop", "MOST": 3, "OPEN": true, "HOURS": { "from": 9, "days": ["mon", 2] }, "odd-name": "x" },
  "d1_databases": [{ "binding": "ORDERS", "database_name": "orders" }],
  "kv_namespaces": [{ "binding": "NOTICES" }],
  "r2_buckets": [{ "binding": "PICTURES", "bucket_name": "pictures" }],
  "queues": { "producers": [{ "binding": "JOBS", "queue": "jobs" }], "consumers": [{ "queue": "jobs" }] },
  "durable_objects": { "bindings": [{ "name": "COUNTER", "class_name": "Counter" }] },
  "services": [{ "binding": "BILLING", "service": "billing" }],
  "ai": { "binding": "AI" },
  "ratelimits": [{ "name": "LIMITER", "namespace_id": "1", "simple": { "limit": 1, "period": 60 } }],
  "version_metadata": { "binding": "VERSION" },
  "secrets": { "required": ["SHOP_TOKEN"] },
  "env": { "staging": { "vars": { "SHOP_NAME": "Staging", "MOST": "3", "DEBUG": "yes" } } },
}`;

const files: Files = {
  "wrangler.jsonc": wrangler,
  ".dev.vars": 'SHOP_KEY="a secret\nof two lines"\nSHOP_NAME=Local\n',
  ".dev.vars.example": "SHOP_KEY=\n# OTHER_KEY=\nexport PAY_KEY=\n",
};

const tsconfig = JSON.stringify({
  compilerOptions: {
    module: "esnext",
    target: "es2024",
    moduleResolution: "bundler",
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["@cloudflare/workers-types"],
    paths: {
      threadhold: [join(packageRoot, "src/spec/index.ts")],
      "#lib/*": [join(packageRoot, "src/lib/*")],
      "#spec/*": [join(packageRoot, "src/spec/*")],
    },
  },
});

const tool = (body: string): string => `import { defineTool } from "threadhold";

export default defineTool("Reads", async (state) => {
  ${body}
  return { status: "success", result: "" };
});
`;

describe("the environment of a Worker", () => {
  it("ENV3 The types of env are those of the bindings, of the variables' values, and of the names in the files of secrets", async () => {
    const { project, diagnostics } = await compileWith(files);
    expect(diagnostics).toEqual([]);
    expect(
      / {4}env: \{\n([^]*?)\n {4}\};/
        .exec(environmentSource(project.environment))?.[1]
        ?.split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "readonly AI: Ai;",
      "readonly BILLING: Fetcher;",
      "readonly COUNTER: DurableObjectNamespace;",
      "readonly DEBUG?: string;",
      'readonly HOURS: { readonly "from": number; readonly "days": readonly (string | number)[] };',
      "readonly JOBS: Queue;",
      "readonly LIMITER: RateLimit;",
      "readonly MOST: number | string;",
      "readonly NOTICES: KVNamespace;",
      "readonly OPEN: boolean;",
      "readonly ORDERS: D1Database;",
      "readonly PAY_KEY: string;",
      "readonly PICTURES: R2Bucket;",
      "readonly SHOP_KEY: string;",
      "readonly SHOP_NAME: string;",
      "readonly SHOP_TOKEN: string;",
      "readonly VERSION: WorkerVersionMetadata;",
      'readonly "odd-name": string;',
    ]);
    // The variables in which models have keys and tokens are secrets too, also if no file has them.
    const value = {
      name: "m",
      provider: "anthropic",
      model: "m",
      keyVariable: "TEAM_LLM",
      gateway: { id: "g", tokenVariable: "GW" },
    };
    const named = {
      ...project,
      models: [{ name: "m", file: "agents/models/m.ts", value }],
    } as unknown as typeof project;
    expect(registrySource(named, "", "..")).toContain('secrets: ["GW","PAY_KEY","SHOP_KEY","SHOP_TOKEN","TEAM_LLM"]');
    // No value of a secret is in a generated file.
    expect(registrySource(project, "", "..")).toContain('secrets: ["PAY_KEY","SHOP_KEY","SHOP_TOKEN"]');
    expect(environmentSource(project.environment) + registrySource(project, "", "..")).not.toContain("a secret");
  });

  it("ENV3 A name that only .dev.vars of a named environment has is typed as optional, and is a secret", async () => {
    const root = writeProject({ ...good, ...files, ".dev.vars.staging": "SHOP_KEY=other\nSTAGING_KEY=a secret\n" });
    const { names, secrets } = readWorkerEnvironment(root);
    expect(names.filter(({ name }) => ["SHOP_KEY", "STAGING_KEY"].includes(name))).toEqual([
      { name: "SHOP_KEY", type: "string", optional: false },
      { name: "STAGING_KEY", type: "string", optional: true },
    ]);
    expect(secrets).toContain("STAGING_KEY");
    expect(secretFiles(root)).toContain(".dev.vars.staging");
    // A file of an environment that the wrangler file does not have is not read.
    writeFiles(root, { ".dev.vars.other": "OTHER=x\n" });
    expect(readWorkerEnvironment(root).secrets).not.toContain("OTHER");
  });

  it("A project without a wrangler file, and one whose wrangler file cannot be parsed, have an environment without names", () => {
    const none = { names: [], secrets: [] };
    expect(readWorkerEnvironment(writeProject({}))).toEqual(none);
    expect(readWorkerEnvironment(writeProject({ "wrangler.jsonc": "{ broken" }))).toEqual(none);
    expect(
      readWorkerEnvironment(writeProject({ "wrangler.jsonc": '{ "vars": [1], "ai": 2, "env": { "a": 1 } }' })),
    ).toEqual(none);
  });

  it("ENV3 A tool reads bindings and secrets without a cast, a misspelt name is one type error at its place, and the error disappears when .dev.vars has the name", async () => {
    const used = tool(`const row = await state.env.ORDERS.prepare("SELECT 1").first<number>("1");
  const notice: string | null = await state.env.NOTICES.get("today");
  const key: string = state.env.SHOP_KEY + state.env.SHOP_NAME + String(row) + String(notice);
  void key;`);
    const root = writeProject({
      ...good,
      ...files,
      "tsconfig.json": tsconfig,
      "agents/tools/reads.ts": used,
      "agents/tools/misspelt.ts": tool("void state.env.SHOP_KEYS;"),
    });
    symlinkSync(join(packageRoot, "node_modules"), join(root, "node_modules"));
    expect(await runCommand(["build", "--root", root])).toMatchObject({ code: 0 });
    expect(await checkTypes(root, packageRoot)).toMatchObject([
      {
        file: "agents/tools/misspelt.ts",
        line: 4,
        message: expect.stringMatching(/'SHOP_KEYS'.*Did you mean 'SHOP_KEY'/),
      },
    ]);
    writeFiles(root, { ".dev.vars": "SHOP_KEY=x\nSHOP_KEYS=y\n" });
    expect(await runCommand(["build", "--root", root])).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, ".threadhold/env.d.ts"), "utf8")).toContain("readonly SHOP_KEYS: string;");
    expect(await checkTypes(root, packageRoot)).toEqual([]);
  });
});
