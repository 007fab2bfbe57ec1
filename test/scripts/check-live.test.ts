// `npm run check:live`: without credentials it sends nothing, and with them it sends a text, a tool and a picture.

import { spawn } from "node:child_process";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { packageRoot } from "../compiler/temporary-project.ts";
import { startModelServer, type ModelServer } from "../support/model-server/server.mjs";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

/** Runs the script with these variables alone. */
function run(variables: Record<string, string>): Promise<{ code: number | null; lines: string[] }> {
  const env = { PATH: process.env["PATH"] ?? "", ...variables };
  const child = spawn(process.execPath, [join(packageRoot, "scripts/check-live.mjs")], { cwd: packageRoot, env });
  let output = "";
  child.stdout.on("data", (piece: Buffer) => (output += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, lines: output.trim().split("\n") }));
  });
}

it("The live check skips each provider without credentials, with one line that names the variable", async () => {
  const { code, lines } = await run({});
  expect(code).toBe(0);
  expect(lines.every((line) => /^skipped [\w-]+: set \w+/.test(line))).toBe(true);
  expect(lines).toContain("skipped anthropic: set ANTHROPIC_API_KEY");
  expect(lines).toContain("skipped workers-ai: set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN");
  expect(lines).toContain("skipped groq: set GROQ_API_KEY and LIVE_MODEL_GROQ");
  expect(lines).toContain("skipped azure: set AZURE_API_KEY and AZURE_RESOURCE_NAME and LIVE_MODEL_AZURE");
});

it("The live check sends its requests to each provider with credentials, and fails if an answer is not as expected", async () => {
  const { code, lines } = await run({
    CLOUDFLARE_ACCOUNT_ID: "acc",
    CLOUDFLARE_API_TOKEN: "token-of-the-account",
    WORKERS_AI_BASE_URL: `${server.url}/v1`,
    LIVE_MODEL_WORKERS_AI: "case:text",
    ANTHROPIC_API_KEY: "sk-ant-wrong-key",
    ANTHROPIC_BASE_URL: server.url,
    LIVE_MODEL_ANTHROPIC: "case:auth",
  });
  const of = (name: string) => lines.filter((line) => line.includes(` ${name} `)).map((line) => line.split(":case")[0]);
  expect(code).toBe(1);
  expect(of("workers-ai").map((line) => line?.slice(0, 7).trim())).toEqual(["ok", "FAILED", "FAILED"]);
  expect(of("anthropic").map((line) => line?.slice(0, 7).trim())).toEqual(["FAILED", "FAILED", "FAILED"]);
  expect(lines.join("\n")).not.toContain("sk-ant-wrong-key");
});
