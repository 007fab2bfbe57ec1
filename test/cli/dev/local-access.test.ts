// When the dev command opens a server to this machine without credentials.

import { join } from "node:path";

import { expect, it } from "vitest";

import { opensLoopback } from "#cli/dev/local-access.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { writeProject, type Files } from "../../compiler/temporary-project.ts";
import { inRepository, toml } from "../wrangler-project.ts";

interface Start {
  ip?: string;
  variables?: [name: string, value: string][];
  environment?: string;
}

function opens(files: Files, { ip = "localhost", variables = [], environment }: Start = {}): boolean {
  const root = writeProject({ "wrangler.toml": toml, ...files }, inRepository);
  const project = readWranglerProject(root, { file: join(root, "wrangler.toml"), environment });
  if (!("wrangler" in project)) throw new Error(project.detail);
  return opensLoopback(project, { ip, variables });
}

const noVariables: Files = {};

it.each(["localhost", "127.0.0.1", "127.1.2.3", "::1"])(
  "AUTH21 The dev command accepts all callers of this machine on a server at %s if no variable decides who may call",
  (ip) => {
    expect(opens(noVariables, { ip })).toBe(true);
    expect(opens({ ".env": "OPENAI_API_KEY=key\n" }, { ip, variables: [["LIMIT_ACTIVE_RUNS", "3"]] })).toBe(true);
  },
);

it.each(["0.0.0.0", "::", "*", "192.168.1.2", "127.example.org"])(
  "AUTH21 The dev command does not accept all callers on a server at %s, which other machines may reach",
  (ip) => {
    expect(opens(noVariables, { ip })).toBe(false);
  },
);

it.each<[string, Files, Start]>([
  ["a file .dev.vars", { ".dev.vars": "OPENAI_API_KEY=key\n" }, {}],
  ["a file .dev.vars of the environment", { ".dev.vars.staging": "" }, { environment: "staging" }],
  ["a token in .env", { ".env": "API_TOKENS=secret=anna\n" }, {}],
  ["a decision in .env.local", { ".env.local": "OPEN_LOOPBACK=false\n" }, {}],
  ["a variable of the configuration", { "wrangler.toml": `${toml}[vars]\nJWKS_URL = "https://login.example"\n` }, {}],
  ["an option", noVariables, { variables: [["OPEN_LOOPBACK", ""]] }],
])("AUTH21 The dev command does not change who may call if that is decided by %s", (_name, files, start) => {
  expect(opens({ ...files, ...(start.environment && { "wrangler.toml": `${toml}[env.staging]\n` }) }, start)).toBe(
    false,
  );
});
