// The settings that the compiler reads from a wrangler configuration.

import { describe, expect, it } from "vitest";

import { readWranglerSettings } from "#compiler/wrangler-settings.ts";

import { writeProject } from "./temporary-project.ts";

const read = (name: string, text: string) => readWranglerSettings(writeProject({ [name]: text }));

describe("the settings of a wrangler configuration", () => {
  it.each([
    [
      "wrangler.toml",
      `name = 'app' # compatibility_date = "2020-01-01"
compatibility_date = '2026-04-01'
compatibility_flags = [
  'nodejs_compat', # a comment with ] in it
  "enable_request_signal",
]
[[rules]]
type = "Text"
globs = ['**/*.sql', "**/*.md"]
[env.old]
compatibility_date = "2020-01-01"`,
    ],
    [
      "wrangler.jsonc",
      `{ /* "compatibility_date": "2020-01-01", */ "env": { "old": { "compatibility_date": "2020-01-01" } },
  "compatibility_date": "2026-04-01", "compatibility_flags": ["nodejs_compat", "enable_request_signal"],
  "rules": [{ "type": "Text", "globs": ["**/*.sql", "**/*.md"] },] }`,
    ],
  ])("The compiler reads the settings at the top level of %s, and ignores comments and environments", (name, text) => {
    expect(read(name, text)).toEqual({
      compatibilityDate: "2026-04-01",
      compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
      moduleExtensions: [".sql", ".md"],
    });
  });

  it("A project without a configuration, or with one that cannot be parsed, gets the settings of this package", () => {
    const own = { compatibilityDate: "2026-08-03", compatibilityFlags: ["nodejs_compat"], moduleExtensions: [] };
    expect([readWranglerSettings(writeProject({})), read("wrangler.toml", "name = ")]).toEqual([own, own]);
  });
});
