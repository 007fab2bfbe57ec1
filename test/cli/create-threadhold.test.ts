// `create-threadhold`: the files of a project, its refusals, and its questions on a terminal.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { isSetting } from "#lib/deployment-secrets.ts";
import { addClouds } from "#models/provider/clouds.ts";
import { providers as knownProviders } from "#models/provider/providers.ts";
import { missingNames } from "#models/readiness.ts";

import { providers, templates } from "../../packages/create-threadhold/src/choices.ts";
import { runCreate } from "../../packages/create-threadhold/src/create-command.ts";
import { deployButton } from "../../packages/create-threadhold/src/project-files.ts";
import { writeProject } from "../../packages/create-threadhold/src/write-project.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  version: string;
  repository?: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
/** The variables that a model of a provider lacks. */
const lackingVariables = (provider: string, env = {}): string[] =>
  missingNames({ name: "default", provider, model: "m" } as Parameters<typeof missingNames>[0], env);
const namesOf = (variables: readonly { name: string }[] = []): string[] => variables.map(({ name }) => name);
const setting = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "set"]));
addClouds();
const scratch = mkdtempSync(path.join(tmpdir(), "create-threadhold-"));
let [cwd, runs] = ["", 0];

beforeEach(() => {
  cwd = path.join(scratch, String(runs++));
  mkdirSync(cwd);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** A stream that a program reads or writes, as a terminal if `isTTY`. */
const stream = (isTTY: boolean): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY });

const text = (from: PassThrough): string => String(from.read() ?? "");

/** Runs the command without a terminal. The programs that it finds are those in `bin` and Git. */
async function create(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [output, errors] = [stream(false), stream(false)];
  const code = await runCreate(args, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    input: stream(false),
    output,
    errors,
  });
  return { code, output: text(output), errors: text(errors) };
}

const bare = ["--yes", "--no-install", "--no-git"];
const read = (file: string): string => readFileSync(path.join(cwd, file), "utf8");

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(cwd, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(cwd, folder), path.join(entry.parentPath, entry.name)))
    .sort();
}

interface Manifest {
  name: string;
  repository?: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  pnpm?: unknown;
  scripts: Record<string, string>;
  cloudflare: { bindings: Record<string, unknown> };
}

