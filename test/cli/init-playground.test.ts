// What `threadhold init` changes so that a Worker with static assets of its own can serve the playground, and what it leaves.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { parseConfigFile } from "#cli/config/config-file.ts";

import { writeProject, type Files } from "../compiler/temporary-project.ts";
import { init } from "./support/run-init.ts";
import { inRepository } from "./wrangler-project.ts";

const own: Files = { "src/index.ts": "export default {};\n", "package.json": "{}\n" };

const textOf = (root: string, file: string): string => readFileSync(join(root, file), "utf8");

describe("the command init", () => {
  it.each([
    [
      '[assets]\ndirectory = "public"\n[[services]]\nbinding = "ASSETS"\nservice = "files"\n',
      "binding ASSETS, and this name or theirs is another one",
    ],
    ['[assets]\ndirectory = "public"\nbinding = "STATIC"\n', "binding ASSETS, and this name or theirs is another one"],
    [
      '[assets]\ndirectory = "public"\nnot_found_handling = "single-page-application"\n',
      "A browser that opens /agents/studio gets the page of not_found_handling.",
    ],
    ['[site]\nbucket = "public"\n', "serves the playground at /agents/studio"],
  ])(
    "The command init keeps the assets and bindings of a Worker that cannot serve the playground as it is, and notes what to do: %s",
    async (assets, note) => {
      const root = writeProject(
        { ...own, "wrangler.toml": `name = "shop"\nmain = "src/index.ts"\n${assets}` },
        inRepository,
      );
      const { code, output } = await init(root, ["--yes"]);
      expect([code, output]).toEqual([0, expect.stringContaining(note)]);
      const before = parseConfigFile("wrangler.toml", assets).value;
      const { assets: after, services } = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value;
      const isBound = note.startsWith("A browser");
      expect({ assets: after, services }).toEqual({
        assets: isBound ? { ...(before["assets"] as object), binding: "ASSETS" } : before["assets"],
        services: before["services"],
      });
    },
  );

  it("The command init makes room for the playground next to the page of a project whose main module is generated", async () => {
    const toml = `name = "app"\nmain = ".threadhold/worker.ts"\n[assets]\ndirectory = "dist"\nnot_found_handling = "single-page-application"\nrun_worker_first = ["/api/*", "/healthz"]\n`;
    const root = writeProject({ ...own, "wrangler.toml": toml }, inRepository);
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    expect(parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value["assets"]).toEqual({
      directory: "dist",
      binding: "ASSETS",
      not_found_handling: "single-page-application",
      run_worker_first: ["/api/*", "/healthz", "/studio", "/studio/*"],
    });
    const written = textOf(root, "wrangler.toml");
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    expect(textOf(root, "wrangler.toml")).toBe(written);
  });
});
