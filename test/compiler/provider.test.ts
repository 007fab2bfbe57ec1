// Providers of a project: their files, the models that name them, and what the build writes for them.

import { describe, expect, it, vi } from "vitest";

import { namesSource, registrySource } from "#compiler/generated-source.ts";
import { missingNames, notReadyMessage, readiness } from "#models/readiness.ts";

import { compileWith, findingsOf, onlyFinding, type Files } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const file = "agents/providers/my_server.ts";
const provider = (fields: string): Files => ({
  [file]: `import { defineProvider } from "threadhold";
export default defineProvider({
  name: "my_server",
  ${fields}
});`,
});
const stream = `async *stream() { yield { type: "finish", reason: "stop" }; },`;
const model = (name: string, fields = ""): Files => ({
  "agents/models/own.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "own", provider: ${JSON.stringify(name)}, model: "m-1", ${fields} });`,
});

describe("providers of a project", () => {
  it("PROVIDER1 A model may name a provider of the project, and the build writes its file, its name and its variables", async () => {
    const { diagnostics, project } = await compileWith({
      ...provider(`variables: ["MY_KEY", "MY_ADDRESS"], ${stream}`),
      ...model("my_server"),
    });
    expect(diagnostics).toEqual([]);
    const registry = registrySource(project, "hash", "..");
    expect(registry).toContain(
      `  providers: {\n    "my_server":\n      () => import("../agents/providers/my_server.ts").then((module) => module.default),\n  },`,
    );
    expect(registry).toContain(`    providers: {\n      "my_server": "agents/providers/my_server.ts",\n    },`);
    expect(registry).toContain(`secrets: ["MY_ADDRESS","MY_KEY"]`);
    expect(namesSource(project)).toContain(`    providers: "my_server";\n`);
    expect(project.environment.names).toEqual([
      { name: "MY_ADDRESS", type: "string", optional: false },
      { name: "MY_KEY", type: "string", optional: false },
    ]);
  });

  it("A project without providers has no type and no entry of providers", async () => {
    const { project } = await compileWith({});
    expect(registrySource(project, "hash", "..")).not.toContain("providers");
    expect(namesSource(project)).not.toContain("providers");
  });

  it("PROVIDER2 A model is ready when all variables of its provider are set, and says which one is missing", async () => {
    const { project } = await compileWith({
      ...provider(`variables: ["MY_KEY", "MY_ADDRESS"], ${stream}`),
      ...model("my_server"),
    });
    const own = project.models.find(({ name }) => name === "own")?.value;
    if (own === undefined) throw new Error("the model was not compiled");
    expect(readiness(own, {})).toEqual({ ready: false, missing: "MY_KEY" });
    expect(readiness(own, { MY_KEY: "k" })).toEqual({ ready: false, missing: "MY_ADDRESS" });
    expect(readiness(own, { MY_KEY: "k", MY_ADDRESS: " " })).toEqual({ ready: false, missing: "MY_ADDRESS" });
    expect(readiness(own, { MY_KEY: "k", MY_ADDRESS: "https://m.example" })).toEqual({ ready: true, missing: null });
    expect(missingNames(own, {})).toEqual(["MY_KEY", "MY_ADDRESS"]);
    expect(notReadyMessage(own, { MY_KEY: "k" })).toBe(
      'Model "own" needs MY_ADDRESS, which is not set. For local development put MY_ADDRESS=… into .dev.vars; ' +
        "for a deployment run: npx wrangler secret put MY_ADDRESS",
    );
  });

  it("PROVIDER3 A misspelt provider is an error that lists the built-in providers and those of the project", async () => {
    const finding = await onlyFinding({ ...provider(stream), ...model("my_servr") });
    expect(finding).toMatchObject({
      severity: "error",
      code: "unknown_provider",
      file: "agents/models/own.ts",
      line: 2,
      suggestion: "my_server",
    });
    expect(finding.message).toMatch(/^unknown provider "my_servr": the providers are openai, .*, test, my_server$/);
  });

  it("A model of a provider with an error is not reported as well", async () => {
    expect(await onlyFinding({ ...provider(""), ...model("my_server") })).toMatchObject({ file });
  });

  it.each(["openai", "test", "azure"])("PROVIDER4 The name %s of a built-in provider is refused", async (name) => {
    const source = `export default { name: "${name}", stream: async function* () {} };`;
    expect(await onlyFinding({ [file]: source })).toMatchObject({
      severity: "error",
      code: "duplicate_name",
      file,
      message: `"${name}" is the name of a built-in provider; a model could not refer to this one`,
    });
  });

  it.each([
    ["neither model nor stream", "", '"model" of a provider: invalid value: a provider has model'],
    ["both model and stream", `model: () => null, ${stream}`, '"model" of a provider: invalid value'],
    ["options next to stream", `options: () => ({}), ${stream}`, '"options" of a provider: invalid value'],
    ["an option that does not exist", `${stream} variabels: ["A"],`, 'unknown field "variabels" of a provider'],
    ["a variable that is no name", `${stream} variables: ["MY-KEY"],`, '"variables.0" of a provider: invalid value'],
    [
      "a variable of the prototype",
      `${stream} variables: ["__proto__"],`,
      '"variables.0" of a provider: invalid value',
    ],
    ["a variable that is named twice", `${stream} variables: ["A", "A"],`, "each variable is named once"],
    ["a media type that is none", `${stream} files: ["pdf"],`, '"files.0" of a provider: invalid value'],
    ["a stream that is no function", `stream: "https://m.example",`, '"stream" of a provider'],
  ])("PROVIDER4 A provider with %s is refused", async (_what, fields, message) => {
    const [finding, ...others] = await findingsIn(provider(fields));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "error", file });
    expect(finding?.message).toContain(message);
  });

  it.each([
    ["a function", "() => null", "the default export was not made by defineProvider"],
    ["a tool", `["Describe", null, async () => "x"]`, "the default export is a tool"],
    ["a model", `{ name: "x", provider: "test", model: "y" }`, "the default export is a model, but this folder"],
    [
      "a model of the AI SDK",
      `{ provider: "groq.chat", modelId: "m", specificationVersion: "v3", doStream() {} }`,
      "the default export is a model of the AI SDK, and not a provider that returns models",
    ],
  ])("PROVIDER4 A file of a provider that exports %s is refused", async (_what, source, message) => {
    const finding = await onlyFinding({ [file]: `export default ${source};` });
    expect(finding).toMatchObject({ severity: "error", code: "wrong_kind", file });
    expect(finding.message).toContain(message);
  });

  it("Two providers with the same name are an error", async () => {
    const files = { ...provider(stream), "agents/providers/other.ts": provider(stream)[file] ?? "" };
    expect(await onlyFinding(files)).toMatchObject({
      code: "duplicate_name",
      message: expect.stringContaining("provider"),
    });
  });

  it.each([
    "baseUrl: 'https://m.example'",
    "keyVariable: 'A'",
    "cache: 'disabled'",
    "headers: { a: 'b' }",
    "script: []",
  ])("PROVIDER5 A model with the field %s, which its provider does not read, is refused", async (fields) => {
    const [field = ""] = fields.split(":");
    expect(await onlyFinding({ ...provider(stream), ...model("my_server", fields) })).toMatchObject({
      severity: "error",
      code: "invalid_field",
      file: "agents/models/own.ts",
      message: `"${field}" of a model: invalid value: the provider "my_server" of ${file} does not read ${field}; leave it out`,
    });
  });

  it("A provider over the AI SDK accepts headers of a model, because its package sends them", async () => {
    const files = { ...provider("model: () => null,"), ...model("my_server", "headers: { a: 'b' }") };
    expect(await findingsOf("invalid_field", files)).toEqual([]);
  });

  it("A provider in a folder with another name is reported with the folder", async () => {
    const { diagnostics } = await compileWith({ "agents/provider/my_server.ts": provider(stream)[file] ?? "" });
    expect(diagnostics).toMatchObject([{ code: "misplaced", suggestion: file }]);
  });
});

async function findingsIn(files: Files) {
  return (await compileWith(files)).diagnostics;
}
