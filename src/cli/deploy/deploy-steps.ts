// The steps of a deploy that change the account, in an order in which each failure leaves a Worker that works: the secrets are collected
// first, since they may need a person; then the database, its migrations, the secrets and the Worker.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { CommandError, type CliContext, type ExitCode } from "../context.ts";
import { boundVariables } from "../doctor/ai-binding-check.ts";
import { isYes, type Terminal } from "../terminal.ts";
import { createDatabase, isRealId, planDatabase, type DatabasePlan } from "./catalog-database.ts";
import { writeDatabaseId } from "./database-id.ts";
import type { DeployReport } from "./deploy-report.ts";
import { checkHealth } from "./health-check.ts";
import { neededSecrets } from "./needed-secrets.ts";
import type { Preparation } from "./preparation.ts";
import { applyMigrations, migrationNames } from "./remote-migrations.ts";
import { collectSecrets, presentSecrets, uploadSecrets, type CollectedSecrets } from "./secret-values.ts";
import { wranglerFailure } from "./wrangler-run.ts";

/** A checked project, and how to deploy it. */
export interface DeploySettings extends Preparation {
  /** Absent: nothing is asked. */
  terminal: Terminal | undefined;
  /** Whether a missing database may be created, or an id in the configuration replaced, without a question. */
  yes: boolean;
  /** The id of the database to use although it has tables of another program. */
  useDatabase: string | undefined;
  /** Whether missing secrets are taken from the environment without a question. */
  secretsFromEnv: boolean;
  /** Missing secrets to leave out. */
  without: readonly string[];
  /** Further arguments of `wrangler deploy`. */
  further: readonly string[];
  context: CliContext;
  report: DeployReport;
}

/** Deploys the Worker. Returns 1 if it is deployed and answers with an error. */
export async function deploy(settings: DeploySettings): Promise<ExitCode> {
  const { run, report, migrations, project } = settings;
  migrationNames(migrations);
  const lookup = { config: project.config, environment: project.environment, migrations };
  const lookups = [planDatabase(run, settings.database, lookup), presentSecrets(run)] as const;
  // If one of them fails, the command still waits until the other one ends.
  await Promise.allSettled(lookups);
  const [plan, kept] = await Promise.all(lookups);
  assertChosenDatabase(plan, settings);
  const secrets = await collect(kept ?? [], settings);
  await confirmDatabase(plan, settings);
  await prepareDatabase(plan, settings);
  const applied = await applyMigrations(run, migrations);
  report.step("migrations", applied.length === 0 ? "none is pending" : `applied ${applied.join(", ")}`, { applied });
  if (Object.keys(secrets.values).length > 0) await uploadSecrets(run, secrets.values);
  reportSecrets(secrets, report);
  const url = await deployWorker(settings);
  return reportHealth(url, settings);
}

async function collect(kept: string[], settings: DeploySettings): Promise<CollectedSecrets & { kept: string[] }> {
  const { project, worker, models, usesOAuth, generatedMain, secretsFile, terminal, context, without, secretsFromEnv } =
    settings;
  const present = new Set([...kept, ...Object.keys(project.config.vars)]);
  const { environment } = project;
  const putCommand = `npx wrangler secret put${environment === undefined ? "" : ` --env ${environment}`}`;
  const file = Object.fromEntries(Object.entries(secretsFile).filter(([name]) => !present.has(name)));
  const repeated = Object.keys(secretsFile).filter((name) => present.has(name));
  if (repeated.length > 0) {
    settings.report.warn(`${worker} has ${repeated.join(", ")} already and keeps it. ${putCommand} NAME replaces it.`);
  }
  const needed = neededSecrets({
    models,
    usesOAuth,
    present: new Set([...present, ...Object.keys(file)]),
    bound: boundVariables(project.config),
    generatedMain,
    without,
  });
  const sources = { file, env: context.env, fromEnv: secretsFromEnv, terminal, worker, putCommand };
  return { ...(await collectSecrets(needed, sources)), kept };
}

function reportSecrets({ sources, omitted, kept }: CollectedSecrets & { kept: string[] }, report: DeployReport): void {
  const parts = [
    sources.length === 0 ? "" : `set ${sources.join(", ")}`,
    kept.length === 0 ? "" : `kept ${kept.join(", ")}`,
    omitted.length === 0 ? "" : `left out ${omitted.join(", ")}`,
  ];
  const shown = parts.filter((part) => part !== "").join("; ");
  report.step("secrets", shown === "" ? "none is needed" : shown, { set: sources, kept, omitted });
}

/** Refuses a database that the command line names and the deploy would not use. */
function assertChosenDatabase(plan: DatabasePlan, { useDatabase, database, project }: DeploySettings): void {
  const found = plan.action === "create" ? undefined : plan.id;
  if (useDatabase === undefined || useDatabase === found) return;
  const what =
    found === undefined
      ? `The account has no D1 database ${database.name}`
      : `The D1 database ${database.name} has the id ${found}`;
  throw new CommandError(
    `${what}, and --use-database names ${useDatabase}. Correct the flag, or database_name in ${basename(project.file)}. Nothing was deployed.`,
  );
}

