// What the dev command prints when the server answers.

import { join } from "node:path";

import { expect, it } from "vitest";

import { formatGreeting } from "#cli/dev/greeting.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { writeProject } from "../../compiler/temporary-project.ts";
import { inRepository, toml } from "../wrangler-project.ts";

const url = "http://localhost:8787";

function greet(more: string, state?: string, configuration = toml): string {
  const root = writeProject({ "wrangler.toml": `${configuration}${more}`, "page/index.html": "" }, inRepository);
  const project = readWranglerProject(root);
  if (!("wrangler" in project)) throw new Error(project.detail);
  return formatGreeting({ url, project, stateFolder: state ?? join(root, ".wrangler/state"), isMounted: false });
}

it.each([
  ["the playground of the package", '[assets]\ndirectory = "../../../dist/ui"\n', `  playground  ${url}\n`],
  ["a page of the project", '[assets]\ndirectory = "page"\n', `  page        ${url}\n`],
])("The greeting of the dev command names %s", (_name, configuration, expected) => {
  expect(greet(configuration)).toContain(expected);
});

it("The greeting of the dev command promises to serve changes only if the build command compiles them", () => {
  expect(greet("", undefined, toml.replace("threadhold build --auto", "make"))).not.toContain("are served at once");
});

it("The greeting of the dev command names the API and the state folder, and no page if there is none", () => {
  const text = greet("", "/elsewhere/state");
  expect(text).toContain(`  API         ${url}/api; its description: ${url}/docs\n  state       /elsewhere/state\n`);
  expect(text).not.toMatch(/playground|page /);
  expect(text).toContain("Changes under agents/ are served at once. Ctrl-C stops.");
});
