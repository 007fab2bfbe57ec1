// `threadhold deploy --dry-run`: reports what a deploy would do and bundles the Worker. It needs no account and sends no request.

import { basename, relative } from "node:path";

import type { ExitCode } from "../context.ts";
import { boundVariables } from "../doctor/ai-binding-check.ts";
import { isRealId } from "./catalog-database.ts";
import type { DeploySettings } from "./deploy-steps.ts";
import { neededSecrets } from "./needed-secrets.ts";
import { migrationNames } from "./remote-migrations.ts";
import { wranglerFailure } from "./wrangler-run.ts";

/** Reports the steps of a deploy and bundles the Worker. */
export async function dryRun(settings: DeploySettings): Promise<ExitCode> {
  const { project, database, migrations, models, usesOAuth, generatedMain, without } = settings;
  const { secretsFile, worker, further, run, report } = settings;
  const { name, id } = database;
  const file = basename(project.file);
  const names = migrationNames(migrations);
  const byName = `would look for the D1 database ${name}, create it if it is missing, and write its id to ${file}`;
  report.step("catalog", isRealId(id) ? `would use the D1 database ${name} (${String(id)})` : byName);
  report.step("migrations", `would apply what is pending of ${names.join(", ")}`, { migrations: names });
  const present = new Set([...Object.keys(project.config.vars), ...Object.keys(secretsFile)]);
  const needed = neededSecrets({
    models,
    usesOAuth,
    present,
    bound: boundVariables(project.config),
    generatedMain,
    without,
  }).map((secret) => secret.name);
  const given = Object.keys(secretsFile);
  const all = [...given, ...needed];
  report.step("secrets", all.length === 0 ? "none is needed" : `would set what is missing of ${all.join(", ")}`, {
    needed: all,
  });
  const result = await run(["deploy", "--dry-run", ...further], { env: { WRANGLER_SEND_METRICS: "false" } });
  if (result.code !== 0) throw wranglerFailure("deploy --dry-run", result);
  const size = /Total Upload: (.*)/.exec(result.stdout)?.[1] ?? "bundled";
  report.step("worker", `would deploy ${worker} from ${relative(project.root, project.config.main ?? "")} (${size})`);
  return 0;
}
