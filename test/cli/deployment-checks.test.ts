// What `threadhold doctor` finds that works on this machine and not in a deployment.

import { expect, it } from "vitest";

import { namedVariables } from "#cli/doctor/named-variables.ts";

import type { Files } from "../compiler/temporary-project.ts";
import { doctor } from "./support/run-doctor.ts";
import { complete, inRepository, toml } from "./wrangler-project.ts";

it("The command doctor warns of addresses that a deployment does not reach, and of variables that only this machine has", async () => {
  const source = (name: string, url: string): Files => ({
    [`agents/mcp/${name}.ts`]: `export default { name: "${name}", url: ${url} };`,
  });
  const files = {
    ...complete,
    "wrangler.toml": `${toml}[vars]\nJWKS_URL = "http://10.0.0.7/keys"\nNOTES_URL = "https://notes.example.com/mcp"\nNEAR_URL = "http://printer.local:8080/mcp"\n`,
    ".dev.vars":
      "OPEN_LOOPBACK=true\nOPENAI_API_KEY=secret-0001\nOPENAI_BASE_URL=http://user:secret-0002@localhost:11434/v1\nNOTES_URL=http://localhost:1/mcp\nFAR_URL=http://localhost:2/mcp\nSHOP_TOKEN=secret-0003\n",
    "agents/models/fast.ts": `export default { name: "fast", provider: "openai", model: "gpt-5" };`,
    "agents/models/near.ts": `export default { name: "near", provider: "openai", model: "m", baseUrl: "http://192.168.1.5:11434/v1" };`,
    "agents/models/far.ts": `export default { name: "far", provider: "openai", model: "m", baseUrl: "https://llm.example.com/v1" };`,
    ...source("loop", '"http://127.0.0.1:3001/mcp"'),
    ...source("six", '"http://[::1]:3002/mcp"'),
    ...source("named", '"http://localhost:3003/mcp?token=secret-0004"'),
    ...source("docker", '"http://host.docker.internal/mcp"'),
    ...source("service", '"http://tools:8080/mcp"'),
    ...source("near_mcp", "({ env }) => String(env.NEAR_URL)"),
    // The configuration has a public address, and .dev.vars the local one.
    ...source("notes", "({ env }) => String(env.NOTES_URL)"),
    ...source("far_mcp", "({ env }) => new URL(env.FAR_URL).href"),
    ...source("public", '"https://mcp.example.com/mcp"'),
    "agents/openapi/shop.ts": `export default { name: "shop", document: { openapi: "3.1.0", info: { title: "Shop", version: "1" }, paths: {}, servers: [{ url: "http://127.0.0.1:4000" }] },
      auth: async ({ env }) => ({ type: "bearer", token: env.SHOP_TOKEN.trim() }) };`,
    "agents/openapi/bank.ts": `export default { name: "bank", document: { url: "http://localhost:4001/openapi.json" }, baseUrl: "https://bank.example.com" };`,
  };
  const { code, output } = await doctor(files, inRepository);
  const warned = [
    ...output.matchAll(/^warning (.*?): (?:Its address is at (\S+),|(?:Definitions read it|Only a file))/gm),
  ];
  expect([
    code,
    warned
      .map(([, name = "", host]) => (host === undefined ? name : `${name} ${host}`))
      .toSorted((one, other) => (one < other ? -1 : 1)),
  ]).toEqual([
    0,
    [
      "MCP server docker host.docker.internal",
      "MCP server loop 127.0.0.1:3001",
      "MCP server named localhost:3003",
      "MCP server near_mcp printer.local:8080",
      "MCP server service tools:8080",
      "MCP server six [::1]:3002",
      "OpenAPI document bank localhost:4001",
      "OpenAPI document shop 127.0.0.1:4000",
      "model near 192.168.1.5:11434",
      "variable FAR_URL",
      "variable JWKS_URL 10.0.0.7",
      "variable NEAR_URL printer.local:8080",
      "variable OPENAI_BASE_URL",
      "variable SHOP_TOKEN",
    ],
  ]);
  expect(output).toContain(
    "ok      keys of a deployment: threadhold deploy sets OPENAI_API_KEY if the Worker lacks it",
  );
  expect(output).not.toMatch(/secret-\d/);
});

