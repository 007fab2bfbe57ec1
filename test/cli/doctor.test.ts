// `threadhold doctor` over projects with one fault each. Wrangler reads their configurations.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { applyCatalogMigrations } from "#cli/dev/catalog-migrations.ts";
import { nextFreePort } from "#cli/dev/free-port.ts";
import { lockState } from "#cli/dev/state-lock.ts";
import { localState, readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { writeProject, type Files } from "../compiler/temporary-project.ts";
import { doctor, examine } from "./support/run-doctor.ts";
import { complete, inRepository, toml } from "./wrangler-project.ts";

/** The complete project with a free port for its server. The default port may be that of a server that is running on this machine. */
async function completeOnFreePort(): Promise<Files> {
  const port = await nextFreePort(10_000 + ((process.pid * 20) % 20_000), 20);
  return { ...complete, "wrangler.toml": `${toml}[dev]\nport = ${port}\n` };
}

describe("the command doctor", () => {
  it("The command doctor reports no problem of a complete project, in TOML and in JSON with comments", async () => {
    const { code, output } = await doctor(await completeOnFreePort(), inRepository);
    expect([code, output]).toEqual([0, expect.not.stringMatching(/^(?:warning|error)/m)]);
    const json = `{ // a comment
      "name": "app", "main": ".threadhold/worker.ts", "compatibility_date": "2026-04-01",
      "compatibility_flags": ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"],
      "build": { "command": "npx threadhold build --auto", "watch_dir": ["agents", ".cache/types/findings.json"] },
      "durable_objects": { "bindings": [
        { "name": "THREADS", "class_name": "ThreadObject" }, { "name": "FEEDS", "class_name": "ThreadFeed" } ] },
      "migrations": [{ "tag": "v1", "new_sqlite_classes": ["ThreadObject", "ThreadFeed"] }],
      "d1_databases": [{ "binding": "CATALOG", "database_name": "threads", "database_id": "x",
        "migrations_dir": "../../../migrations/catalog" }] }`;
    const { "wrangler.toml": _, ...others } = complete;
    expect(await doctor({ ...others, "wrangler.jsonc": json }, inRepository)).toMatchObject({ code: 0 });
  });

  it.each([
    [
      "no class of threads",
      /\[\[durable_objects.bindings\]\]\nname = "THREADS"\nclass_name = "ThreadObject"\n/,
      "",
      'npx threadhold init, or add\n             [[durable_objects.bindings]]\n             name = "THREADS"',
    ],
    ["another class of feeds", /class_name = "ThreadFeed"/, 'class_name = "Other"', 'class_name = "ThreadFeed"'],
    ["no migration of feeds", /, "ThreadFeed"\]/, "]", "migration of ThreadFeed"],
    [
      "a class without SQLite",
      /new_sqlite_classes = .*/,
      'new_classes = ["ThreadObject"]\nnew_sqlite_classes = ["ThreadFeed"]',
      "write new_sqlite_classes",
    ],
    [
      "a class that is deleted",
      /(new_sqlite_classes = .*)/,
      '$1\n[[migrations]]\ntag = "v2"\ndeleted_classes = ["ThreadFeed"]',
      'remove the migration "v2"',
    ],
    [
      "a tag that occurs twice",
      /(new_sqlite_classes = .*)/,
      '$1\n[[migrations]]\ntag = "threadhold-v1"\nnew_sqlite_classes = ["Other"]',
      "a tag of its own",
    ],
    [
      "a folder without migrations",
      /migrations_dir.*/,
      'migrations_dir = "agents"',
      "node_modules/threadhold/migrations/catalog",
    ],
    ["no catalog", /\[\[d1_databases\]\][\s\S]*/, "", "npx wrangler d1 create"],
    ["no compatibility date", /compatibility_date.*\n/, "", 'add compatibility_date = "'],
    ["a date that the runtime does not accept", /"2026-04-01"/, '"2099-01-01"', "install a newer wrangler"],
    [
      "a date for which npm needs an override",
      /"2026-04-01"/,
      '"2098-03-01"',
      'npm, in package.json:\n               "overrides": { "workerd": "^1.20980301.0" }',
    ],
    [
      "a date for which pnpm needs an override",
      /"2026-04-01"/,
      '"2098-03-01"',
      "pnpm, in pnpm-workspace.yaml:\n               overrides:\n                 workerd: ^1.20980301.0",
    ],
    ["a date that is too old", /"2026-04-01"/, '"2023-01-01"', "is older than"],
    ["no flag for modules of Node", /"nodejs_compat", /, "", 'add "nodejs_compat"'],
    ["another build command", /npx threadhold build --auto/, "make", 'command = "make && npx threadhold build --auto"'],
    [
      "a build command with quotes and a line break",
      /"npx threadhold build --auto"/,
      `'''\nmake "all"\n'''`,
      'command = "make \\"all\\" && npx threadhold build --auto"',
    ],
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
      output: expect.stringContaining("npm install --save-dev wrangler@4, or pnpm add --save-dev wrangler@4") as string,
    });
    const unloadable = {
      "node_modules/wrangler/package.json":
        '{ "name": "wrangler", "version": "4.86.0", "bin": { "wrangler": "bin.js" } }',
      "node_modules/workerd/index.js":
        'throw new Error("The package @cloudflare/workerd-linux-64 is missing.\\nMore");',
    };
    const { output } = await doctor({ ...complete, ...unloadable });
    expect(output).toContain("runtime cannot be loaded: The package @cloudflare/workerd-linux-64 is missing.\n");
    expect(output).not.toContain("wrangler: It is not installed");
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
      ...(await completeOnFreePort()),
      "agents/models/fast.ts": model,
      ".dev.vars": "OPENAI_API_KEY=k\nOPEN_LOOPBACK=true\n",
    };
    expect((await doctor(keyed, inRepository)).output).not.toContain("warning");
  });

  it("PROVIDER2 The command doctor warns of each variable of a model's own provider that is not set", async () => {
    const own = {
      "agents/models/fast.ts": `export default { name: "fast", provider: "mine", model: "m" };`,
      "agents/providers/mine.ts": `export default { name: "mine", variables: ["MY_LOGIN", "MY_ADDRESS"], stream: async function* () {} };`,
    };
    const warned = await doctor({ ...complete, ...own, ".dev.vars": "MY_LOGIN=a\nOPEN_LOOPBACK=true\n" }, inRepository);
    expect(warned.output).toContain("warning model fast: MY_ADDRESS is not set on this machine.");
    expect(warned.output).not.toContain("MY_LOGIN is not set");
  });

  it.each([
    ["a set of keys in .dev.vars", { ".dev.vars": 'JWKS_URL="https://login.example/keys"\nOPENAI_API_KEY=k\n' }],
    ["variables in .env", { ".env": "OPEN_LOOPBACK=true\n", ".env.local": "OPENAI_API_KEY=k\n" }],
    [
      "variables of the configuration",
      { "wrangler.toml": `${toml}[vars]\nAPI_TOKENS = "t"\n`, ".env": "OPENAI_API_KEY=k\n" },
    ],
    [
      "a main module of its own, which may identify callers",
      {
        "wrangler.toml": toml.replace(".threadhold/worker.ts", "src/index.ts"),
        "src/index.ts": "export default {};",
        ".env": "OPENAI_API_KEY=k\n",
      },
    ],
  ])("The command doctor warns neither of access nor of keys for %s", async (_, files: Files) => {
    const model = `import { defineModel } from "threadhold";
export default defineModel({ name: "fast", provider: "openai", model: "gpt-5" });`;
    const { ".dev.vars": _vars, ...others } = complete;
    const { code, output } = await doctor({ ...others, "agents/models/fast.ts": model, ...files }, inRepository);
    expect([code, output]).toEqual([0, expect.not.stringMatching(/^warning (?:\.dev\.vars|model)/m)]);
  });

  it("The command doctor checks the named environment, and refuses one that the configuration does not have", async () => {
    const staging = `[env.staging]\n[[env.staging.durable_objects.bindings]]\nname = "THREADS"\nclass_name = "ThreadObject"\n`;
    const root = writeProject({ ...complete, "wrangler.toml": toml + staging }, inRepository);
    expect(await examine(root)).toMatchObject({ code: 0 });
    const { code, output } = await examine(root, "--env", "staging");
    expect([code, output]).toEqual([1, expect.stringContaining("[[env.staging.d1_databases]]")]);
    const unknown = await examine(root, "--env", "prod");
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining("prod")]);
  });

  it("The command doctor warns of the Worker's own sources that wrangler does not watch, and names the line", async () => {
    const own = toml.replace(".threadhold/worker.ts", "src/index.ts");
    const sources = { "src/index.ts": 'import "../lib/a.ts";\n', "lib/a.ts": "export {};\n" };
    const root = writeProject({ ...complete, ...sources, "wrangler.toml": own }, inRepository);
    const { code, output } = await examine(root);
    const line = 'watch_dir = ["agents", ".cache/types/findings.json", "lib", "src"]';
    expect([code, output]).toEqual([0, expect.stringContaining("warning watched folders: Without lib, src in")]);
    expect(output).toContain(`npx threadhold init, or set in the section build\n             ${line}`);
    writeFileSync(join(root, "wrangler.toml"), own.replace(/watch_dir.*/, line));
    expect((await examine(root)).output).toMatch(/^ok +watched folders: agents, /m);
    // The default of wrangler is the folder src.
    writeFileSync(join(root, "wrangler.toml"), own.replace(/watch_dir.*\n/, ""));
    expect((await examine(root)).output).toContain('watch_dir = ["src", "lib", "agents"');
    writeFileSync(join(root, "wrangler.toml"), own.replace(/build --auto"/, 'build --auto && npm run css"'));
    expect((await examine(root)).output).toContain("fix: unless your build command writes there, set");
    const staging = `[env.staging]\nmain = "test/index.ts"\n`;
    writeFileSync(join(root, "wrangler.toml"), own.replace(/watch_dir.*/, line) + staging);
    mkdirSync(join(root, "test"));
    writeFileSync(join(root, "test/index.ts"), "export {};\n");
    expect((await examine(root, "--env", "staging")).output).toContain("Without test in build.watch_dir");
  });

  it("The command doctor warns of the explorer of plain wrangler, unless a file that wrangler reads turns it off", async () => {
    const { ".env": _, ...others } = complete;
    const { code, output } = await doctor(others, inRepository);
    expect([code, output]).toEqual([0, expect.stringContaining("add the line X_LOCAL_EXPLORER=false to .env")]);
    expect((await doctor(complete, inRepository)).output).toContain("explorer of wrangler: off");
  });

  it("The command doctor warns of a default port that another program uses, and names a free one", async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    const root = writeProject({ ...complete, "wrangler.toml": `${toml}[dev]\nport = ${String(port)}\n` }, inRepository);
    const { code, output } = await examine(root, "--json");
    const findings = JSON.parse(output) as { name: string; fix?: string }[];
    expect(code).toBe(0);
    expect(findings.find(({ name }) => name === `port ${String(port)}`)).toMatchObject({
      status: "warning",
      fix: expect.stringMatching(/npx threadhold dev --port \d+$/) as string,
    });
    // A server of the project itself is no reason for another port.
    const lock = lockState(join(root, ".wrangler/state"));
    expect((await examine(root)).output).toContain(`a server of this project runs (pid ${String(process.pid)})`);
    if ("release" in lock) lock.release();
  });

  it("The command doctor names each invalid variable of traces without its value, and the collector of valid ones", async () => {
    const secret = "secret-key-0123";
    const vars = [
      "OTEL_EXPORTER_OTLP_ENDPOINT=http://otel.example.com",
      `OTEL_EXPORTER_OTLP_HEADERS=${secret}`,
      "OTEL_TRACES_SAMPLER=sometimes",
    ];
    const wrong = await doctor({ ...complete, ".dev.vars": ["OPEN_LOOPBACK=true", ...vars].join("\n") }, inRepository);
    expect(wrong.code).toBe(0);
    for (const name of vars.map((line) => line.split("=")[0])) {
      expect(wrong.output).toMatch(
        new RegExp(
          `^warning ${String(name)}: The value is invalid.*no traces are exported\\.\\n +fix: set it to .`,
          "m",
        ),
      );
    }
    expect(wrong.output).not.toContain(secret);
    const right = ["OPEN_LOOPBACK=true", "OTEL_EXPORTER_OTLP_ENDPOINT=https://otel.example.com/in"].join("\n");
    expect((await doctor({ ...complete, ".dev.vars": right }, inRepository)).output).toMatch(
      /^ok +traces: exported to otel\.example\.com$/m,
    );
  });

  it("READY1 The command doctor names all variables that a model lacks in one finding", async () => {
    const gateway = '{ id: "team", tokenVariable: "TEAM_TOKEN" }';
    const claude = `export default { name: "claude", provider: "anthropic", model: "claude-sonnet-5", gateway: ${gateway} };`;
    const files = { ...complete, "agents/models/claude.ts": claude, ".dev.vars": "OPEN_LOOPBACK=true\nTEAM_TOKEN=t\n" };
    const { output } = await doctor(files, inRepository);
    expect(output).toContain("model claude: ANTHROPIC_API_KEY and CLOUDFLARE_ACCOUNT_ID are not set on this machine.");
    expect(output).toContain("add ANTHROPIC_API_KEY=… and CLOUDFLARE_ACCOUNT_ID=… to .dev.vars; for a deployment run");
    expect(output).toContain("secret put ANTHROPIC_API_KEY and npx wrangler secret put CLOUDFLARE_ACCOUNT_ID");
  });

  it("READY1 The command doctor names a command for the secrets of a cloud, and the configuration for variables that are no secrets", async () => {
    const azure = 'export default { name: "cloudy", provider: "azure", model: "my-gpt" };';
    const nova = 'export default { name: "nova", provider: "bedrock", model: "us.amazon.nova-lite-v1:0" };';
    const variables = "OPEN_LOOPBACK=true\nAWS_BEARER_TOKEN_BEDROCK=t\n";
    const files = { ...complete, "agents/models/a.ts": azure, "agents/models/b.ts": nova, ".dev.vars": variables };
    const { output } = await doctor(files, inRepository);
    const configuration = "to [vars] of the wrangler configuration";
    expect(output).toContain(
      `for a deployment run npx wrangler secret put AZURE_API_KEY, and add AZURE_RESOURCE_NAME ${configuration}`,
    );
    expect(output).toContain(`add AWS_REGION=… to .dev.vars; for a deployment add AWS_REGION ${configuration}`);
    expect(output).not.toMatch(/secret put (?:AZURE_RESOURCE_NAME|AWS_REGION)/);
  });

  it("The command doctor warns of a missing or invalid ENCRYPTION_KEY if an MCP server uses OAuth, and does not print the value", async () => {
    const server = 'export default { name: "notes", url: "https://notes.example/mcp", oauth: true };';
    const key = Buffer.alloc(32, 7).toString("base64");
    const outputOf = async (variables: string[], files: Record<string, string> = { "agents/mcp/notes.ts": server }) => {
      const vars = ["OPEN_LOOPBACK=true", ...variables].join("\n");
      return (await doctor({ ...complete, ...files, ".dev.vars": vars }, inRepository)).output;
    };
    const missing =
      /^warning OAuth of notes: ENCRYPTION_KEY is not set on this machine\.\n +fix: .*openssl rand -base64 32/m;
    expect(await outputOf([])).toMatch(missing);
    const invalid = await outputOf(["ENCRYPTION_KEY=a-passphrase"]);
    expect(invalid).toMatch(/^warning OAuth of notes: ENCRYPTION_KEY has no valid value\./m);
    expect(invalid).not.toContain("a-passphrase");
    expect(await outputOf([`ENCRYPTION_KEY=${key}`])).not.toContain("OAuth of");
    expect(await outputOf([], {})).not.toContain("OAuth of");
  });

  it("The command doctor names the migrations that the local catalog lacks", async () => {
    const files = {
      ...complete,
      "wrangler.toml": toml.replace(/migrations_dir.*/, 'migrations_dir = "migrations"'),
      "migrations/0001_first.sql": "CREATE TABLE first (id TEXT);",
    };
    const root = writeProject(files, inRepository);
    expect((await examine(root)).output).toContain("local catalog: none yet");
    const project = readWranglerProject(root);
    if (!("wrangler" in project)) throw new Error(project.detail);
    expect(await applyCatalogMigrations(project, localState(project), process.env)).toMatchObject({ code: 0 });
    expect((await examine(root)).output).toContain("local catalog: all migrations are applied");
    writeFileSync(join(root, "migrations/0002_second.sql"), "CREATE TABLE second (id TEXT);");
    const { code, output } = await examine(root);
    expect([code, output]).toEqual([0, expect.stringContaining("local catalog: Not applied: 0002_second.sql.")]);
    expect(output).toContain("fix: npx threadhold dev applies them");
    expect(await applyCatalogMigrations(project, localState(project), process.env)).toMatchObject({ code: 0 });
    expect((await examine(root)).output).toContain("local catalog: all migrations are applied");
  });

  const applyTo = async (
    migrations: Record<string, string>,
  ): Promise<{ root: string; code: number; output: string }> => {
    const configured = toml.replace(/migrations_dir.*/, 'migrations_dir = "migrations"');
    const root = writeProject({ ...complete, "wrangler.toml": configured, ...migrations }, inRepository);
    const project = readWranglerProject(root);
    if (!("wrangler" in project)) throw new Error(project.detail);
    return { root, ...(await applyCatalogMigrations(project, localState(project), process.env)) };
  };

  it("If a migration of a new local catalog fails, its error is shown, and the migrations before it in the order of their numbers are applied", async () => {
    const { root, code, output } = await applyTo({
      "migrations/9_first.sql": "CREATE TABLE first (id TEXT);",
      "migrations/10_second.sql": "CREATE INDEX by_id ON first (id);",
      "migrations/11_third.sql": "CREATE INDEX by_name ON first (name);",
    });
    expect([code, output]).toEqual([1, expect.stringContaining("no such column: name")]);
    expect((await examine(root)).output).toContain("local catalog: Not applied: 11_third.sql.");
  });

  it("A new local catalog gets its migrations in the order of their numbers, in one run of wrangler", async () => {
    const { code, output } = await applyTo({
      "migrations/9_first.sql": "CREATE TABLE first (id TEXT);\n/* A comment without an end",
      "migrations/10_second.sql": "CREATE INDEX by_id ON first (id);",
    });
    expect([code, output]).toEqual([0, expect.stringContaining("5 commands executed successfully")]);
  });
});
