// `threadhold deploy` with the real wrangler, against a local server for Cloudflare's API whose databases run SQL.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { packageRoot } from "../compiler/temporary-project.ts";
import { startCloudflareApi, type CloudflareApi } from "./support/cloudflare-api.ts";
import {
  keyedModel,
  person,
  shop,
  toml,
  tomlWithStaging,
  writeShop,
  type DeployProject,
} from "./support/deploy-project.ts";

const secret = ["sk", "not", "a", "key"].join("-");

describe("the command deploy", () => {
  let api: CloudflareApi;
  beforeAll(async () => {
    api = await startCloudflareApi();
  });
  beforeEach(() => api.reset());
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => api.stop());

  const project = (files = {}): DeployProject => writeShop({ ...shop, ...files }, api.env);
  const tables = async (index = 0): Promise<unknown[]> => {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%cf%' ORDER BY name";
    const { results } = (await api.databases[index]?.local.prepare(query).all()) ?? { results: [] };
    return results.map(({ name }) => name).filter((name) => name !== "sqlite_sequence");
  };

  it("The first deploy creates the database, migrates it, sets the secrets and uploads the Worker; the second uploads the Worker alone", async () => {
    const { root, run, read, home } = project(keyedModel);
    const { code, output } = await run(["deploy", "--yes", "--secrets-from-env"], { env: { OPENAI_API_KEY: secret } });
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("worker: deployed shop, https://shop.testaccount.workers.dev"),
    ]);
    expect(output).toContain("health: https://shop.testaccount.workers.dev/healthz answers 200, version 1.2.3");
    const [database] = api.databases;
    expect(database?.name).toBe("threads");
    expect(await tables()).toEqual(["d1_migrations", "run", "thread"]);
    // The file has the id, and everything else stays as it was.
    const id = `database_id = "${database?.uuid ?? ""}"\n`;
    expect(read("wrangler.toml")).toContain(id);
    expect(read("wrangler.toml").replace(id, "")).toBe(toml);
    const worker = api.workers.get("shop");
    expect(Object.fromEntries(worker?.secrets ?? [])).toEqual({
      OPENAI_API_KEY: secret,
      TICKET_SECRET: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as string,
    });
    const { metadata, modules } = worker?.uploads.at(-1) ?? {};
    expect(metadata).toMatchObject({
      compatibility_date: "2026-04-01",
      migrations: { new_tag: "threadhold-v1", steps: [{ new_sqlite_classes: ["ThreadObject", "ThreadFeed"] }] },
      assets: { jwt: "assets" },
    });
    expect(metadata?.bindings).toEqual(
      expect.arrayContaining([
        { type: "d1", name: "CATALOG", id: database?.uuid },
        { type: "durable_object_namespace", name: "THREADS", class_name: "ThreadObject" },
        { type: "durable_object_namespace", name: "FEEDS", class_name: "ThreadFeed" },
      ]),
    );
    expect(modules?.[metadata?.main_module ?? ""]).toContain("the first shop");
    // Each change of the account comes after the one that it needs.
    const changes = api.requests.filter((request) => !request.startsWith("GET "));
    const firsts = ["POST /d1/database", "/query", "PATCH /workers/scripts/shop/settings", "assets-upload-session"].map(
      (part) => changes.findIndex((request) => request.endsWith(part)),
    );
    expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
    expect(firsts).not.toContain(-1);
    expect(changes.lastIndexOf("PUT /workers/scripts/shop")).toBeGreaterThan(firsts.at(-1) ?? 0);
    // A secret is in the upload of secrets alone.
    expect(output + home() + JSON.stringify(worker?.uploads)).not.toContain(secret);

    const before = { file: read("wrangler.toml"), secrets: [...(worker?.secrets ?? [])], tables: await tables() };
    api.requests.length = 0;
    writeFileSync(join(root, "src/index.ts"), (shop["src/index.ts"] ?? "").replace("the first", "the second"));
    // Nothing is asked, so the second deploy needs neither a terminal nor --yes.
    const second = await run(["deploy", "--json"]);
    const steps = [
      ["definitions", "5 compiled and checked"],
      ["configuration", "wrangler.toml"],
      ["catalog", `D1 database threads (${database?.uuid ?? ""})`],
      ["migrations", "none is pending"],
      ["secrets", "kept OPENAI_API_KEY, TICKET_SECRET"],
      ["worker", "deployed shop, https://shop.testaccount.workers.dev"],
      ["health", "https://shop.testaccount.workers.dev/healthz answers 200, version 1.2.3"],
    ].map(([step, detail]) => expect.objectContaining({ step, detail }) as object);
    expect([second.code, JSON.parse(second.output)]).toEqual([0, { ok: true, warnings: [], steps }]);
    const after = { file: read("wrangler.toml"), secrets: [...(worker?.secrets ?? [])], tables: await tables() };
    expect(after).toEqual(before);
    const writes = api.requests.filter((request) => !request.startsWith("GET ") && !request.endsWith("/query"));
    expect(writes).toEqual([
      "POST /workers/scripts/shop/assets-upload-session",
      "POST /workers/scripts/shop/versions",
      "POST /workers/scripts/shop/deployments",
      "PATCH /workers/scripts/shop/script-settings",
      "POST /workers/scripts/shop/subdomain",
    ]);
    expect(Object.values(worker?.uploads.at(-1)?.modules ?? {}).join("\n")).toContain("the second shop");
  });

  it("A deploy uses an empty database of the configured name without a question, and ends with 1 if the Worker fails its health check", async () => {
    const { uuid } = await api.create("threads");
    const { run, read } = project();
    const refusal = { error: { code: "auth_not_configured", message: "Set API_TOKENS, JWT_SECRET or JWKS_URL." } };
    const { code, output } = await run(["deploy"], {
      fetch: () => Promise.resolve(Response.json(refusal, { status: 503 })),
    });
    expect([code, output]).toEqual([1, expect.stringContaining(`catalog: found D1 database threads (${uuid})`)]);
    expect(output).toContain("/healthz answers 503: Set API_TOKENS, JWT_SECRET or JWKS_URL.");
    expect(read("wrangler.toml")).toContain(`database_id = "${uuid}"`);
    expect(api.databases).toHaveLength(1);
  });

  it("A database of the configured name with tables of another program is used only after the user confirms it or with the flag that names its id", async () => {
    const { uuid, local } = await api.create("threads");
    const migrations = ["CREATE TABLE d1_migrations (id INTEGER, name TEXT)", "CREATE TABLE customer (id TEXT)"];
    // A migration of Threadhold's catalog has the same name.
    const rows = ["INSERT INTO d1_migrations VALUES (1, '0001_thread.sql')"];
    await local.batch([...migrations, ...rows].map((sql) => local.prepare(sql)));
    const { run, read } = project();
    const unnamed = await run(["deploy", "--yes"]);
    expect([unnamed.code, unnamed.output]).toEqual([
      2,
      expect.stringContaining("tables that Threadhold did not create: customer."),
    ]);
    expect(unnamed.output).toContain(`--use-database ${uuid}`);
    const other = await run(["deploy", "--yes", "--use-database", "another"]);
    expect([other.code, other.output]).toEqual([2, expect.stringContaining("--use-database names another")]);
    expect([read("wrangler.toml"), api.workers.size]).toEqual([toml, 0]);
    await local.batch([local.prepare("DELETE FROM d1_migrations")]);
    const yes = person(["y"]);
    expect(await run(["deploy"], { terminal: yes })).toMatchObject({ code: 0 });
    expect(yes.questions).toEqual([expect.stringContaining("tables that Threadhold did not create: customer")]);
    expect(read("wrangler.toml")).toContain(`database_id = "${uuid}"`);
    await local.batch([
      local.prepare("DELETE FROM d1_migrations"),
      local.prepare("DROP TABLE thread"),
      local.prepare("DROP TABLE run"),
    ]);
    expect(await project().run(["deploy", "--use-database", uuid])).toMatchObject({ code: 0 });
  });

  it("The database of an earlier deploy is used without a question by a fresh checkout, which has no id", async () => {
    const first = project();
    expect(await first.run(["deploy", "--yes"])).toMatchObject({ code: 0 });
    const { code, output } = await project({ "wrangler.toml": toml }).run(["deploy"]);
    expect([code, output]).toEqual([0, expect.stringContaining("catalog: found D1 database threads")]);
    expect(api.databases).toHaveLength(1);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "If a deploy receives the signal %s, it ends wrangler and then exits with the code %i",
    async (signal, exitCode) => {
      const { start, processes } = project();
      const requested = new Promise<void>((resolve) => {
        api.intercept = ({ method, path }) => {
          if (method !== "POST" || path !== "/workers/scripts/shop/versions") return undefined;
          resolve();
          return new Promise(() => undefined);
        };
      });
      api.workers.set("shop", {
        secrets: new Map([["TICKET_SECRET", "t"]]),
        uploads: [],
        migrationTag: "threadhold-v1",
      });
      const deploy = start(["deploy", "--yes"]);
      const messages = text(deploy.stderr);
      const ended = once(deploy, "close");
      await Promise.race([requested, ended.then(async () => Promise.reject(new Error(await messages)))]);
      expect(processes().length).toBeGreaterThan(1);
      deploy.kill(signal);
      expect(await ended).toEqual([exitCode, null]);
      expect(processes()).toEqual([]);
      expect(await messages).toContain(`${signal} ended wrangler deploy. Run the command again`);
      expect(api.workers.get("shop")?.uploads).toEqual([]);
    },
  );

  it("A database id in the configuration that is not in the account is replaced only after the user confirms it", async () => {
    const gone = "99999999-2222-4333-8444-000000000000";
    const configured = toml.replace('database_name = "threads"', `database_name = "threads"\ndatabase_id = "${gone}"`);
    const { run, read } = project({ "wrangler.toml": configured });
    const refused = await run(["deploy"]);
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining(`no D1 database with the id ${gone}`)]);
    expect(refused.output).toContain("--yes");
    const no = await run(["deploy"], { terminal: person(["n"]) });
    expect([no.code, no.output]).toEqual([2, expect.stringContaining("Nothing was created or deployed.")]);
    expect([read("wrangler.toml"), api.databases, api.workers.size]).toEqual([configured, [], 0]);
    expect(await run(["deploy"], { terminal: person(["y"]) })).toMatchObject({ code: 0 });
    expect(read("wrangler.toml")).toBe(configured.replace(gone, api.databases[0]?.uuid ?? ""));
  });

  it("A failed migration stops the deploy before the Worker is uploaded, and the next deploy continues with that migration", async () => {
    const broken = { "migrations/0002_run.sql": "CREATE TABLE run (id TEXT); CREATE TABLE thread (again TEXT);" };
    const { run, root } = project(broken);
    const { code, output } = await run(["deploy", "--yes"]);
    expect([code, output]).toEqual([2, expect.stringContaining("table thread already exists")]);
    expect(output).toContain("Applied: 0001_thread.sql. Pending: 0002_run.sql. Nothing was deployed");
    expect([await tables(), api.workers.size]).toEqual([["d1_migrations", "thread"], 0]);
    writeFileSync(join(root, "migrations/0002_run.sql"), shop["migrations/0002_run.sql"] ?? "");
    const repaired = await run(["deploy"]);
    expect([repaired.code, repaired.output]).toEqual([0, expect.stringContaining("migrations: applied 0002_run.sql")]);
    expect([await tables(), api.databases.length]).toEqual([["d1_migrations", "run", "thread"], 1]);
  });

  it("A named environment gets its own Worker, database and secrets", async () => {
    const { run, read } = project({ "wrangler.toml": tomlWithStaging });
    const { code, output } = await run(["deploy", "--yes", "--env", "staging"]);
    expect([code, output]).toEqual([0, expect.stringContaining("deployed shop-staging")]);
    const [database] = api.databases;
    expect([database?.name, [...api.workers.keys()]]).toEqual(["threads-staging", ["shop-staging"]]);
    const id = `database_id = "${database?.uuid ?? ""}"\n`;
    const [top = "", staging = ""] = read("wrangler.toml").split("[env.staging]\n");
    expect([top, staging.replace(id, "")]).toEqual(tomlWithStaging.split("[env.staging]\n"));
    expect(staging).toContain(id);
    const unbound = tomlWithStaging.slice(0, tomlWithStaging.lastIndexOf("[[env.staging.d1_databases]]"));
    const incomplete = await project({ "wrangler.toml": unbound }).run(["deploy", "--env", "staging"]);
    expect([incomplete.code, incomplete.output]).toEqual([1, expect.stringContaining("[[env.staging.d1_databases]]")]);
    const unknown = await run(["deploy", "--env", "prod"]);
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining("prod")]);
  });

  it.each([
    ["a refused token", { CLOUDFLARE_API_TOKEN: "x".repeat(40) }, "Set CLOUDFLARE_API_TOKEN to a token"],
    ["no token", { CLOUDFLARE_API_TOKEN: undefined }, "Set CLOUDFLARE_API_TOKEN to a token"],
    ["no network", { CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:9" }, "check the network"],
    ["pages in HTML for responses", {}, "malformed response"],
  ])(
    "With %s the deploy ends with one line on what to do, changes nothing and leaves no process",
    async (given, env, advice) => {
      const page = { status: 502, body: "<html>Bad gateway</html>", type: "text/html" };
      api.intercept = () => (given.startsWith("pages") ? page : undefined);
      const { run, processes } = project();
      const { code, output } = await run(["deploy", "--yes"], { env });
      expect(processes()).toEqual([]);
      expect([code, output.split("\n").at(-1)]).toEqual([
        2,
        expect.stringMatching(/^wrangler (?:d1|secret) list failed: /),
      ]);
      expect(output).toContain(advice);
      expect([api.workers.size, api.databases]).toEqual([0, []]);
    },
  );

  it("After an error of the API during the upload the old Worker stays, and the same deploy succeeds later", async () => {
    const { run, read } = project();
    const down = { status: 500, body: { success: false, errors: [{ code: 10_002, message: "Internal" }] } };
    const upload = "/workers/scripts/shop/versions";
    api.intercept = ({ method, path }) => (method === "POST" && path === upload ? down : undefined);
    const tag = "threadhold-v1";
    api.workers.set("shop", { secrets: new Map([["TICKET_SECRET", "t"]]), uploads: [], migrationTag: tag });
    const { code, output } = await run(["deploy", "--yes"]);
    const failure = /wrangler deploy failed: .*Internal.*The Worker was not replaced\./;
    expect([code, output]).toEqual([2, expect.stringMatching(failure)]);
    const file = read("wrangler.toml");
    api.intercept = () => undefined;
    expect(await run(["deploy"])).toMatchObject({ code: 0 });
    expect([read("wrangler.toml"), api.workers.get("shop")?.uploads.length]).toEqual([file, 1]);
  });

  it("A dry run names each step, bundles the Worker with the arguments after --, and sends no request", async () => {
    const { root, run, read } = project(keyedModel);
    const argv = ["deploy", "--dry-run", "--without", "TICKET_SECRET", "--", "--outdir", join(root, "bundle")];
    const { code, output } = await run(argv, { env: { CLOUDFLARE_API_TOKEN: undefined } });
    expect([code, output.split("\n")]).toEqual([
      0,
      [
        "definitions: 5 compiled and checked",
        "configuration: wrangler.toml",
        "catalog: would look for the D1 database threads, create it if it is missing, and write its id to wrangler.toml",
        "migrations: would apply what is pending of 0001_thread.sql, 0002_run.sql",
        "secrets: would set what is missing of OPENAI_API_KEY",
        expect.stringMatching(/^worker: would deploy shop from src\/index.ts \(.* KiB/),
      ],
    ]);
    expect(read("bundle/index.js")).toContain("the first shop");
    expect([api.requests, read("wrangler.toml")]).toEqual([[], toml]);
  });

  it("Errors of definitions and of the configuration end the deploy before any request, also with --json", async () => {
    const broken = await project({ "agents/tools/search_docs.ts": "export default defineTool(" }).run(["deploy"]);
    expect([broken.code, broken.output]).toEqual([1, expect.stringContaining("agents/tools/search_docs.ts")]);
    const unbound = toml.replace(/\[\[durable_objects.bindings\]\]\nname = "FEEDS"\nclass_name = "ThreadFeed"\n/, "");
    const incomplete = await project({ "wrangler.toml": unbound }).run(["deploy"]);
    expect([incomplete.code, incomplete.output]).toEqual([1, expect.stringContaining('class_name = "ThreadFeed"')]);
    const elsewhere = toml.replace('migrations_dir = "migrations"', 'migrations_dir = "gone"');
    const unmigrated = await project({ "wrangler.toml": elsewhere }).run(["deploy", "--json"]);
    const error = expect.stringContaining("correct migrations_dir") as string;
    expect([unmigrated.code, JSON.parse(unmigrated.output)]).toEqual([
      2,
      expect.objectContaining({ ok: false, error }),
    ]);
    expect(api.requests).toEqual([]);
  });

  it("With --json the deploy also reports an unexpected error as JSON", async () => {
    const { run } = project({ ".threadhold": "a file in the place of the folder" });
    const { code, output } = await run(["deploy", "--dry-run", "--json"]);
    expect([code, JSON.parse(output)]).toEqual([
      2,
      expect.objectContaining({ ok: false, error: expect.any(String) as string }),
    ]);
  });

  it("The deploy ends before any request if --env or CLOUDFLARE_ENV names an environment that the configuration lacks", async () => {
    const { run } = project();
    for (const [argv, env] of [
      [["--env", "staging"], {}],
      [[], { CLOUDFLARE_ENV: "staging" }],
    ] as const) {
      vi.stubEnv("CLOUDFLARE_ENV", "CLOUDFLARE_ENV" in env ? env.CLOUDFLARE_ENV : undefined);
      const { code, output } = await run(["deploy", "--yes", ...argv], { env });
      expect([code, output]).toEqual([1, expect.stringContaining("It has no environment staging.")]);
    }
    expect(api.requests).toEqual([]);
  });

  it("A deploy refuses a database name that the configuration also uses for another environment", async () => {
    const shared = tomlWithStaging.replace('"threads-staging"', '"threads"');
    const { run, read } = project({ "wrangler.toml": shared });
    for (const [argv, owner] of [
      [["--env", "staging"], "the root of the file"],
      [[], "the environment staging"],
    ] as const) {
      const { code, output } = await run(["deploy", "--yes", ...argv]);
      expect([code, output]).toEqual([2, expect.stringContaining(`names the database threads for ${owner} too`)]);
    }
    expect([api.requests, read("wrangler.toml")]).toEqual([[], shared]);
  });

  it("An empty value of --env selects the root of the configuration, also if CLOUDFLARE_ENV is set", async () => {
    const { run, read } = project({ "wrangler.toml": tomlWithStaging });
    vi.stubEnv("CLOUDFLARE_ENV", "staging");
    const { code, output } = await run(["deploy", "--yes", "--env", ""], { env: { CLOUDFLARE_ENV: "staging" } });
    expect([code, output]).toEqual([0, expect.stringContaining("deployed shop,")]);
    expect([api.databases.map(({ name }) => name), [...api.workers.keys()]]).toEqual([["threads"], ["shop"]]);
    const [top = "", staging] = read("wrangler.toml").split("[env.staging]\n");
    expect([top, staging]).toEqual([
      expect.stringContaining("database_id"),
      expect.not.stringContaining("database_id"),
    ]);
  });

  it("The deploy refuses an argument after -- that would apply to only one of its steps, and an argument of wrangler without --", async () => {
    const { run } = project();
    for (const argument of [
      "--env=staging",
      "-e",
      "--e=staging",
      "--name",
      "--dry-run",
      "--dryRun",
      "--config",
      "--secretsFile=x",
    ]) {
      const { code, output } = await run(["deploy", "--", argument]);
      expect([code, output]).toEqual([2, expect.stringContaining(`${argument} would apply to one step`)]);
    }
    expect((await run(["deploy", "src/index.ts"])).output).toContain("arguments of wrangler deploy follow --");
    expect(api.requests).toEqual([]);
  });

  it("A deploy uploads the Worker that the compiler writes, and refuses to do so without tokens for its users", async () => {
    const generated = toml
      .replace("src/index.ts", ".threadhold/worker.ts")
      .replace('"migrations"', JSON.stringify(join(packageRoot, "migrations/catalog")));
    const rules = `[alias]\n"@standardagents/spec" = "${packageRoot}src/spec/index.ts"\n[[rules]]\ntype = "Text"\nglobs = ["**/*.sql"]\nfallthrough = true\n`;
    const { run } = project({ "wrangler.toml": `${generated}${rules}` });
    const refused = await run(["deploy", "--yes"]);
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining("npx wrangler secret put API_TOKENS")]);
    expect(await run(["deploy", "--yes", "--secrets-from-env"], { env: { API_TOKENS: secret } })).toMatchObject({
      code: 0,
    });
    expect(await tables()).toEqual(expect.arrayContaining(["thread", "run_total", "removed_thread"]));
    const { modules = {} } = api.workers.get("shop")?.uploads.at(-1) ?? {};
    expect(Object.values(modules).join("\n")).toContain("search_docs");
  });
});
