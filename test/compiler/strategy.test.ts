// Strategies of a project: their files, the references to them, and the example of the guide.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { transform } from "esbuild";
import { expect, it, vi } from "vitest";

import type { StrategyDecision, StrategyTurn } from "#spec/index.ts";

import { compileWith, onlyFinding, packageRoot } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const file = "agents/strategies/own.ts";
const strategy = (name: string, fields = "next: () => ({ type: 'step' })") =>
  `import { defineStrategy } from "threadhold";\nexport default defineStrategy({ name: "${name}", ${fields} });`;
const agent = (of: string) => ({
  "agents/agents/night.ts": `import { defineAgent } from "threadhold";
export default defineAgent({ name: "night",
  sideA: { prompt: "support", strategy: ${JSON.stringify(of)} } });`,
});

it("An agent may name a strategy of the project, and the build reports an unknown one with the closest name", async () => {
  const known = await compileWith({ [file]: strategy("careful"), ...agent("careful") });
  expect(known.diagnostics).toEqual([]);
  expect(known.project.strategies.map(({ name }) => name)).toEqual(["careful"]);
  expect(await onlyFinding({ [file]: strategy("careful"), ...agent("carefull") })).toMatchObject({
    code: "unknown_strategy",
    file: "agents/agents/night.ts",
    line: 3,
    suggestion: "careful",
  });
  expect(await onlyFinding(agent("raect"))).toMatchObject({ code: "unknown_strategy", suggestion: "react" });
});

it("The build refuses a strategy with the name of a built-in one, and one without its function", async () => {
  expect(await onlyFinding({ [file]: strategy("react") })).toMatchObject({ code: "duplicate_name", file });
  expect(await onlyFinding({ [file]: strategy("careful", "") })).toMatchObject({ severity: "error", file });
});

it("The strategy in the guide on strategies compiles, and writes a draft before the answer", async () => {
  const guide = readFileSync(join(packageRoot, "docs/guide/strategies.md"), "utf8");
  const source = /```ts example\n\/\/ (agents\/strategies\/\S+)\n([\s\S]*?)```/.exec(guide);
  const { diagnostics } = await compileWith({ [source?.[1] ?? ""]: source?.[2] ?? "", ...agent("draft_first") });
  expect(diagnostics).toEqual([]);
  const { code } = await transform(source?.[2] ?? "", { loader: "ts" });
  const alone = code.replace(/import .*\n/, "const defineStrategy = (strategy) => strategy;\n");
  const module = (await import(`data:text/javascript,${encodeURIComponent(alone)}`)) as {
    default: { next: (turn: StrategyTurn<unknown>) => StrategyDecision<unknown> };
  };
  const { next } = module.default;
  const answer = { messageId: "m", text: "Rain.", thinking: null, calls: [], stopReason: "stop", cost: 0 };
  const last = { ...answer, tokens: { input: 1, output: 1 } };
  const env = {} as StrategyTurn<unknown>["env"];
  const draft = next({ last: null, state: null, env });
  expect(draft).toMatchObject({ type: "step", silent: true });
  const improve = next({ last, state: draft.type === "step" ? draft.state : null, env });
  expect(improve).toMatchObject({ type: "step", instruction: "Improve your draft." });
  expect(next({ last, state: improve.type === "step" ? improve.state : null, env })).toEqual({ type: "end" });
});
