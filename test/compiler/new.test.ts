// `threadhold new`: its starting files compile; it refuses wrong input.

import { existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { chooseModel } from "#cli/new/catalogue-model.ts";
import { hookNames } from "#cli/new/starters.ts";
import { compileProject } from "#compiler/compile.ts";

import { runCommand, runInProcess, type CommandResult } from "./command.ts";
import { good, packageRoot, writeFiles, writeProject } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const create = (root: string, ...words: string[]): Promise<CommandResult> =>
  runInProcess(["new", ...words, "--root", root]);

describe("new", () => {
  it.each([
    ["azure", "gpt-5.4", "AZURE_API_KEY and AZURE_RESOURCE_NAME"],
    ["vertex", "gemini-3.5-flash", "GOOGLE_VERTEX_API_KEY"],
    ["bedrock", "eu.anthropic.claude-sonnet-5", "AWS_BEARER_TOKEN_BEDROCK and AWS_REGION"],
  ])("CATALOGUE8 The command new writes a model of the cloud %s", async (provider, id, names) => {
    const root = writeProject({});
    const { code, stdout } = await create(root, "model", "cloudy", "--provider", provider, "--model", id);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`It needs ${names}`)]);
    const { project } = await compileProject(root, packageRoot);
    expect(project.models.map(({ value }) => value)).toEqual([{ name: "cloudy", provider, model: id }]);
  });

  it("CATALOGUE8 The command new writes a model of the catalogue from --provider and --model, and prints its window and prices", async () => {
    const root = writeProject({});
    const { code, stdout } = await create(root, "model", "grok", "--provider", "xai", "--model", "grok-4.3");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "By the catalogue (github.com, 2026-07-02) it has a window of 1,000,000 tokens and $1.25 for a million tokens of input and $2.5 of output.",
    );
    expect(stdout).toContain("It needs XAI_API_KEY");
    expect(await create(root, "model", "fresh", "--provider", "openai", "--model", "gpt-5.9")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The catalogue has no model "gpt-5.9" of openai. Write its prices'),
    });
    const bound = await create(root, "model", "edge", "--provider", "workers-ai", "--model", "@cf/a/b");
    expect(bound.stdout).toContain("It is reached by the binding AI: npx threadhold init adds it");
    expect(bound.stdout).not.toContain("It needs");
    rmSync(join(root, "agents/models/edge.ts"));
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    expect(project.models.map(({ value }) => value)).toEqual([
      { name: "fresh", provider: "openai", model: "gpt-5.9" },
      { name: "grok", provider: "openai-compatible", preset: "xai", model: "grok-4.3" },
    ]);
  });

  it.each([
    [
      ["--provider", "anthropic", "--model", "claude-sonet-5"],
      /no model "claude-sonet-5" of anthropic\. Close ids are claude-sonnet-5, /,
    ],
    [
      ["--provider", "antropic", "--model", "m"],
      /There is no provider "antropic"\. Did you mean "anthropic"\? Use one of openai, /,
    ],
    [["--provider", "openai"], /Give both --provider and --model, or neither/],
    [["--model", "gpt-5"], /Give both --provider and --model, or neither/],
  ] as const)(
    "CATALOGUE8 The command new refuses the flags %j of a model with a sentence, and writes no file",
    async (flags, sentence) => {
      const root = writeProject(good);
      const { code, stderr } = await create(root, "model", "other", ...flags);
      expect(code).toBe(2);
      expect(stderr).toMatch(sentence);
      expect(existsSync(join(root, "agents/models/other.ts"))).toBe(false);
    },
  );

  it("The command new refuses --model for another kind than a model", async () => {
    const { code, stderr } = await create(writeProject(good), "tool", "other", "--model", "gpt-5");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--provider and --model are for models")]);
  });

  describe("chooseModel", () => {
    /** A terminal with these answers, and the questions that it was asked. */
    function terminalWith(...answers: string[]) {
      const requested: string[] = [];
      const ask = (question: string): Promise<string> => {
        requested.push(question);
        return Promise.resolve(answers.shift() ?? "");
      };
      return { requested, terminal: { ask, askHidden: ask } };
    }

    it("CATALOGUE8 A person searches the catalogue by a part of an id until one model is found", async () => {
      const { requested, terminal } = terminalWith("anthropic", "sonet", "sonnet-4-", "sonnet-4-6");
      const model = await chooseModel("m", {}, terminal);
      expect(model?.text).toContain('provider: "anthropic",\n  model: "claude-sonnet-4-6",');
      expect(requested[0]).toContain("moonshot");
      expect(requested[2]).toContain('The catalogue has no "sonet".');
      expect(requested[3]).toContain("  claude-sonnet-4-5\n");
    });

    it("CATALOGUE8 A person may use an id that the catalogue does not have by entering it again, and scripted answers by entering no provider", async () => {
      const { terminal } = terminalWith("openai", "my-fine-tune", "my-fine-tune");
      expect((await chooseModel("m", {}, terminal))?.text).toContain('model: "my-fine-tune"');
      expect(await chooseModel("m", {}, terminalWith("").terminal)).toBeNull();
      expect(await chooseModel("m", {}, undefined)).toBeNull();
      await expect(chooseModel("m", {}, terminalWith("openai", "").terminal)).rejects.toThrow("No model was chosen");
    });

    it("CATALOGUE8 A server without a table is asked for an id alone", async () => {
      const { requested, terminal } = terminalWith("ollama", "qwen3:8b");
      expect((await chooseModel("m", {}, terminal))?.text).toContain('preset: "ollama",\n  model: "qwen3:8b"');
      expect(requested[1]).toBe("Id of the model: ");
    });
  });

  it("The command new writes a file of each kind, and together they compile without findings", async () => {
    const root = writeProject({});
    for (const [kind, name] of [
      ["model", "quick"],
      ["provider", "my_server"],
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
    expect(project.providers.map(({ name }) => name)).toEqual(["my_server"]);
    expect(project.prompts[0]?.value.model).toBe("quick");
    expect(project.agents[0]?.value.sideA.prompt).toBe("helper");
    expect(project.routes.map(({ kind }) => kind)).toEqual(["controller", "thread"]);
    expect(project.skills.map(({ name }) => name)).toEqual(["short-answers"]);
    expect(project.filters).toEqual([{ file: "agents/filters/short.ts" }]);
    expect(project.hooks.map(({ hook }) => hook).sort()).toEqual([...hookNames].sort());
  });

  it("The command new writes a model of a provider of the project, and lists these providers with the others", async () => {
    const root = writeProject(good);
    await create(root, "provider", "my_server");
    const made = await create(root, "model", "own", "--provider", "my_server", "--model", "m-1");
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The catalogue has no model "m-1" of my_server'),
    });
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    expect(project.models.find(({ name }) => name === "own")?.value).toMatchObject({
      provider: "my_server",
      model: "m-1",
    });
    expect(made.stdout).toContain("It needs MY_SERVER_KEY: put it into .dev.vars.");
    expect(readFileSync(join(root, "agents/models/own.ts"), "utf8")).toContain("It needs MY_SERVER_KEY.");
    const wrong = await create(root, "model", "other", "--provider", "my_servr", "--model", "m-1");
    expect(wrong.stderr).toContain('There is no provider "my_servr". Did you mean "my_server"?');
  });

  it("The command new prefers a provider of the project to the preset with its name", async () => {
    const root = writeProject({
      ...good,
      "agents/providers/groq.ts": `export default { name: "groq", stream: async function* () {} };`,
    });
    expect(await create(root, "model", "own", "--provider", "groq", "--model", "m-1")).toMatchObject({ code: 0 });
    const { diagnostics, project } = await compileProject(root, packageRoot);
    expect(diagnostics).toEqual([]);
    const own = project.models.find(({ name }) => name === "own")?.value;
    expect(own).toMatchObject({ provider: "groq", model: "m-1" });
    expect(own).not.toHaveProperty("preset");
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
