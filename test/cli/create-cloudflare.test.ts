// The files of a project with models of Cloudflare.

import { join } from "node:path";

import { expect, it } from "vitest";

import { projectFiles } from "../../packages/create-threadhold/src/project-files.ts";
import { packageRoot } from "../compiler/temporary-project.ts";

it.each(["blank", "web"] as const)(
  "A project of the template %s with models of Cloudflare has the binding and no key, and names the login and the scripted model",
  (template) => {
    const templatesFolder = join(packageRoot, "packages/create-threadhold/templates");
    const source = {
      templatesFolder,
      name: "shop",
      template,
      values: {},
      threadhold: undefined,
      repository: undefined,
    };
    const files = projectFiles({ ...source, provider: "cloudflare" });
    const read = (file: string): string => String(files.get(file));
    expect(read("agents/models/default.ts")).toContain('provider: "workers-ai"');
    expect(read("wrangler.toml")).toMatch(/^\[ai\]\nbinding = "AI"$/m);
    expect(read(".dev.vars")).not.toMatch(/_KEY=/);
    expect(read("README.md")).toContain("npx wrangler login");
    expect(read("README.md")).toContain('provider: "test"');
  },
);
