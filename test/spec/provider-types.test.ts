// The types of a project's providers: their names in models, and what a provider may be.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { runInProcess } from "../compiler/command.ts";
import { good, writeProject } from "../compiler/temporary-project.ts";
import { typeCheck } from "./typed-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const provider = {
  "agents/providers/my_server.ts": `import { createAnthropic } from "@ai-sdk/anthropic";
import { defineProvider } from "threadhold";
export default defineProvider({
  name: "my_server",
  variables: ["MY_KEY"],
  model: (modelId, { env, fetch }) => createAnthropic({ apiKey: env.MY_KEY, fetch })(modelId),
});`,
};

const model = (name: string): Record<string, string> => ({
  "agents/models/own.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "own", provider: "${name}", model: "m-1" });`,
});

async function generated(files: Record<string, string>): Promise<Record<string, string>> {
  const root = writeProject({ ...good, ...files });
  expect(await runInProcess(["build", "--root", root])).toMatchObject({ code: 0 });
  const names = ["names.d.ts", "env.d.ts", "registry.ts", "diagnostics.ts"].map((name) => `.threadhold/${name}`);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

it("PROVIDER1 A model may name a provider of the project, whose variables have types, and a misspelt name is a type error", async () => {
  // The bundle of a temporary project has no package of the AI SDK.
  const plain = {
    "agents/providers/my_server.ts": `export default { name: "my_server", variables: ["MY_KEY"], stream: async function* () {} };`,
  };
  const files = await generated({ ...plain, ...model("my_server") });
  expect(await typeCheck({ ...good, ...files, ...provider, ...model("my_server") })).toEqual([]);
  expect(await typeCheck({ ...good, ...files, ...provider, ...model("my_servr") })).toEqual([
    expect.stringMatching(/^agents\/models\/own\.ts\(2,\d+\): error TS2820: .* Did you mean '"my_server"'\?$/),
  ]);
});

it("Without providers of the project, only the built-in names are accepted", async () => {
  expect(await typeCheck({ ...good, ...model("my_server") })).toEqual([
    expect.stringMatching(/^agents\/models\/own\.ts\(2,\d+\): error TS2322: Type '"my_server"' is not assignable/),
  ]);
  expect(await typeCheck({ ...good, ...model("anthropic") })).toEqual([]);
});

it("A provider with both forms, an old model, an unknown part and an unknown option are type errors", async () => {
  const source = (name: string, fields: string): Record<string, string> => ({
    [`agents/providers/${name}.ts`]: `import { defineProvider } from "threadhold";
export default defineProvider({ name: "${name}", ${fields} });`,
  });
  const stream = `stream: async function* () { yield { type: "finish", reason: "stop" } as const; }`;
  const old = `{ specificationVersion: "v2" as const, provider: "p", modelId: "m", doStream: async () => ({ stream: new ReadableStream() }) }`;
  const found = await typeCheck({
    ...good,
    ...source("both", `model: () => null as never, ${stream}`),
    ...source("correct", stream),
    ...source("old", `model: () => (${old})`),
    ...source("option", `${stream}, variabels: []`),
    ...source("part", `stream: async function* () { yield { type: "txt", text: "a" }; }`),
  });
  const files = found.map((line) => /^agents\/providers\/(\w+)\.ts/.exec(line)?.[1]);
  expect([...new Set(files)]).toEqual(["both", "old", "option", "part"]);
});
