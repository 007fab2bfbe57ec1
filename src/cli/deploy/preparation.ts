// The part of a deploy that needs neither account nor network: compiles and checks the definitions, and checks the configuration.

import { basename, dirname, join, resolve } from "node:path";

import type { Compilation } from "#compiler/compile.ts";
import type { Project } from "#compiler/project.ts";
import type { BuildRequest } from "#compiler/run-compiler.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { assertDefinitions, runBuild } from "../build-commands.ts";
import { readConfigFile } from "../config/config-file.ts";
import { CommandError, type CliContext } from "../context.ts";
import { localVariables } from "../dev/local-access.ts";
import { aiBindingFindings } from "../doctor/ai-binding-check.ts";
import { deploymentFindings } from "../doctor/deployment-checks.ts";
import { formatFinding, isError } from "../doctor/finding.ts";
import { configFindings } from "../doctor/wrangler-checks.ts";
import { readWranglerProject, type WranglerProject } from "../doctor/wrangler-package.ts";
import { isRealId, otherOwner, type ConfiguredDatabase } from "./catalog-database.ts";
import type { DeployReport } from "./deploy-report.ts";
import { readSecretsFile } from "./secret-values.ts";
import { wranglerOf, type RunWrangler } from "./wrangler-run.ts";

/** What is deployed. */
export interface PreparationRequest {
  root: string;
  /** As given; empty for the root of the configuration. */
  environment: string | undefined;
  secretsFile: string | undefined;
  context: CliContext;
  report: DeployReport;
}

/** A project that can be deployed. */
export interface Preparation {
  project: WranglerProject;
  worker: string;
  database: ConfiguredDatabase;
  /** The folder of the catalog's migrations, absolute. */
  migrations: string;
  models: readonly AnyModelDefinition[];
  /** Whether an MCP server of the project uses OAuth. */
  usesOAuth: boolean;
  /** Whether the main module is the one that the compiler writes, or the package's own. */
  generatedMain: boolean;
  secretsFile: Readonly<Record<string, string>>;
  run: RunWrangler;
}

/** Checks a project; null if its definitions or its configuration have errors, which are reported. */
export async function prepare(request: PreparationRequest): Promise<Preparation | null> {
  const { root, context, report } = request;
  const compiled = await compile(request);
  if (compiled === null) return null;
  const project = readWranglerProject(root, { environment: request.environment });
  const findings = "wrangler" in project ? configFindings(project) : [project];
  if (!("wrangler" in project) || findings.some(isError)) {
    const wrong = findings.filter(({ status }) => status !== "ok").map(formatFinding);
    report.fail("configuration", `it has errors, so nothing was deployed.\n${wrong.join("\n")}`);
    return null;
  }
  const { config, file, environment } = project;
  const { name: worker } = config;
  if (worker === undefined) throw new CommandError(`${basename(file)} has no name; add the name of the Worker.`);
  const catalog = config.d1_databases.find(({ binding }) => binding === "CATALOG");
  const database = { name: catalog?.database_name ?? `${worker}-catalog`, id: catalog?.database_id };
  const owner = isRealId(database.id)
    ? undefined
    : otherOwner(readConfigFile(file).value, { name: database.name, environment });
  if (owner !== undefined) {
    throw new CommandError(
      `${basename(file)} names the database ${database.name} for ${owner} too, and each Worker needs a catalog of its own. Give one of them another database_name, or write both ids. Nothing was deployed.`,
    );
  }
  const migrations = resolve(dirname(file), catalog?.migrations_dir ?? "migrations");
  const secretsFile =
    request.secretsFile === undefined ? {} : readSecretsFile(resolve(context.cwd, request.secretsFile));
  const twice = Object.keys(secretsFile).find((name) => name in config.vars);
  if (twice !== undefined) {
    throw new CommandError(
      `${twice} is a variable of ${basename(file)} and an entry of the file of secrets; keep one.`,
    );
  }
  const deployed = { ...config.vars, ...secretsFile };
  findings.push(...deploymentFindings(compiled, { local: localVariables(project), deployed }));
  findings.push(
    ...aiBindingFindings(
      compiled.models.map(({ value }) => value),
      project,
    ),
  );
  for (const { name, detail, fix } of findings.filter(({ status }) => status === "warning")) {
    report.warn(`${name}: ${detail} Fix: ${fix ?? ""}`);
  }
  const main = config.main === undefined ? undefined : resolve(dirname(file), config.main);
  report.step("configuration", `${basename(file)}${environment === undefined ? "" : `, environment ${environment}`}`, {
    worker,
    environment: environment ?? null,
  });
  return {
    project,
    worker,
    database,
    migrations,
    models: compiled.models.map(({ value }) => value),
    usesOAuth: compiled.sources.mcp.some(({ value: { oauth = false } }) => oauth !== false),
    generatedMain: main === join(root, ".threadhold/worker.ts") || root === resolve(context.packageRoot),
    secretsFile,
    run: wranglerOf({
      program: project.wrangler.program,
      root,
      configFile: file,
      environment: request.environment,
      env: context.env,
    }),
  };
}

/** Compiles the definitions and checks their types; null after errors, which are printed. */
async function compile({ root, context, report }: PreparationRequest): Promise<Project | null> {
  assertDefinitions(root);
  const lines: string[] = [];
  let compilation: Compilation | undefined;
  const { packageRoot, version, colours } = context;
  const request: BuildRequest = {
    root,
    packageRoot,
    version,
    colours,
    mode: "strict",
    types: "strict",
    json: false,
    print: (line) => lines.push(line),
    checkTypesLater: () => undefined,
    onCompiled: (result) => (compilation = result),
  };
  const code = await runBuild(request, context);
  if (code !== 0 || compilation === undefined) {
    report.fail("definitions", `they have errors, so nothing was deployed.\n${lines.join("\n")}`);
    return null;
  }
  const { project, files } = compilation;
  report.step("definitions", `${String(files)} compiled and checked`);
  return project;
}
