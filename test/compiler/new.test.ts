// `threadhold new`: its starting files compile; it refuses wrong input.

import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { hookNames } from "#cli/new/starters.ts";
import { compileProject } from "#compiler/compile.ts";

import { runCommand, runInProcess, type CommandResult } from "./command.ts";
import { good, packageRoot, writeFiles, writeProject } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const create = (root: string, ...words: string[]): Promise<CommandResult> =>
  runInProcess(["new", ...words, "--root", root]);

describe("new", () => {
  it("The command new writes a file of each kind, and together they compile without findings", async () => {
    const root = writeProject({});
    for (const [kind, name] of [
      ["model", "quick"],
      ["prompt", "helper"],
      ["agent", "front_desk"],
      ["tool", "echo"],
      ["filter", "short"],
      ["strategy", "draft_first"],
      ["skill", "short-answers"],
      ["api", "health"],
      ["api", "threads/[id]/status.get"],
    ] as const) {
      const result = await create(root, kind, name);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      expect(result.stdout).toMatch(/^wrote agents\/\S+\.(?:ts|md)\n(?:it uses "\w+" of \S+\n)?next: /);
    }
    for (const hook of hookNames) {
      expect(await create(root, "hook", hook)).toMatchObject({ code: 0 });
    }
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    expect(project.prompts[0]?.value.model).toBe("quick");
    expect(project.agents[0]?.value.sideA.prompt).toBe("helper");
    expect(project.routes.map(({ kind }) => kind)).toEqual(["controller", "thread"]);
    expect(project.skills.map(({ name }) => name)).toEqual(["short-answers"]);
    expect(project.filters).toEqual([{ file: "agents/filters/short.ts" }]);
    expect(project.hooks.map(({ hook }) => hook).sort()).toEqual([...hookNames].sort());
  });

  it("The command new refers to the newest prompt and model, not to the first ones in alphabetical order", async () => {
    const root = writeProject({
      ...good,
      "agents/models/a_model.ts": (good["agents/models/fast.ts"] ?? "").replace('"fast"', '"a_model"'),
      "agents/prompts/a_prompt.ts": (good["agents/prompts/support.ts"] ?? "").replace('"support"', '"a_prompt"'),
    });
    const anHourAgo = Date.now() / 1000 - 3600;
    for (const file of [...Object.keys(good), "agents/models/a_model.ts", "agents/prompts/a_prompt.ts"])
      utimesSync(join(root, file), anHourAgo, anHourAgo);
    writeFiles(root, {
      "agents/models/zebra.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "zebra", provider: "openai", model: "gpt" });`,
    });
    expect((await create(root, "prompt", "dice_rules")).stdout).toContain('it uses "zebra" of agents/models/zebra.ts');
    expect((await create(root, "agent", "croupier")).stdout).toContain(
      'it uses "dice_rules" of agents/prompts/dice_rules.ts',
    );
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    expect(project.agents.find(({ name }) => name === "croupier")?.value.sideA.prompt).toBe("dice_rules");
  });

  it("A prompt and an agent that the command new creates with the same name cause no warning", async () => {
    const root = writeProject(good);
    await create(root, "prompt", "mine");
    await create(root, "agent", "mine");
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    expect(project.agents.find(({ name }) => name === "mine")?.value.sideA.prompt).toBe("mine");
  });

  it("If the prompt or model of a new definition is missing, the command new prints the command that creates it", async () => {
    const root = writeProject({});
    const agent = await runCommand(["new", "agent", "desk", "--root", root]);
    expect([agent.code, agent.stdout]).toEqual([0, expect.stringContaining("first: npx threadhold new prompt desk")]);
    expect((await create(root, "prompt", "desk")).stdout).toContain("first: npx threadhold new model default");
  });

  it("The command new refuses to overwrite, a taken name, a bad name, an unknown hook and wrong usage", async () => {
    const root = writeProject(good);
    const refused = async (...words: string[]): Promise<string> => {
      const { code, stderr, stdout } = await create(root, ...words);
      expect([code, stdout]).toEqual([2, ""]);
      return stderr;
    };
    expect(await refused("tool", "search_docs")).toContain("agents/tools/search_docs.ts exists already");
    expect(await refused("agent", "desk")).toContain("exists already");
    expect(readFileSync(join(root, "agents/tools/search_docs.ts"), "utf8")).toBe(good["agents/tools/search_docs.ts"]);
    const renamed = writeProject({ "agents/models/a.ts": good["agents/models/fast.ts"] ?? "" });
    expect((await create(renamed, "model", "fast")).stderr).toContain('agents/models/a.ts has the name "fast" already');
    expect(existsSync(join(renamed, "agents/models/fast.ts"))).toBe(false);
    expect(await refused("tool", "9lives")).toContain("is not a name");
    expect(await refused("tool", "../escape")).toContain("is not a name");
    expect(await refused("api", "../escape")).toContain("is not a route");
    expect(await refused("hook", "filter")).toContain("filter_messages");
    for (const words of [[], ["tool"], ["widget", "x"], ["tool", "a", "b"], ["--nope"]]) {
      expect(await refused(...words)).toContain("--help");
    }
  });
});