it("The command doctor warns of a preset on this machine until a variable of the deployment has an address for it", async () => {
  const files = (vars: string): Files => ({
    ...complete,
    "wrangler.toml": `${toml}[vars]\n${vars}`,
    ".dev.vars": "OPEN_LOOPBACK=true\nXAI_API_KEY=secret-0001\nGROQ_BASE_URL=http://localhost:9/v1\n",
    "agents/models/local.ts": `export default { name: "local", provider: "openai-compatible", preset: "lm-studio", model: "m" };`,
    "agents/models/grok.ts": `export default { name: "grok", provider: "openai-compatible", preset: "xai", model: "m" };`,
    "agents/models/llama.ts": `export default { name: "llama", provider: "openai-compatible", preset: "groq", model: "m", keyVariable: null };`,
  });
  const { output } = await doctor(files(""), inRepository);
  expect(output).toContain(
    "warning model local: The address of its preset is at localhost:1234, which a deployment does not reach.",
  );
  expect(output).toContain("set LM_STUDIO_BASE_URL in [vars]");
  expect(output).toContain("warning variable GROQ_BASE_URL: Only a file of this machine sets it");
  expect(output).not.toMatch(/model grok: The address|model llama: The address/);
  expect(output).toContain("keys of a deployment: threadhold deploy sets XAI_API_KEY if the Worker lacks it");
  const published = await doctor(files('LM_STUDIO_BASE_URL = "https://lm.example.com/v1"\n'), inRepository);
  expect(published.output).not.toContain("model local: The address");
});

it("The command doctor calls no asynchronous function and no function for headers or credentials of a definition, states this, and checks the variables that their text names", async () => {
  const called = (token: string) => `{ globalThis.calledInDoctor = true; return { authorization: env.${token} }; }`;
  const files = {
    ...complete,
    ".dev.vars":
      "OPEN_LOOPBACK=true\nA_TOKEN=secret-0001\nB_TOKEN=secret-0002\nC_TOKEN=secret-0003\nD_TOKEN=secret-0004\n",
    "agents/mcp/waiting.ts": `export default { name: "waiting", url: "https://mcp.example.com/mcp", headers: async ({ env }) => ${called("A_TOKEN")} };`,
    "agents/mcp/direct.ts": `export default { name: "direct", url: "https://mcp.example.com/mcp", headers: ({ env }) => ${called("B_TOKEN")} };`,
    "agents/openapi/shop.ts": `export default { name: "shop", document: { openapi: "3.1.0", info: { title: "Shop", version: "1" }, paths: {} },
      baseUrl: "https://shop.example.com", headers: ({ env }) => ${called("C_TOKEN")},
      auth: async ({ env }) => { globalThis.calledInDoctor = true; return { type: "bearer", token: env["D_TOKEN"] }; } };`,
  };
  const { code, output } = await doctor(files, inRepository);
  expect(code).toBe(0);
  // The definitions are evaluated in this process.
  expect(globalThis).not.toHaveProperty("calledInDoctor");
  expect(output).not.toMatch(/secret-\d/);
  expect(
    [...output.matchAll(/^warning variable (\S+):/gm)]
      .map(([, name = ""]) => name)
      .toSorted((one, other) => (one < other ? -1 : 1)),
  ).toEqual(["A_TOKEN", "B_TOKEN", "C_TOKEN", "D_TOKEN"]);
  expect(output).toMatch(
    /^ok {6}functions of definitions: MCP server direct, MCP server waiting, OpenAPI document shop: .* are not called\./m,
  );
});

it.each([
  ["({ env }) => env.A_KEY", ["A_KEY"]],
  ["(context) => context.env.A_KEY", ["A_KEY"]],
  ["(state) => { const { env } = state; return env.A_KEY + env?.B_KEY; }", ["A_KEY", "B_KEY"]],
  ["(state) => { const { A_KEY, B_KEY: other, C_KEY = 1, ...rest } = state.env; }", ["A_KEY", "B_KEY", "C_KEY"]],
  ["({ env: { A_KEY, 'B_KEY': b } }) => A_KEY", ["A_KEY", "B_KEY"]],
  ["({ env: variables }) => variables.A_KEY", ["A_KEY"]],
  ["({ env }) => { const { A_KEY } = env; return A_KEY; }", ["A_KEY"]],
  ["(c) => { const e = c.env, f = e; return e['A_KEY'] + f?.[`B_KEY`]; }", ["A_KEY", "B_KEY"]],
  ["async headers({ env: $e }) { return { key: $e.A_KEY }; }", ["A_KEY"]],
  ["(c) => c.environment.A_KEY + my_env.B_KEY", []],
] as const)("The variables that the text %s names are those that it reads from env", (text, names) => {
  expect([...namedVariables(text)].toSorted()).toEqual(names);
});

it("The command doctor warns of a missing binding AI with the lines to add, and names its login if it is there", async () => {
  const files = {
    ...complete,
    "agents/models/fast.ts": `export default { name: "fast", provider: "workers-ai", model: "@cf/zai-org/glm-4.7-flash" };`,
  };
  const missing = await doctor(files, inRepository);
  expect(missing.output).toContain("binding AI: It is missing, and the models fast need it.");
  expect(missing.output).toMatch(/\[ai\]\n\s*binding = "AI"/);
  expect(missing.output).not.toContain("AI is not set on this machine");
  const bound = await doctor({ ...files, "wrangler.toml": `${toml}[ai]\nbinding = "AI"\n` }, inRepository);
  expect(bound.output).toContain("npx wrangler login");
  expect(bound.output).not.toContain("It is missing");
});
