// Definitions outside of the folders of definitions: the build names them, so that none is missing without a word.

import { describe, expect, it, vi } from "vitest";

import { compileWith, good, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const tool = good["agents/tools/search_docs.ts"] ?? "";
const prompt = (good["agents/prompts/support.ts"] ?? "").replace('"support"', '"other"');

describe("definitions outside of the known folders", () => {
  it.each([
    ["agents/tool/find_it.ts", tool, "agents/tools/find_it.ts", "agents/tool/ is no folder of tools"],
    ["agents/Tools/deep/find_it.ts", tool, "agents/tools/deep/find_it.ts", "agents/Tools/ is no folder of tools"],
    ["agents/promts/other.ts", prompt, "agents/prompts/other.ts", "agents/promts/ is no folder of prompts"],
    [
      "agents/promts/other.js",
      `export default { name: "other", prompt: "Hi", toolDescription: "x", model: "fast" };`,
      "agents/prompts/other.js",
      "agents/promts/ is no folder of prompts",
    ],
    ["agents/lib/find_it.ts", tool, "agents/tools/find_it.ts", "agents/lib/ is no folder of tools"],
    ["agents/find_it.ts", tool, "agents/tools/find_it.ts", "agents/ itself has no definitions"],
    ["agents/tools/find_it.tsx", tool, "agents/tools/find_it.ts", "definitions have the extensions .ts, .js and .mjs"],
    [
      "agents/hook/h.ts",
      `import { defineHook } from "threadhold";\nconst hook = defineHook("after_create_message", async () => {});\nexport { hook as default };`,
      "agents/hooks/h.ts",
      "agents/hook/ is no folder of hooks",
    ],
    [
      "agents/endpoints/e.ts",
      `import * as threadhold from "threadhold";\nexport default threadhold.defineController(() => new Response(""));`,
      "agents/api/e.ts",
      "agents/endpoints/ is no folder of endpoints",
    ],
  ])("A definition in %s is a warning with the path where it belongs", async (file, text, target, reason) => {
    expect(await onlyFinding({ [file]: text })).toMatchObject({
      severity: "warning",
      code: "misplaced",
      file,
      suggestion: target,
      message: expect.stringContaining(`${reason}`),
    });
  });

  it("Files of helpers, tests, skills and files with a leading underscore have no finding", async () => {
    const { diagnostics } = await compileWith({
      "agents/lib/words.ts": "export default [];\nexport const words = 1;",
      "agents/lib/page.tsx": "export const page = 1;",
      "agents/_tool/find.ts": tool,
      "agents/tools/_helper.ts": tool,
      "agents/tools/find.test.ts": tool,
      "agents/tool/types.d.ts": "export default class Tool {}",
      "agents/tool/helper.ts": "export const helper = 1;",
      "agents/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF files\n---\nRead.",
      "agents/skills/pdf/run.ts": "export default 1;",
      "agents/readme.md": "Words",
    });
    expect(diagnostics).toEqual([]);
  });

  it("An unknown name that a misplaced definition has names its file, and a project with only misplaced definitions names them too", async () => {
    const { diagnostics } = await compileWith({
      "agents/tool/find_it.ts": tool,
      "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace('"search_docs"', '"find_it"'),
    });
    expect(diagnostics).toMatchObject([
      {
        severity: "error",
        code: "unknown_tool",
        notes: ["agents/tool/find_it.ts defines it and is not compiled: move it to agents/tools/find_it.ts"],
      },
      { severity: "warning", code: "misplaced", file: "agents/tool/find_it.ts" },
    ]);
  });
});
