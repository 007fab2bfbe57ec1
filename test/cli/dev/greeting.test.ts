// What the dev command prints when the server answers.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { likelyPaths, needsOwnPath } from "#cli/dev/find-playground.ts";
import { formatGreeting } from "#cli/dev/greeting.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { packageRoot, writeProject } from "../../compiler/temporary-project.ts";
import { inRepository, toml } from "../wrangler-project.ts";

const url = "http://localhost:8787";

function projectOf(more: string, configuration = toml) {
  const root = writeProject({ "wrangler.toml": `${configuration}${more}`, "page/index.html": "" }, inRepository);
  const project = readWranglerProject(root);
  if (!("wrangler" in project)) throw new Error(project.detail);
  return project;
}

function greet(
  more: string,
  { configuration = toml, ...running }: Partial<Parameters<typeof formatGreeting>[0]> & { configuration?: string } = {},
): string {
  const project = projectOf(more, configuration);
  const stateFolder = join(project.root, ".wrangler/state");
  return formatGreeting({
    url,
    project,
    stateFolder,
    isMounted: false,
    found: undefined,
    isExpected: false,
    ...running,
  });
}

const page = '[assets]\ndirectory = "page"\n';

it.each([
  [
    "the playground of the package",
    '[assets]\ndirectory = "../../../dist/ui"\n',
    { playground: url, api: `${url}/api` },
    `  playground  ${url}\n  API         ${url}/api; its description: ${url}/docs\n`,
  ],
  ["a page of the project", page, undefined, `  page        ${url}\n  API         ${url}/api\n`],
  [
    "a page of the project and the playground next to it",
    page,
    { playground: `${url}/studio`, api: `${url}/api` },
    `  page        ${url}\n  playground  ${url}/studio\n  API         ${url}/api; its description: ${url}/studio/docs\n`,
  ],
])("The greeting of the dev command names %s", (_name, configuration, found, expected) => {
  expect(greet(configuration, { found })).toContain(expected);
});

it("The greeting of the dev command says what to do if the playground next to a page of the project is not served", () => {
  expect(greet(page, { isExpected: true })).toContain(
    `  page        ${url}\n  playground  not served; \`npx threadhold doctor\` says what is missing\n`,
  );
});

it("The greeting of the dev command names the playground and the API of a Worker that mounts them", () => {
  const found = { playground: `${url}/agents/studio`, api: `${url}/agents/api` };
  expect(greet("", { isMounted: true, found })).toContain(
    `  Worker      ${url}\n  playground  ${url}/agents/studio\n  API         ${url}/agents/api; its description: ${url}/agents/studio/docs\n`,
  );
  expect(greet("", { isMounted: true })).toContain("<path>/studio\n");
});

it.each([
  ['createThreadhold(registry, { prefix: "/help/", playground: true })', undefined, ["/help/studio", "/studio", ""]],
  [
    "createThreadhold(registry, { prefix: '/help', playground: '/desk' })",
    "/var",
    ["/desk", "/var", "/help/studio", "/studio", ""],
  ],
  ["createThreadhold(registry, options)", "true", ["/studio", ""]],
])("The dev command looks for the playground first where the main module says it is: %s", (main, variable, paths) => {
  const project = projectOf("");
  writeFileSync(join(project.root, "main.ts"), main);
  expect(
    likelyPaths({ ...project, config: { ...project.config, main: join(project.root, "main.ts") } }, variable),
  ).toEqual(paths);
});

it.each([
  ["", true],
  [page, true],
  ['[assets]\ndirectory = "../../../dist/ui"\n', false],
  ['[assets]\ndirectory = "../../../dist/ui"\nbinding = "ASSETS"\nrun_worker_first = ["/*", "!/assets/*"]\n', false],
  ['[assets]\ndirectory = "../../../dist/ui"\nbinding = "ASSETS"\nrun_worker_first = true\n', true],
])(
  "A Worker needs a path of its own for the playground unless its assets are the playground at the root: %j is %j",
  (assets, expected) => {
    expect(needsOwnPath(projectOf(assets), packageRoot)).toBe(expected);
  },
);

it("The greeting of the dev command promises to serve changes only if the build command compiles them", () => {
  expect(greet("", { configuration: toml.replace("threadhold build --auto", "make") })).not.toContain(
    "are served at once",
  );
});

it("The greeting of the dev command names the API and the state folder, and no page if there is none", () => {
  const text = greet("", { stateFolder: "/elsewhere/state" });
  expect(text).toContain(`  API         ${url}/api\n  state       /elsewhere/state\n`);
  expect(text).not.toMatch(/playground|page /);
  expect(text).toContain("Changes under agents/ are served at once. Ctrl-C stops.");
});
