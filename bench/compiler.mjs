// Measures the compiler: `threadhold build` over 1,000 generated definitions and over this project's own. The first run bundles
// the compiler and is not counted.
//
//   npm run bench -- compiler [--count 1000] [--runs 5]

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { report } from "./support/report.mjs";

const { values } = parseArgs({
  options: { count: { type: "string", default: "1000" }, runs: { type: "string", default: "5" } },
});
const count = Number(values.count);
const runs = Number(values.runs);
/** The most milliseconds for this project's definitions, and for a thousand. */
const allowed = { own: 300, generated: 3000 };
const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "threadhold-bench-"));

/** A tenth models, a tenth agents, three tenths prompts, the rest tools. Every prompt lists two tools. */
function writeDefinitions() {
  const models = Math.max(1, Math.floor(count / 10));
  const agents = Math.max(1, Math.floor(count / 10));
  const prompts = Math.max(1, Math.floor((count * 3) / 10));
  const tools = Math.max(1, count - models - agents - prompts);
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const each = (total, make) => Array.from({ length: total }, (_, index) => make(index));
  each(models, (n) =>
    write(
      `agents/models/model_${n}.ts`,
      `import { defineModel } from "threadhold";
export default defineModel({ name: "model_${n}", provider: "test", model: "x", inputPrice: ${n}, script: [] });
`,
    ),
  );
  each(tools, (n) =>
    write(
      `agents/tools/tool_${n}.ts`,
      `import { defineTool } from "threadhold";
import { z } from "zod";
const args = z.object({ query: z.string().describe("What to look for"), limit: z.number().int().optional(),
  filters: z.array(z.object({ field: z.string(), value: z.union([z.string(), z.number()]) })).optional() });
export default defineTool("Tool number ${n}", args, async (_state, { query }) => ({ status: "success", result: query }));
`,
    ),
  );
  each(prompts, (n) =>
    write(
      `agents/prompts/prompt_${n}.ts`,
      `import { definePrompt } from "threadhold";
export default definePrompt({ name: "prompt_${n}", toolDescription: "Prompt ${n}", model: "model_${n % models}",
  prompt: ${n === 0 ? '"Start."' : `[{ type: "include", prompt: "prompt_${n - 1}" }, { type: "text", content: "More." }]`},
  tools: ["tool_${n % tools}", "tool_${(n * 7) % tools}"] });
`,
    ),
  );
  each(agents, (n) =>
    write(
      `agents/agents/agent_${n}.ts`,
      `import { defineAgent } from "threadhold";
export default defineAgent({ name: "agent_${n}", sideA: { prompt: "prompt_${n % prompts}", maxSteps: 10 } });
`,
    ),
  );
}

function compileOnce(folder) {
  const begun = performance.now();
  const run = spawnSync(process.execPath, [
    join(packageRoot, "scripts/threadhold.mjs"),
    "build",
    "--json",
    "--root",
    folder,
  ]);
  const milliseconds = performance.now() - begun;
  const result = JSON.parse(run.stdout.toString("utf8"));
  if (!result.ok) throw new Error(`the build failed: ${JSON.stringify(result.diagnostics.slice(0, 3))}`);
  return { milliseconds, files: result.files };
}

function measure(folder) {
  const first = compileOnce(folder);
  const times = Array.from({ length: runs }, () => compileOnce(folder).milliseconds).toSorted((a, b) => a - b);
  const round = (value) => Math.round(value ?? 0);
  return {
    definitions: first.files,
    first_ms: round(first.milliseconds),
    median_ms: round(times[Math.floor(times.length / 2)]),
    max_ms: round(times.at(-1)),
  };
}

try {
  writeDefinitions();
  // Bundle the compiler outside the measurement.
  spawnSync(process.execPath, [join(packageRoot, "scripts/threadhold.mjs"), "build", "--json", "--root", root]);
  rmSync(join(root, ".cache"), { recursive: true, force: true });
  rmSync(join(root, ".threadhold"), { recursive: true, force: true });
  const generated = measure(root);
  const own = measure(packageRoot);
  const row = (name, { definitions, first_ms, median_ms, max_ms }) => ({
    what: `compile ${definitions} ${name}, whole process`,
    measured: median_ms,
    unit: "ms",
    limit: allowed[name === "definitions" ? "generated" : "own"],
    runs,
    comparison: `first ${first_ms} ms, at most ${max_ms} ms`,
  });
  process.exitCode = report("compiler", [row("definitions", generated), row("definitions of this project", own)]);
} finally {
  rmSync(root, { recursive: true, force: true });
}
