// What `threadhold doctor` and `threadhold upgrade` say about the playground next to static assets of the project's own.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { playgroundFindings } from "#cli/doctor/playground-check.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { packageRoot, writeProject } from "../compiler/temporary-project.ts";
import { inRepository, toml } from "./wrangler-project.ts";

function find(assets: string, main?: string) {
  const configuration = main === undefined ? toml : toml.replace(".threadhold/worker.ts", "src/index.ts");
  const files = { "wrangler.toml": `${configuration}${assets}`, "site/index.html": "", "src/index.ts": main ?? "" };
  const root = writeProject(files, inRepository);
  writeFileSync(join(root, ".dev.vars"), "");
  const project = readWranglerProject(root);
  if (!("wrangler" in project)) throw new Error(project.detail);
  return playgroundFindings(project, packageRoot).map(({ status, detail, fix }) =>
    [status, detail, fix ?? ""].join(" "),
  );
}

const site = '[assets]\ndirectory = "site"\n';
const bound = `${site}binding = "ASSETS"\n`;
const mounted = 'createThreadhold(registry, { prefix: "/agents" })';

it.each([
  ["", undefined, []],
  ['[assets]\ndirectory = "../../../dist/ui"\nbinding = "ASSETS"\n', undefined, []],
  [`${site}[vars]\nPLAYGROUND = "false"\n`, undefined, []],
  [bound, "createThreadhold(registry, options)", []],
  [bound, undefined, ["ok at /studio "]],
  [`${bound}run_worker_first = true\n`, mounted, ["ok at /agents/studio "]],
  [`${bound}run_worker_first = ["/agents/*"]\n`, mounted, ["ok at /agents/studio "]],
  [`${bound}run_worker_first = ["/api/*", "/desk/*"]\n[vars]\nPLAYGROUND = "/desk"\n`, undefined, ["ok at /desk "]],
])("Assets %j of a Worker with the main module %j need no change for the playground", (assets, main, findings) => {
  expect(find(assets, main)).toEqual(findings);
});

it.each([
  [site, undefined, 'binding = "ASSETS"'],
  [`${bound}not_found_handling = "single-page-application"\n`, undefined, 'run_worker_first = ["/studio","/studio/*"]'],
  [`${bound}run_worker_first = ["/api/*"]\n`, undefined, 'run_worker_first = ["/api/*","/studio","/studio/*"]'],
  [`${bound}not_found_handling = "404-page"\n`, mounted, "with the paths of your own routes"],
])("A project whose assets %j hide the playground gets the line that serves it", (assets, main, line) => {
  const [finding = "", ...others] = find(assets, main);
  expect(others).toEqual([]);
  expect(finding).toMatch(/^warning /);
  expect(finding).toContain(line);
});
