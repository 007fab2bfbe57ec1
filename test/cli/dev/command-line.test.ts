// The command line `wrangler dev`, which `threadhold dev` uses if one of its options is an option of wrangler.

import { expect, it } from "vitest";

import { commandLine } from "#cli/dev/command-line.ts";
import type { WranglerProject } from "#cli/doctor/wrangler-package.ts";

const settings = {
  environment: "staging",
  ip: "localhost",
  port: 8787,
  stateFolder: "/state",
  variables: [["A", "1:2"]],
} as const;

function argumentsFor(
  options: { inspect?: boolean; rest?: string[] },
  dev: { inspector_port?: number } = {},
): string[] {
  const project = { file: "/project/wrangler.jsonc", config: { dev } as WranglerProject["config"] };
  return commandLine(settings, project, { inspect: false, rest: [], ...options });
}

it("The command line of wrangler contains the settings of the server, then the other options in their order", () => {
  expect(argumentsFor({ rest: ["--test-scheduled", "--log-level=debug"] }).join(" ")).toBe(
    "dev --config /project/wrangler.jsonc --port 8787 --ip localhost --persist-to /state --show-interactive-dev-session=false " +
      "--inspector-port 0 --env staging --var A:1:2 --test-scheduled --log-level=debug",
  );
});

it.each([
  ["the option --inspect", argumentsFor({ inspect: true })],
  ["a port among the options", argumentsFor({ rest: ["--inspector-port=9230"] }).slice(0, -1)],
  ["a port in the configuration", argumentsFor({ rest: ["--test-scheduled"] }, { inspector_port: 9230 })],
])("The system chooses the port of the inspector, except with %s", (_name, args) => {
  expect(args.filter((one) => one.startsWith("--inspector-port"))).toEqual([]);
});
