// A copy of this project whose definitions use every source of tools, to measure the largest bundle.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { fromRoot } from "./paths.mjs";

const copied = ["agents", "migrations", "scripts", "src", "package.json"];
const configurations = ["tsconfig.json", "tsconfig.node.json", "tsconfig.test.json", "tsconfig.worker.json"];

const definitions = {
  "agents/mcp/everything_mcp.ts": `import { defineMcpServer } from "threadhold";

export default defineMcpServer({ name: "everything_mcp", url: "https://mcp.example.com/mcp" });
`,
  "agents/openapi/everything_api.ts": `import { defineOpenApi } from "threadhold";

export default defineOpenApi({
  name: "everything_api",
  document: { url: "https://api.example.com/openapi.yaml" },
  baseUrl: "https://api.example.com/v1",
});
`,
  "agents/skills/everything/SKILL.md": "---\nname: everything\ndescription: A skill.\n---\nText.\n",
  "agents/prompts/everything.ts": `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "everything",
  toolDescription: "Uses every source of tools",
  prompt: "Answer.",
  model: "demo",
  skills: true,
  tools: [
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "search",
    "bash",
    "fetch_url",
    "everything_mcp__*",
    "everything_api__*",
  ],
});
`,
};

/**
 * Writes the copy to a new temporary folder. Its build command compiles the definitions.
 *
 * @returns {string} the folder, which the caller removes
 */
export function writeEverythingProject() {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-everything-"));
  for (const name of [...copied, ...configurations])
    cpSync(fromRoot(name), path.join(folder, name), { recursive: true });
  symlinkSync(fromRoot("node_modules"), path.join(folder, "node_modules"));
  mkdirSync(path.join(folder, "dist/ui"), { recursive: true });
  // The bundle does not contain the playground, so the build only compiles the definitions.
  const configuration = readFileSync(fromRoot("wrangler.toml"), "utf8");
  const command = 'command = "node scripts/threadhold.mjs build --auto"';
  writeFileSync(path.join(folder, "wrangler.toml"), configuration.replace(/^command = .*$/m, command));
  for (const [name, text] of Object.entries(definitions)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}
