// `threadhold doctor`: checks what a project needs to run, and names the fix of everything that is missing.

import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "commander";

import type { Project } from "#compiler/project.ts";
import { isSetting } from "#lib/deployment-secrets.ts";
import { readSealKeys } from "#lib/sealed-text.ts";
import { traceSettings } from "#lib/trace-settings.ts";
import { bindingOf, joined, missingNames } from "#models/readiness.ts";

import { projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { localVariables } from "../dev/local-access.ts";
import { oldestNode } from "../oldest-node.ts";
import { aiBindingFindings, boundVariables } from "./ai-binding-check.ts";
import { deploymentFindings } from "./deployment-checks.ts";
import { error, formatFinding, isError, isOlder, ok, warning, type Finding } from "./finding.ts";
import { localFindings } from "./local-checks.ts";
import { playgroundFindings } from "./playground-check.ts";
import { watchFindings, wranglerFindings } from "./wrangler-checks.ts";
import { hasOwnMain, readWranglerProject, type WranglerProject } from "./wrangler-package.ts";

export function addDoctorCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("doctor")
    .description(
      "Check Node, wrangler, its configuration, the local server, agents/, the keys of models and the variables of traces. Errors end the command with exit code 1.",
    )
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("-e, --env <name>", "an environment of the wrangler configuration (default: CLOUDFLARE_ENV)")
    .option("--json", "print the findings as JSON")
    .option(
      "--online",
      "also try each MCP server, each OpenAPI document and each model once; the requests to models cost a few tokens",
    )
    .action(async (options: { root: string; env?: string; json?: boolean; online?: boolean }) => {
      const { root, env: environment, online = false } = options;
      const findings = await examine(projectFolder(context, root), { environment, online }, context);
      context.print(options.json === true ? JSON.stringify(findings) : findings.map(formatFinding).join("\n"));
      end(findings.some(isError) ? 1 : 0);
    });
}

interface DoctorOptions {
  environment: string | undefined;
  /** Whether sources and models are tried. */
  online: boolean;
}

async function examine(root: string, { environment, online }: DoctorOptions, context: CliContext): Promise<Finding[]> {
  const project = readWranglerProject(root, { environment });
  return [
    nodeFinding(process.versions.node),
    ...wranglerFindings(root, project),
    ...("wrangler" in project
      ? [
          ...(await watchFindings(project)),
          ...playgroundFindings(project, context.packageRoot),
          ...(await localFindings(project, context.env)),
        ]
      : []),
    ...(await projectFindings(root, "wrangler" in project ? project : undefined, { online, context })),
  ];
}

export function nodeFinding(version: string): Finding {
  return isOlder(version, oldestNode)
    ? error(
        "Node",
        `Version ${version} is older than ${oldestNode.join(".")}.`,
        "install the current LTS version from https://nodejs.org",
      )
    : ok("Node", `version ${version}`);
}

