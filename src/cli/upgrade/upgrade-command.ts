// `threadhold upgrade`: shows what changed between the version of the package that compiled the project before and the installed one, and
// what a person has to do: the findings of the project's configuration, each with its fix. It changes nothing.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "commander";

import { packageVersion, readPackageVersions } from "#compiler/package-version.ts";

import { CommandError, projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { nodeFinding } from "../doctor/doctor-command.ts";
import { formatFinding, isError, type Finding } from "../doctor/finding.ts";
import { playgroundFindings } from "../doctor/playground-check.ts";
import { wranglerFindings } from "../doctor/wrangler-checks.ts";
import { readWranglerProject } from "../doctor/wrangler-package.ts";
import { compareVersions, isVersion, sectionsBetween, type ChangelogSection } from "./changelog.ts";

interface UpgradeOptions {
  root: string;
  from?: string;
  json?: boolean;
}

/** The two versions of the package, and what an upgrade between them requires. */
interface Upgrade {
  from: string;
  to: string;
  changes: ChangelogSection[];
  /** What is missing in the project. */
  findings: Finding[];
}

export function addUpgradeCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("upgrade")
    .description(
      "Show what changed since the version of the package that compiled the project before, and what is left to do.\n" +
        "Run it after threadhold and @threadhold/cli were installed in a newer version. It changes nothing. Errors end the command with exit code 1.",
    )
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--from <version>", "the version to compare with")
    .option("--json", "print the result as one line of JSON")
    .action((options: UpgradeOptions) => {
      const upgrade = examineUpgrade(projectFolder(context, options.root), options.from, context.packageRoot);
      context.print(options.json === true ? JSON.stringify(upgrade) : formatUpgrade(upgrade));
      end(upgrade.findings.some(isError) ? 1 : 0);
    });
}

function examineUpgrade(root: string, given: string | undefined, packageRoot: string): Upgrade {
  const to = packageVersion(packageRoot);
  const from = given ?? earlierVersion(root, to);
  if (!isVersion(from)) throw new CommandError(`${from} is no version; give --from a version such as 0.1.0.`);
  if (compareVersions(from, to) > 0) {
    throw new CommandError(
      `The installed version ${to} is older than ${from}; docs/upgrading.md of the package explains how to go back.`,
    );
  }
  const changelog = readFileSync(join(packageRoot, "CHANGELOG.md"), "utf8");
  const project = readWranglerProject(root);
  const findings = [
    nodeFinding(process.versions.node),
    ...wranglerFindings(root, project),
    ...("wrangler" in project ? playgroundFindings(project, packageRoot) : []),
  ];
  return {
    from,
    to,
    changes: sectionsBetween(changelog, { from, to }),
    findings: findings.filter(({ status }) => status !== "ok"),
  };
}

/** The version that compiled the project before the installed one; the installed one if there was no other. */
function earlierVersion(root: string, installed: string): string {
  const versions = readPackageVersions(root);
  if (versions === null) {
    throw new CommandError(
      "The project was not compiled in this folder, so its earlier version is unknown; give --from <version>.",
    );
  }
  return versions.current === installed ? (versions.previous ?? installed) : versions.current;
}

function formatUpgrade({ from, to, changes, findings }: Upgrade): string {
  const changed = changes.map(({ text }) => text).join("\n\n");
  const nothing = from === to ? "" : `CHANGELOG.md has no section between them.`;
  return [
    from === to ? `Version ${to} is installed and compiled the project before.` : `From version ${from} to ${to}.`,
    ...(changes.length === 0 ? (nothing === "" ? [] : [nothing]) : [`\n${changed}\n`]),
    ...(findings.length === 0 ? ["The configuration of the project needs no change."] : findings.map(formatFinding)),
    "Next: npx threadhold check, npm test, and npx threadhold deploy, which applies the catalog's migrations before it replaces the Worker.",
    "docs/upgrading.md of the package says what each version keeps, and how to go back.",
  ].join("\n");
}
