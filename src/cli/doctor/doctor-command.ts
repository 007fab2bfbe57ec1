// `threadhold doctor`: checks what a project needs to run, and names the fix of everything that is missing.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";

import type { Command } from "commander";

import { readiness } from "#models/readiness.ts";

import type { CliContext, ExitCode } from "../context.ts";
import { error, isOlder, ok, warning, type Finding } from "./finding.ts";
import { wranglerFindings } from "./wrangler-checks.ts";

/** The oldest Node that the package supports. */
const oldestNode = [20, 19] as const;

/** Adds the command `doctor`. */
export function addDoctorCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("doctor")
    .description(
      "Check Node, wrangler, its configuration, agents/ and the keys of models. Errors end the command with exit code 1.",
    )
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--json", "print the findings as JSON")
    .action(async (options: { root: string; json?: boolean }) => {
      const findings = await examine(resolve(context.cwd, options.root), context.packageRoot);
      context.print(options.json === true ? JSON.stringify(findings) : findings.map(lineOf).join("\n"));
      end(findings.some(({ status }) => status === "error") ? 1 : 0);
    });
}

async function examine(root: string, packageRoot: string): Promise<Finding[]> {
  return [nodeFinding(process.versions.node), ...wranglerFindings(root), ...(await projectFindings(root, packageRoot))];
}

function nodeFinding(version: string): Finding {
  return isOlder(version, oldestNode)
    ? error(
        "Node",
        `Version ${version} is older than ${oldestNode.join(".")}.`,
        "install the current LTS version from https://nodejs.org",
      )
    : ok("Node", `version ${version}`);
}

async function projectFindings(root: string, packageRoot: string): Promise<Finding[]> {
  if (!existsSync(join(root, "agents"))) {
    return [error("agents/", "The folder does not exist.", "npx threadhold new agent assistant")];
  }
  // Imported here, so that other findings do not need the bundler.
  const { compileProject } = await import("#compiler/compile.ts");
  const { diagnostics, project, files } = await compileProject(root, packageRoot);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const compiled =
    errors === 0
      ? ok("agents/", `${String(files)} definitions`)
      : error("agents/", `It has ${String(errors)} errors.`, "npx threadhold check");
  const variables = localVariables(root);
  const access =
    variables["OPEN_LOOPBACK"] === "true" ||
    variables["API_TOKENS"] !== undefined ||
    variables["JWT_SECRET"] !== undefined
      ? []
      : [warning(".dev.vars", "The local server refuses all requests.", 'add OPEN_LOOPBACK=true, or API_TOKENS="…"')];
  const keys = project.models.flatMap(({ value }): Finding[] => {
    const { ready, missing } = readiness(value, variables);
    if (ready || missing === null) return [];
    const fix = `add ${missing}=… to .dev.vars; for a deployment run npx wrangler secret put ${missing}`;
    return [warning(`model ${value.name}`, `${missing} is not set on this machine.`, fix)];
  });
  return [compiled, ...access, ...keys];
}

/** The variables that the local server gets. */
function localVariables(root: string): Record<string, string | undefined> {
  const file = join(root, ".dev.vars");
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

const marks = { ok: "ok      ", warning: "warning ", error: "error   " };

function lineOf({ name, status, detail, fix }: Finding): string {
  const line = `${marks[status]}${name}: ${detail}`;
  return fix === undefined ? line : `${line}\n        fix: ${fix.replaceAll("\n", "\n             ")}`;
}
