// The entries of the package for UPP and for loops: the modules that a program loads with them.

import { afterAll, expect, it, vi } from "vitest";

import { bundled } from "../session/support/plain-node.ts";
import type { Program } from "../session/support/plain-node.ts";

// Each test bundles a program, on a machine that is also used by other work.
vi.setConfig({ testTimeout: 60_000 });

const programs: Program[] = [];

afterAll(() => {
  for (const program of programs) program.remove();
});

async function program(text: string): Promise<Program> {
  const made = await bundled(text);
  programs.push(made);
  return made;
}

it("A program that imports threadhold/upp and a model provider loads no module of a Worker, of a thread, of a store or of HTTP serving", async () => {
  const { inputs, imports } = await program(`
    import { llm } from "threadhold/upp";
    import anthropic from "threadhold/upp/anthropic";
    console.log(await llm({ model: anthropic("claude-sonnet-4-5") }).generate("Hello"));
  `);
  expect(inputs).toEqual(expect.arrayContaining(["src/core/loop.ts", "src/models/create-model-port.ts"]));
  expect(inputs.filter((file) => /^src\/(thread|http|store|flow|session|worker|feed|dialect)\//.test(file))).toEqual(
    [],
  );
  expect(inputs.filter((file) => /node_modules\/(hono|wrangler|workerd|@cloudflare)\//.test(file))).toEqual([]);
  expect([...inputs, ...imports].filter((name) => name.startsWith("cloudflare:"))).toEqual([]);
});

it("A program that imports threadhold/loop alone contains no module for OpenAPI documents, MCP servers and skills, and one that imports threadhold/loop/tools does", async () => {
  const modulesWith = async (names: string, entry: string) =>
    (await program(`import { ${names} } from "${entry}"; console.log(${names});`)).inputs.filter((file) =>
      /^src\/(?:tools\/(?:mcp|openapi|skills)|facade\/phi\/tools)\//.test(file),
    );
  expect(await modulesWith("BasicAgent", "threadhold/loop")).toEqual([]);
  expect(await modulesWith("OpenApiAdapter", "threadhold/loop/tools")).toContain("src/tools/openapi/program-api.ts");
});
