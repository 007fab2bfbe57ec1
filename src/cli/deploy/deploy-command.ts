// `threadhold deploy`: checks a project, prepares its database and its secrets, and deploys its Worker with wrangler. Everything that can
// be checked is checked before the first change. Migrations are applied before the Worker is deployed, so the old Worker still serves after
// a failed migration.

import type { Command } from "commander";

import { CommandError, projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { createReport } from "./deploy-report.ts";
import { deploy } from "./deploy-steps.ts";
import { dryRun } from "./dry-run.ts";
import { assertKnownSecrets } from "./needed-secrets.ts";
import { prepare } from "./preparation.ts";

interface DeployOptions {
  root: string;
  env?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
  secretsFile?: string;
  secretsFromEnv?: boolean;
  useDatabase?: string;
  without: string[];
}

/** Names of arguments that are refused, because they would apply only to the step of wrangler, and what to do instead. */
const refused: readonly [pattern: RegExp, instead: string][] = [
  [/^(?:--env$|--e$|-e)/, "give --env before the --"],
  [/^--dry-run$/, "give --dry-run before the --"],
  [/^--secrets-file$/, "give --secrets-file before the --"],
  [/^--name$/, "set name in the wrangler configuration"],
  [/^(?:--(?:config|cwd|c)$|-c)/, "give --root before the --"],
  [/^--(?:env-file|dispatch-namespace)$/, "use npx wrangler deploy by itself"],
];

export function addDeployCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("deploy")
    .description(
      "Check the project, create and migrate the catalog's database, set the secrets that are missing, and deploy the Worker.\n" +
        "The project's wrangler does the work; it needs CLOUDFLARE_API_TOKEN, or npx wrangler login.",
    )
    .argument("[arguments...]", "after --: arguments for wrangler deploy")
    .option("--root <folder>", "the folder that contains agents/ and the wrangler configuration", ".")
    .option(
      "--env <name>",
      'a named environment of the wrangler configuration (default: CLOUDFLARE_ENV; "" is its root)',
    )
    .option("--secrets-file <file>", "secrets to set if the Worker does not have them, as JSON or lines NAME=value")
    .option(
      "--without <name>",
      "leave a missing secret out; may be repeated",
      (name, names) => [...names, name],
      [] as string[],
    )
    .option("--secrets-from-env", "take missing secrets from the environment variables of their names")
    .option(
      "--use-database <id>",
      "use this D1 database of the configured name although it has tables of another program",
    )
    .option("--dry-run", "print what would be done, without an account and without a network")
    .option("--yes", "ask nothing: create a missing database, and end with an error if a secret is missing")
    .option("--json", "print the steps as one line of JSON")
    .action(async (further: string[], options: DeployOptions) => end(await run(options, further, context)));
}

async function run(options: DeployOptions, further: readonly string[], context: CliContext): Promise<ExitCode> {
  const report = createReport(context, options.json === true);
  try {
    checkArguments(further);
    const root = projectFolder(context, options.root);
    const environment = options.env ?? context.env["CLOUDFLARE_ENV"] ?? undefined;
    const preparation = await prepare({ root, environment, secretsFile: options.secretsFile, context, report });
    if (preparation === null) {
      report.end(1);
      return 1;
    }
    const terminal = options.yes === true || options.json === true ? undefined : context.terminal;
    const { yes = false, without, useDatabase, secretsFromEnv = false } = options;
    assertKnownSecrets(without, preparation);
    const settings = { ...preparation, terminal, yes, without, useDatabase, secretsFromEnv, further, context, report };
    const code = options.dryRun === true ? await dryRun(settings) : await deploy(settings);
    report.end(code);
    return code;
  } catch (error) {
    // A program that reads the report gets one after every error.
    if (!(error instanceof CommandError) && options.json !== true) throw error;
    const code = error instanceof CommandError ? error.code : 2;
    report.end(code, error instanceof Error ? error.message : String(error));
    return code;
  }
}

function checkArguments(further: readonly string[]): void {
  const [first] = further;
  if (first !== undefined && !first.startsWith("-")) {
    throw new CommandError(`${first} is no argument of deploy; arguments of wrangler deploy follow --.`);
  }
  for (const argument of further) {
    // Wrangler also takes --dryRun for --dry-run.
    const [option = ""] = argument.split("=", 1);
    const name = option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const [, instead] = refused.find(([pattern]) => pattern.test(name)) ?? [];
    if (instead !== undefined) {
      throw new CommandError(`${argument} would apply to one step of the deploy alone; ${instead}.`);
    }
  }
}