async function projectFindings(
  root: string,
  worker: WranglerProject | undefined,
  { online, context }: { online: boolean; context: CliContext },
): Promise<Finding[]> {
  if (!existsSync(join(root, "agents"))) {
    return [error("agents/", "The folder does not exist.", "npx threadhold new agent assistant")];
  }
  // Imported here, so that other findings do not need the bundler.
  const { compileProject } = await import("#compiler/compile.ts");
  const { diagnostics, project, files } = await compileProject(root, context.packageRoot);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const compiled =
    errors === 0
      ? ok("agents/", `${String(files)} definitions`)
      : error("agents/", `It has ${String(errors)} errors.`, "npx threadhold check");
  const put = `npx wrangler secret put${worker?.environment === undefined ? "" : ` --env ${worker.environment}`}`;
  const variables = localVariables(
    worker ?? { file: join(root, "wrangler.toml"), environment: undefined, config: { vars: {} } },
  );
  const isDecided =
    variables["OPEN_LOOPBACK"] === "true" || ["API_TOKENS", "JWT_SECRET", "JWKS_URL"].some((name) => name in variables);
  // A main module of the project's own may identify callers itself, and then a token would close the API.
  const access = isDecided || (worker !== undefined && hasOwnMain(worker)) ? [] : [accessFinding(root)];
  const bound = worker === undefined ? {} : boundVariables(worker.config);
  const binding =
    worker === undefined
      ? []
      : aiBindingFindings(
          project.models.map(({ value }) => value),
          worker,
        );
  const keys = project.models.flatMap(({ value }): Finding[] => {
    const missing = missingNames(value, { ...variables, ...bound });
    // The finding of the binding names its models.
    if (missing.length === 0 || bindingOf(value) !== null) return [];
    const lines = joined(missing.map((name) => `${name}=…`));
    const deployed = deploymentFix(missing, put);
    const detail = `${joined(missing)} ${missing.length === 1 ? "is" : "are"} not set on this machine.`;
    return [warning(`model ${value.name}`, detail, `add ${lines} to .dev.vars; for a deployment ${deployed}`)];
  });
  const servers = project.sources.mcp.flatMap(({ name, value: { oauth = false } }) => (oauth === false ? [] : [name]));
  const encryption = servers.length === 0 ? [] : await encryptionFindings(servers, variables, put);
  const deployment =
    worker === undefined ? [] : deploymentFindings(project, { local: variables, deployed: worker.config.vars });
  const tried = online ? await tryOnline(project, variables, context) : [];
  return [
    compiled,
    ...access,
    ...keys,
    ...binding,
    ...encryption,
    ...traceFindings(variables),
    ...deployment,
    ...tried,
  ];
}

/** What gives a deployment its variables: settings, such as a region, are no secrets. */
function deploymentFix(missing: readonly string[], put: string): string {
  const commands = missing.filter((name) => !isSetting(name)).map((name) => `${put} ${name}`);
  const settings = missing.filter(isSetting);
  return [
    ...(commands.length === 0 ? [] : [`run ${joined(commands)}`]),
    ...(settings.length === 0 ? [] : [`add ${joined(settings)} to [vars] of the wrangler configuration`]),
  ].join(", and ");
}

/** Tries the sources and models. The code that sends requests is loaded for this only. */
async function tryOnline(
  project: Project,
  variables: Readonly<Record<string, unknown>>,
  { fetch: given = fetch, printError: print }: CliContext,
): Promise<Finding[]> {
  const { onlineFindings } = await import("./online-checks.ts");
  return onlineFindings(project, { variables, fetch: given, print });
}

/** Checks the key that encrypts the tokens for MCP servers with OAuth. Its value is not shown. */
async function encryptionFindings(
  servers: readonly string[],
  variables: Readonly<Record<string, unknown>>,
  put: string,
): Promise<Finding[]> {
  const variable = variables["ENCRYPTION_KEY"];
  if ((await readSealKeys(variable)) !== null) return [];
  const problem = (variable ?? "") === "" ? "is not set on this machine" : "has no valid value";
  const fix =
    "add ENCRYPTION_KEY=… with the output of `openssl rand -base64 32` to .dev.vars; " +
    `for a deployment run ${put} ENCRYPTION_KEY`;
  return [warning(`OAuth of ${servers.join(", ")}`, `ENCRYPTION_KEY ${problem}.`, fix)];
}

/** Checks the variables of OpenTelemetry. Values are not shown, because they may contain keys. */
function traceFindings(variables: Readonly<Record<string, unknown>>): Finding[] {
  const findings: Finding[] = [];
  const settings = traceSettings(variables, (name, valid) => {
    findings.push(
      warning(name, "The value is invalid or not supported, so no traces are exported.", `set it to ${valid}`),
    );
  });
  return settings === null ? findings : [ok("traces", `exported to ${new URL(settings.url).host}`)];
}

function accessFinding(root: string): Finding {
  const detail = existsSync(join(root, ".dev.vars"))
    ? "The local server refuses all requests."
    : "It does not exist: `threadhold dev` serves this machine, and `wrangler dev` refuses all requests.";
  return warning(".dev.vars", detail, 'add OPEN_LOOPBACK=true, or API_TOKENS="…"');
}