/** Asks before a database is created, a database of another program is used, or an id in the configuration is replaced. */
async function confirmDatabase(plan: DatabasePlan, settings: DeploySettings): Promise<void> {
  if (plan.action === "keep") return;
  const { database, project, yes, terminal, useDatabase } = settings;
  const { name, id } = database;
  const replaced = isRealId(id) ? `The account has no D1 database with the id ${String(id)}. ` : "";
  const file = basename(project.file);
  if (plan.action === "use" && plan.foreign.length > 0 && useDatabase === undefined) {
    const tables = `${plan.foreign.slice(0, 3).join(", ")}${plan.foreign.length > 3 ? ", …" : ""}`;
    const found = `${replaced}The D1 database ${name} (${plan.id}) has tables that Threadhold did not create: ${tables}.`;
    if (terminal === undefined) {
      throw new CommandError(
        `${found} Give the binding CATALOG of ${file} another database_name, or run the command with --use-database ${plan.id} to use this one. Nothing was deployed.`,
      );
    }
    const question = `${found} Shall deploy add Threadhold's tables to it and write its id to ${file}? (y/N) `;
    if (!isYes(await terminal.ask(question))) throw new CommandError("Nothing was created or deployed.");
    return;
  }
  if (yes || (plan.action === "use" && (replaced === "" || useDatabase !== undefined))) return;
  const action =
    plan.action === "create"
      ? `create the database ${name} and write its id to ${file}`
      : `use the database ${name} with the id ${plan.id} and write its id to ${file}`;
  if (terminal === undefined) {
    throw new CommandError(
      `${replaced}${replaced === "" ? `The account has no D1 database ${name}. ` : ""}Check the account, or run the command with --yes to ${action}. Nothing was deployed.`,
    );
  }
  const answer = await terminal.ask(`${replaced}Shall deploy ${action}? (y/N) `);
  if (!isYes(answer)) throw new CommandError("Nothing was created or deployed.");
}

async function prepareDatabase(plan: DatabasePlan, { run, database, project, report }: DeploySettings): Promise<void> {
  const { name } = database;
  if (plan.action === "keep") {
    report.step("catalog", `D1 database ${name} (${plan.id})`, { id: plan.id, created: false });
    return;
  }
  const created = plan.action === "create";
  const id = created ? await createDatabase(run, name) : plan.id;
  const { file, environment } = project;
  writeDatabaseId({ file, environment, id });
  const what = created ? "created" : "found";
  report.step("catalog", `${what} D1 database ${name} (${id}) and wrote its id to ${basename(file)}`, { id, created });
}

/** Runs `wrangler deploy` and returns the Worker's address; undefined if it has none that can be requested. */
async function deployWorker({ run, worker, further, report }: DeploySettings): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "threadhold-deploy-"));
  const outputFile = join(folder, "output.jsonl");
  try {
    const result = await run(["deploy", ...further], { env: { WRANGLER_OUTPUT_FILE_PATH: outputFile } });
    if (result.code !== 0) {
      const consequence = "The Worker was not replaced. The database is migrated and the secrets are set. ";
      throw wranglerFailure("deploy", result, consequence);
    }
    for (const warning of result.warnings) report.warn(`wrangler deploy: ${warning}`);
    const { targets = [], version_id: version } = deployedIn(readFileSync(outputFile, "utf8"));
    const shown = targets.length === 0 ? "without a route" : targets.join(", ");
    report.step("worker", `deployed ${worker}, ${shown}`, { worker, targets, version: version ?? null });
    return targets.map(requestable).find((target) => target !== undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The entry of the deploy in wrangler's output file, which has one line of JSON for each event. */
function deployedIn(output: string): { targets?: string[]; version_id?: string | null } {
  const entries = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string; targets?: string[]; version_id?: string | null });
  return entries.findLast(({ type }) => type === "deploy") ?? {};
}

/** The address of a target: a URL, a custom domain such as `shop.example (custom domain)`, or a route such as `shop.example/*`. */
function requestable(target: string): string | undefined {
  if (URL.canParse(target)) return target;
  const [, host] = /^([a-z0-9.-]+)(?:\/\*)?(?: \(.*\))?$/i.exec(target) ?? [];
  return host === undefined ? undefined : `https://${host}`;
}

async function reportHealth(url: string | undefined, { report, context }: DeploySettings): Promise<ExitCode> {
  if (url === undefined) {
    report.step("health", "not checked, because the Worker has no address of its own");
    return 0;
  }
  const { status, detail } = await checkHealth(url, context.fetch ?? fetch);
  report.step("health", detail, { url, status });
  return status === "failed" ? 1 : 0;
}
