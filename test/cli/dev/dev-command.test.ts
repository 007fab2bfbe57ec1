// What `threadhold dev` refuses before it starts a server. test/e2e starts servers.

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { CliContext } from "#cli/context.ts";
import { remoteBindings, remoteLine } from "#cli/dev/remote-bindings.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { runInProcess } from "../../compiler/command.ts";
import { packageRoot, writeProject, type Files } from "../../compiler/temporary-project.ts";
import { complete, inRepository } from "../wrangler-project.ts";

interface Outcome {
  code: number;
  output: string;
  root: string;
}

/** With --inspect this process reads the configuration, which saves another process that loads wrangler. */
const dev = (files: Files, ...args: string[]): Promise<Outcome> => devWith(["false"], files, "--inspect", ...args);

/** `self` is the program whose commands serve. */
async function devWith(self: CliContext["self"], files: Files, ...args: string[]): Promise<Outcome> {
  const root = writeProject(files, inRepository);
  return { ...(await runInProcess(["dev", "--root", root, ...args], { cwd: root, self })), root };
}

describe("the command dev", () => {
  it("The command dev prints the sources whose changes it would not serve, with the line to set", async () => {
    const watching = {
      ...complete,
      "wrangler.toml": complete["wrangler.toml"]?.replace(".threadhold/worker.ts", "src/index.ts") ?? "",
      "src/index.ts":
        'export * from "../.threadhold/worker.ts";\nexport { default } from "../.threadhold/worker.ts";\n',
    };
    const { output } = await dev(watching);
    expect(output).toContain(
      "warning watched folders: Without src in build.watch_dir, `threadhold dev` does not serve",
    );
    expect(output).toContain('watch_dir = ["agents", ".cache/types/findings.json", "src"]');
    const { output: quiet } = await dev(complete);
    expect(quiet).not.toContain("watched folders");
  });

  it.each([
    ["a configuration that cannot be parsed", { "wrangler.toml": 'name = "app' }, "error   wrangler.toml: "],
    [
      "a configuration without the catalog",
      { "wrangler.toml": complete["wrangler.toml"]?.replace(/\[\[d1[\s\S]*/, "") ?? "" },
      "npx wrangler d1 create",
    ],
  ])("The command dev names the fix for %s, and writes nothing", async (_name, changed, expected) => {
    const { code, output, root } = await dev({ ...complete, ...changed });
    expect([code, output]).toEqual([1, expect.stringContaining(expected)]);
    expect(output).toContain("fix: ");
    expect([".wrangler", ".threadhold"].filter((name) => existsSync(join(root, name)))).toEqual([]);
  });

  it("The command dev names the fix for an error that the process of the server finds in the configuration", async () => {
    const program = [process.execPath, join(packageRoot, "scripts/threadhold.mjs")] as const;
    const { code, output } = await devWith(program, { ...complete, "wrangler.toml": 'name = "app' });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^error {3}wrangler.toml: .*\n *fix: correct the place/s),
    ]);
  });

  it("The command dev ends with an error if the process of the server ends before it has read the configuration", async () => {
    const program = [process.execPath, "-e", 'console.error("No memory."); process.exitCode = 3;', "--"] as const;
    const { code, output } = await devWith(program, complete);
    expect([code, output]).toEqual([1, expect.stringContaining("ended with code 3 before it read the configuration")]);
    expect(output).toContain("No memory.\n");
  });

  it("The command dev names the fix for a build command that does not compile agents/, and continues", async () => {
    const toml = complete["wrangler.toml"]?.replace("npx threadhold build --auto", "make") ?? "";
    // The program that would serve ends at once.
    const { code, output, root } = await dev({ ...complete, "wrangler.toml": toml });
    expect([code, output]).toEqual([1, expect.stringContaining('command = "make && npx threadhold build --auto"')]);
    expect(existsSync(join(root, ".wrangler/state/threadhold-migrations"))).toBe(true);
  });

  it("The command dev names the bindings that wrangler connects to Cloudflare for, and how to log in, in one line before it serves", async () => {
    const toml = `${complete["wrangler.toml"] ?? ""}[ai]\nbinding = "AI"\n[[kv_namespaces]]\nbinding = "NOTES"\nid = "a"\nremote = true\n`;
    const { output } = await dev({ ...complete, "wrangler.toml": toml });
    const lines = output.split("\n").filter((line) => line.includes("Cloudflare"));
    expect(lines).toEqual([expect.stringMatching(/^The bindings (?:NOTES, AI|AI, NOTES) .*npx wrangler login/)]);
    expect((await dev(complete)).output).not.toContain("Cloudflare");
  });

  it.each([
    ['[ai]\nbinding = "AI"\n', "AI"],
    ['[[vectorize]]\nbinding = "INDEX"\nindex_name = "a"\n', undefined],
    ['[[vectorize]]\nbinding = "INDEX"\nindex_name = "a"\nremote = true\n', "INDEX"],
    ['[browser]\nbinding = "BROWSER"\nremote = true\n', "BROWSER"],
    ['[[queues.producers]]\nbinding = "JOBS"\nqueue = "jobs"\nremote = true\n', "JOBS"],
    ['[[send_email]]\nname = "MAIL"\nremote = true\n', "MAIL"],
    ['[[services]]\nbinding = "OTHER"\nservice = "other"\nremote = true\n', "OTHER"],
    ['[[d1_databases]]\nbinding = "SHOP"\ndatabase_id = "a"\n', undefined],
  ])("The bindings of %j that need Cloudflare are %s", (more, name) => {
    const root = writeProject({ "wrangler.toml": `${complete["wrangler.toml"] ?? ""}${more}` }, inRepository);
    const project = readWranglerProject(root);
    const config = "wrangler" in project ? project.config : null;
    expect(config === null ? project : remoteBindings(config)).toEqual(name === undefined ? [] : [name]);
    expect(config === null ? "" : remoteLine(config, ["--local"])).toBeNull();
  });

  it("The command dev names the command that creates a definition if there is no folder agents/", async () => {
    const { code, output } = await dev({ "wrangler.toml": complete["wrangler.toml"] ?? "" });
    expect([code, output]).toEqual([1, expect.stringContaining("fix: npx threadhold new agent assistant")]);
  });

  it("The command dev prints the errors of definitions that never compiled, and releases the state folder", async () => {
    const broken = "export default defineTool(";
    const { code, output, root } = await dev({ ...complete, "agents/tools/search_docs.ts": broken });
    expect([code, output]).toEqual([1, expect.stringContaining("agents/tools/search_docs.ts")]);
    expect(output).toContain("The definitions in agents/ could not be compiled.");
    expect(existsSync(join(root, ".wrangler/state/threadhold.lock"))).toBe(false);
  });

  it("The command dev refuses a given port that is taken, and an option without a valid value", async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    expect(await dev(complete, "--port", String(port))).toMatchObject({
      code: 1,
      output: `Port ${String(port)} is taken. Stop the program that listens on it, or give another --port.`,
    });
    expect(await dev(complete, "--port", "http")).toMatchObject({ code: 2 });
  });
});
