// Type errors while the server runs: the console and `/healthz` report them, and they prevent nothing.

import { readFileSync } from "node:fs";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { ApiClient } from "../support/http-client/api-client.ts";
import { startDevServer } from "./dev-server.ts";
import type { DevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";

const healthSchema = z.object({
  diagnostics: z.array(z.object({ severity: z.string(), code: z.string(), file: z.string() })).optional(),
});
const file = "agents/api/greeting.get.ts";

describe("type errors in a running server", () => {
  const project = copyProject();
  let server: DevServer | undefined;

  beforeAll(async () => {
    server = await startDevServer(project.state("types"), [], { root: project.root, checkTypes: true });
  });
  afterAll(async () => {
    await server?.stop();
    project.remove();
  });

  /** The findings that `/healthz` reports; null while the server reloads and does not answer. */
  async function findings(): Promise<unknown> {
    try {
      const { body } = await new ApiClient(server?.url ?? "").call("GET", "/healthz");
      return healthSchema.parse(body).diagnostics ?? [];
    } catch {
      return null;
    }
  }

  it(
    "Code with a type error is served, and the console and /healthz show the error until it is fixed",
    { timeout: 300_000 },
    async () => {
      expect(await findings()).toEqual([]);
      const controller = readFileSync(path.join(project.root, file), "utf8");
      project.write(file, `${controller.replace('"world"', '"typed"')}\nexport const wrong: number = "text";\n`);
      await expect.poll(findings).toEqual([{ severity: "warning", code: "type", file }]);
      await expect
        .poll(() => server?.output())
        .toMatch(/greeting\.get\.ts:\d+:14\s+warning\s+Type 'string' is not assignable/);
      const greeting = () =>
        new ApiClient(server?.url ?? "").call("GET", "/api/greeting").then(({ text }) => text, String);
      await expect.poll(greeting).toContain('"hello":"typed"');
      project.write(file, controller);
      await expect.poll(findings).toEqual([]);
    },
  );
});