describe("create-threadhold", () => {
  it.each(Object.keys(templates))(
    "A project of the template %s has the given name, the scripts dev, test, check and deploy, and no path of this machine",
    async (template) => {
      expect(await create(["shop", "--template", template, ...bare])).toMatchObject({ code: 0, errors: "" });
      const files = filesBelow("shop");
      expect(files).toEqual(
        expect.arrayContaining([
          ".dev.vars",
          ".dev.vars.example",
          ".env",
          ".gitignore",
          "README.md",
          "agents/models/default.ts",
          "package.json",
          "tsconfig.json",
          "vitest.config.ts",
          "wrangler.toml",
        ]),
      );
      const all = files.map((file) => read(`shop/${file}`)).join("\n");
      expect(all).not.toContain("my-app");
      expect(all).not.toContain("<!--");
      expect(all).not.toContain(root);
      expect(all).not.toContain(cwd);
      expect(files.filter((file) => path.basename(file).startsWith("_"))).toEqual([]);
      const manifest = JSON.parse(read("shop/package.json")) as Manifest;
      expect(manifest.name).toBe("shop");
      expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(["dev", "test", "check", "deploy"]));
      expect(read("shop/wrangler.toml")).toContain('name = "shop"');
      expect(read("shop/wrangler.toml")).not.toContain("database_id");
    },
  );

  it("A created project gets the versions of packages that this repository is tested with", async () => {
    await create(["shop", "--template", "web", ...bare]);
    const { dependencies, devDependencies } = JSON.parse(read("shop/package.json")) as Manifest;
    const ofThisRepository = { threadhold: own.version, "@threadhold/cli": own.version };
    const pages = JSON.parse(readFileSync(path.join(root, "playground/package.json"), "utf8")) as Manifest;
    const tested: Record<string, string> = {
      ...pages.devDependencies,
      ...own.dependencies,
      ...own.devDependencies,
      ...ofThisRepository,
    };
    // The page of a created project is tested with it.
    tested["remark-gfm"] = "4.0.1";
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, tested[name]]);
  });

  it("The command create-threadhold offers exactly the providers with an address of their own, each with the variables that its models need", () => {
    const remote = knownProviders.filter((one) => "variables" in one && !/-/.test(one.name));
    expect(new Set(Object.keys(providers))).toEqual(new Set(["none", "cloudflare", ...remote.map(({ name }) => name)]));
    for (const { name } of remote) {
      const { variables, insteadOfKey } = providers[name as keyof typeof providers];
      expect([name, namesOf(variables)]).toEqual([name, lackingVariables(name)]);
      const others = [...namesOf(variables).slice(1), ...namesOf(insteadOfKey)];
      if (insteadOfKey !== undefined) {
        expect([name, lackingVariables(name, setting(others))]).toEqual([name, []]);
        for (const missing of namesOf(insteadOfKey))
          expect(lackingVariables(name, setting(others.filter((other) => other !== missing)))).not.toEqual([]);
      }
      for (const { name: variable, isSecret } of [...variables, ...(insteadOfKey ?? [])])
        expect([variable, isSecret]).toEqual([variable, !isSetting(variable)]);
    }
  });

  it.each(["anthropic", "google", "openai", "openrouter", "azure", "vertex", "bedrock"] as const)(
    "A project with the provider %s has a model of that provider, and names each of its variables for local use and for deployments",
    async (provider) => {
      const names = lackingVariables(provider);
      const others = namesOf(providers[provider].insteadOfKey);
      const { output } = await create(["shop", "--template", "team", "--provider", provider, ...bare]);
      expect(output).toContain(`write into .dev.vars: ${names.map((name) => `${name}=…`).join(", ")}\n`);
      expect(read("shop/agents/models/default.ts")).toContain(`provider: "${provider}"`);
      for (const name of names) {
        for (const file of [".dev.vars", ".dev.vars.example"])
          expect(read(`shop/${file}`)).toMatch(new RegExp(`\n# [A-Z].*\\.\n${name}=\n`));
        expect(read("shop/README.md")).toContain(name);
        expect(Object.keys((JSON.parse(read("shop/package.json")) as Manifest).cloudflare.bindings)).toContain(name);
      }
      // The variables that replace the key are in comments, so that nothing asks for them.
      for (const name of others) {
        expect(read("shop/.dev.vars.example")).toContain(`\n# ${name}=\n`);
        expect(read("shop/README.md")).toContain(name);
      }
      const values = parseEnv(read("shop/.dev.vars.example"));
      expect(new Set(Object.keys(values))).toEqual(new Set(["API_TOKENS", ...names]));
    },
  );

  it("The file .dev.vars.example of a created project does not contain OPEN_LOOPBACK, because deployments use the file too", async () => {
    await create(["shop", ...bare]);
    expect(read("shop/.dev.vars")).toContain("OPEN_LOOPBACK=true");
    expect(read("shop/.dev.vars.example")).not.toContain("OPEN_LOOPBACK");
  });

  it("In a created project Git ignores the secrets of every environment, and not the example files", async () => {
    expect(await create(["shop", "--yes", "--no-install"])).toMatchObject({ code: 0 });
    const files = [".dev.vars", ".dev.vars.staging", ".dev.vars.example", ".env", ".env.local", ".env.example"];
    const { stdout } = spawnSync("git", ["check-ignore", ...files], {
      cwd: path.join(cwd, "shop"),
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual(files.filter((file) => !file.endsWith(".example")));
  });

  it("The packages in the folder after --threadhold are copied into the created project, so that the project needs no other folder", async () => {
    const files = ["threadhold", "threadhold-client", "threadhold-cli"].map((name) => `${name}-${own.version}.tgz`);
    mkdirSync(path.join(cwd, "packs"));
    for (const file of files) writeFileSync(path.join(cwd, "packs", file), Buffer.from([0x1f, 0x8b, 0xff, 0x00]));
    await create(["apps/shop", "--threadhold", "./packs", ...bare]);
    for (const file of files) {
      expect(readFileSync(path.join(cwd, "apps/shop", file))).toEqual(Buffer.from([0x1f, 0x8b, 0xff, 0x00]));
    }
    const { dependencies, devDependencies, pnpm } = JSON.parse(read("apps/shop/package.json")) as Manifest;
    expect(dependencies).toMatchObject({ threadhold: `file:${files[0]}`, "@threadhold/client": `file:${files[1]}` });
    expect(devDependencies["@threadhold/cli"]).toBe(`file:${files[2]}`);
    expect(pnpm).toEqual({ overrides: { "@threadhold/client": `file:${files[1]}` } });
  });

  it("A folder after --threadhold that lacks a package is refused with the file that is missing, and nothing is written", async () => {
    mkdirSync(path.join(cwd, "packs"));
    writeFileSync(path.join(cwd, `packs/threadhold-${own.version}.tgz`), "bytes");
    const { code, errors } = await create(["shop", "--threadhold", "./packs", ...bare]);
    const missing = path.join(cwd, `packs/threadhold-client-${own.version}.tgz`);
    const text = `There is no file ${missing}. npm run pack in a clone of threadhold writes it.\n`;
    expect({ code, errors }).toEqual({ code: 2, errors: text });
    expect(readdirSync(cwd)).toEqual(["packs"]);
  });

  it("The option --threadhold accepts a version, a version range and a tag", async () => {
    for (const [at, version] of ["1.2.3", "^1.2.3", "next"].entries()) {
      await create([`shop-${String(at)}`, "--threadhold", version, ...bare]);
      const { dependencies, devDependencies } = JSON.parse(read(`shop-${String(at)}/package.json`)) as Manifest;
      expect([dependencies["threadhold"], devDependencies["@threadhold/cli"]]).toEqual([version, version]);
    }
  });

  it("With --repository the README of a created project has the Deploy to Cloudflare button, and without the option it shows the line to add", async () => {
    await create(["shop", "--repository", "https://github.com/anna/shop", ...bare]);
    const button = deployButton("https://github.com/anna/shop");
    expect(read("shop/README.md").split("\n")).toContain(button);
    expect((JSON.parse(read("shop/package.json")) as Manifest).repository).toBe("https://github.com/anna/shop");
    await create(["other", ...bare]);
    expect(read("other/README.md")).toContain(`\`\`\`md\n${deployButton("https://github.com/<owner>/<repository>")}\n`);
  });

  it("The README of this repository has the Deploy to Cloudflare button exactly if package.json names a repository", () => {
    const readme = readFileSync(path.join(root, "README.md"), "utf8");
    const buttons = readme.split("\n").filter((line) => line.includes("deploy.workers.cloudflare.com"));
    expect(buttons).toEqual(own.repository === undefined ? [] : [deployButton(own.repository)]);
  });

  it("A project can be created in an empty folder, and in a folder with only a new Git repository", async () => {
    mkdirSync(path.join(cwd, "shop/.git"), { recursive: true });
    writeFileSync(path.join(cwd, "shop/.git/HEAD"), "ref: refs/heads/main\n");
    expect(await create(["shop", ...bare])).toMatchObject({ code: 0 });
    expect(read("shop/.git/HEAD")).toBe("ref: refs/heads/main\n");
    const here = path.join(cwd, "inside");
    mkdirSync(here);
    cwd = here;
    expect(await create([".", ...bare])).toMatchObject({ code: 0 });
    expect((JSON.parse(read("package.json")) as Manifest).name).toBe("inside");
    expect(readdirSync(cwd).filter((name) => name.startsWith(".create"))).toEqual([]);
  });

  const refusals: [because: string, args: string[], sentence: RegExp][] = [
    ["the folder is not empty", ["full", ...bare], /full is not empty\. Choose another name, or empty the folder\.\n$/],
    ["the folder is a file", ["full/file", ...bare], /file is a file\. Choose another name, or remove the file\.\n$/],
    ["the name has a capital letter", ["Shop", ...bare], /^"Shop" is not a name for a project\. Use at most 63 /],
    ["the name is that of a package", ["vitest-app/wrangler", ...bare], /^"wrangler" is the name of a package/],
    [
      "the template does not exist",
      ["shop", "--template", "chat", ...bare],
      /^There is no template "chat"\. Choose one of blank, assistant, team, web\.\n$/,
    ],
    [
      "the provider does not exist",
      ["shop", "--provider", "acme", ...bare],
      /^There is no provider "acme"\. Choose one of none, /,
    ],
    [
      "the repository's address has a token",
      ["shop", "--repository", "https://anna:token@github.com/anna/shop", ...bare],
      /^"https:\/\/github.com\/anna\/shop" is not the plain address/,
    ],
    [
      "the folder of packages is a file",
      ["shop", "--threadhold", "full/file", ...bare],
      /^"full\/file" is neither a version/,
    ],
    [
      "threadhold is neither a version nor a folder",
      ["shop", "--threadhold", "./folder", ...bare],
      /^".\/folder" is neither a version/,
    ],
    [
      "the repository is not public",
      ["shop", "--repository", "git@example.com:a/b", ...bare],
      /is not the plain address of a public repository/,
    ],
    [
      "no terminal can ask",
      ["shop"],
      /^There is no terminal for questions\. Name the folder, --template and --provider, or add --yes /,
    ],
    ["an option does not exist", ["shop", "--templat", "blank"], /unknown option '--templat'/],
    ["a part of the path is a file", ["full/file/shop", ...bare], /^The project could not be written to .*shop: /],
  ];
  it.each(refusals)("If %s, the program writes nothing and prints what to do", async (_because, args, sentence) => {
    mkdirSync(path.join(cwd, "full"));
    writeFileSync(path.join(cwd, "full/file"), "kept");
    const { code, output, errors } = await create(args);
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toMatch(sentence);
    expect(errors).not.toMatch(/^\s+at /m);
    expect(filesBelow(".")).toEqual(["full/file"]);
    expect(readdirSync(cwd)).toEqual(["full"]);
  });

  it.each(["new/deep/shop", "empty"])("If a write fails half-way, nothing of the project remains in %s", (folder) => {
    mkdirSync(path.join(cwd, "empty"));
    const files = new Map([
      ["a.txt", "a"],
      ["b", "b"],
      ["b/c.txt", "a file below a file"],
    ]);
    expect(() => writeProject(path.join(cwd, folder), files)).toThrow(/could not be written/);
    expect(readdirSync(cwd, { recursive: true })).toEqual(["empty"]);
  });

  it("A failed installation keeps the project, names the command to run, and ends with exit code 1", async () => {
    const bin = path.join(cwd, "bin");
    mkdirSync(bin);
    writeFileSync(path.join(bin, "pnpm"), "#!/bin/sh\necho ENOTFOUND >&2\nexit 1\n");
    chmodSync(path.join(bin, "pnpm"), 0o755);
    const agent = { npm_config_user_agent: "pnpm/10.34.9 npm/? node/v20.20.2 linux x64" };
    const { code, output, errors } = await create(["shop", "--yes", "--no-git", "--json"], {
      ...agent,
      PATH: `${bin}:/bin`,
    });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /ENOTFOUND\nThe project is in .*shop, but its packages could not be installed\. Run `pnpm install` there/,
    );
    expect(JSON.parse(output)).toMatchObject({
      package_manager: "pnpm",
      installed: false,
      next: ["cd shop", "pnpm install", "pnpm run dev"],
    });
    expect(existsSync(path.join(cwd, "shop/package.json"))).toBe(true);
  });

  it("With --json the standard output of create-threadhold is one line of JSON, also if a package manager prints text", async () => {
    const bin = path.join(cwd, "bin");
    mkdirSync(bin);
    writeFileSync(path.join(bin, "npm"), '#!/bin/sh\necho "added 3 packages: $*"\n');
    chmodSync(path.join(bin, "npm"), 0o755);
    const { code, output, errors } = await create(["shop", "--yes", "--json"], {
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    });
    expect({ code, errors }).toEqual({ code: 0, errors: "added 3 packages: install\n" });
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(output)).toEqual({
      ok: true,
      folder: path.join(cwd, "shop"),
      name: "shop",
      template: "blank",
      provider: "none",
      package_manager: "npm",
      installed: true,
      git: true,
      next: ["cd shop", "npm run dev"],
    });
    expect(existsSync(path.join(cwd, "shop/.git"))).toBe(true);
  });

  it("With --json an error of create-threadhold is one line of JSON on standard output", async () => {
    for (const argv of [["shop"], ["Shop", "--yes"], ["shop", "--unknown"]]) {
      const { code, output, errors } = await create([...argv, "--json"]);
      expect([code, errors]).toEqual([2, ""]);
      expect(JSON.parse(output)).toEqual({ ok: false, error: expect.any(String) as string });
    }
    expect(existsSync(path.join(cwd, "shop"))).toBe(false);
  });

  it("A project inside of a Git repository gets no repository of its own", async () => {
    expect(await create(["outer", "--yes", "--no-install"])).toMatchObject({ code: 0 });
    const { output } = await create(["outer/inner", "--yes", "--no-install", "--json"]);
    expect(JSON.parse(output)).toMatchObject({ git: false });
    expect(existsSync(path.join(cwd, "outer/inner/.git"))).toBe(false);
  });
});
