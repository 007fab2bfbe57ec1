// The documents in a project of `create-threadhold` with the packed package: the types of all code, the page on the first agent, and the
// recipes, each as its reader follows it.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { fences, missingLine, quotedFiles, readPage, runBlocks, testedBlocks } from "../e2e/support/guide-page.ts";
import { documentedFiles, shownFiles } from "../scripts/documents.ts";
import { linkPackages } from "./linked-packages.ts";
import { root, run, serve, type ProgramResult, type RunningServer } from "./run.ts";

const { createProgram, projects, tarballs } = inject("packed");
const folder = mkdtempSync(path.join(tmpdir(), "threadhold-documents-"));

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Creates a project of the template `blank` with installed packages. */
async function createBlank(name: string): Promise<string> {
  const options = ["--template", "blank", "--yes", "--no-install", "--no-git", "--threadhold", tarballs] as const;
  const created = await run([process.execPath, createProgram, name, ...options], { cwd: folder });
  expect(created).toMatchObject({ code: 0 });
  linkPackages(projects.assistant, path.join(folder, name));
  return path.join(folder, name);
}

function write(project: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(project, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  }
}

const append = (file: string, text: string): void => writeFileSync(file, `${readFileSync(file, "utf8")}\n${text}`);

describe("the code of the documents", () => {
  it("Every TypeScript block of a document has correct types in a created project", async () => {
    const project = path.join(folder, "code");
    mkdirSync(project);
    // The project with a page has the packages of React too. Those that a reader installs for a page come from the repository.
    linkPackages(projects.web, project);
    for (const name of ["hono", "ai", "@ai-sdk/react", "@assistant-ui", "assistant-stream"]) {
      const target = path.join(project, "node_modules", name);
      if (!existsSync(target)) cpSync(path.join(root, "node_modules", name), target, { recursive: true });
    }
    write(project, documentedFiles());
    // The README of a created project shows a model of a provider.
    const shown = fences(readFileSync(path.join(projects.assistant, "README.md"), "utf8")).filter(
      ({ info }) => info === "ts",
    );
    expect(shown).toHaveLength(1);
    write(project, { "created-readme.ts": shown[0]?.text ?? "" });
    const { compilerOptions } = JSON.parse(readFileSync(path.join(projects.web, "tsconfig.json"), "utf8")) as {
      compilerOptions: object;
    };
    const options = { ...compilerOptions, jsx: "react-jsx", allowJs: true, checkJs: true };
    const config = { compilerOptions: options, include: ["**/*", "**/.threadhold/*"], exclude: ["node_modules"] };
    write(project, { "tsconfig.json": JSON.stringify(config) });
    expect(await run(["tsc", "-p", ".", "--pretty", "false"], { cwd: project })).toEqual({ code: 0, output: "" });
  });
});

describe("the page on the first agent", () => {
  const page = readPage("first-agent.md");
  const shell = fences(page).filter(({ info }) => info.startsWith("sh"));
  let project = "";
  const inProject = (command: string): Promise<ProgramResult> =>
    run(["bash", "-euo", "pipefail", "-c", command], { cwd: project });
  /** The commands of the block that contains a text. */
  const commandsWith = (text: string): string => shell.find((block) => block.text.includes(text))?.text ?? "";

  beforeAll(async () => {
    project = await createBlank("my-app");
  });

  it("The commands of the page create the files, and its definitions compile with the printed count", async () => {
    const created = await inProject(commandsWith("threadhold new tool"));
    const [printed = ""] = fences(page).flatMap(({ info, text }) => (info === "" ? [text] : []));
    expect(created.code).toBe(0);
    expect(missingLine(printed, created.output)).toBeNull();
    const files = Object.fromEntries(quotedFiles(page).map(({ file, text }) => [file, text]));
    const { "agents/models/claude.ts": claude = "", ...first } = files;
    write(project, first);
    expect(await inProject(commandsWith("CRM_KEY"))).toMatchObject({ code: 0 });
    for (const { info, text } of fences(page)) if (info === "toml") append(path.join(project, "wrangler.toml"), text);
    const shown = /^compiled \d+ definitions/m.exec(page)?.[0] ?? "?";
    expect(await inProject(commandsWith("threadhold build"))).toMatchObject({
      code: 0,
      output: expect.stringContaining(shown),
    });
    write(project, { "agents/models/claude.ts": claude });
    expect(await inProject("npm run check")).toMatchObject({ code: 0 });
  });

  it("The requests of the page have the printed responses in the project", async () => {
    const server = await serve(["npm", "run", "dev", "--", "--port"], { cwd: project });
    try {
      const blocks = testedBlocks(page);
      const printed = await runBlocks(blocks, server.url, project);
      for (const [index, { output }] of blocks.entries()) {
        if (output !== null) expect(missingLine(output, printed[index] ?? "")).toBeNull();
      }
      const model = await fetch(`${server.url}/api/models/claude`, { headers: { "sec-fetch-site": "none" } });
      expect(await model.json()).toMatchObject({ ready: false, missing: "ANTHROPIC_API_KEY" });
    } finally {
      await server.close();
    }
  });
});

/** Writes the files of recipes into a project, and adds their bindings and the names of their secrets. */
function follow(project: string, recipes: readonly string[]): void {
  for (const page of recipes.map((name) => `recipe-${name}.md`)) {
    write(project, shownFiles(`docs/guide/${page}`));
    for (const { info, text } of fences(readPage(page))) {
      if (info === "toml") append(path.join(project, "wrangler.toml"), text);
      const secrets = [...text.matchAll(/^echo '(\w+=)' >> \.dev\.vars\.example$/gm)].map(([, line = ""]) => line);
      if (secrets.length > 0) append(path.join(project, ".dev.vars.example"), secrets.join("\n"));
    }
  }
}

function edit(project: string, file: string, from: string, to: string): void {
  const text = readFileSync(path.join(project, file), "utf8");
  expect(text).toContain(from);
  writeFileSync(path.join(project, file), text.replace(from, to));
}

describe("the recipes with agents", () => {
  let project = "";

  beforeAll(async () => {
    project = await createBlank("recipes");
    follow(project, ["support-desk", "database", "memory"]);
  });

  it("The definitions and programs of the recipes have no error in a created project", async () => {
    expect(await run(["npm", "run", "check"], { cwd: project })).toMatchObject({ code: 0 });
  });

  it("The tests of the recipes pass in a created project", async () => {
    const { code, output } = await run(["npm", "test"], { cwd: project });
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests .*\d passed/)]);
    for (const name of ["desk", "parcel_desk", "memory_assistant"]) expect(output).toContain(`${name}.test.ts`);
  });
});

describe("the recipes with a server", () => {
  let project = "";
  let server: RunningServer | undefined;
  const secret = "a-secret-of-more-than-32-characters";

  beforeAll(async () => {
    project = await createBlank("served");
    follow(project, ["nightly-run", "delete-customer", "user-tokens"]);
    edit(project, "wrangler.toml", 'main = ".threadhold/worker.ts"', 'main = "src/index.ts"');
    edit(project, "wrangler.toml", 'watch_dir = ["agents"', 'watch_dir = ["agents", "src"');
    edit(project, "tsconfig.json", '"include": ["agents"', '"include": ["agents", "src"');
    const claims = fences(readPage("recipe-user-tokens.md")).find(({ text }) => text.startsWith("JWT_SECRET="))?.text;
    const variables = (claims ?? "").replace(/^JWT_SECRET=.*$/m, `JWT_SECRET=${secret}`);
    const tokens = "API_TOKENS=the-admin,the-night=nightly\nNIGHTLY_TOKEN=the-night\n";
    writeFileSync(path.join(project, ".dev.vars"), `${variables}${tokens}`);
    expect(await run(["npm", "run", "check"], { cwd: project })).toMatchObject({ code: 0 });
    server = await serve(["npm", "run", "dev", "--", "--test-scheduled", "--port"], { cwd: project });
  });

  afterAll(() => server?.close());

  const request = async (token: string, route: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${server?.url ?? ""}${route}`, init)).json();
  };

  it("The handler of the recipe starts one run for a night, however often it is triggered", async () => {
    for (const _ of ["first", "second"]) {
      const triggered = await fetch(`${server?.url ?? ""}/__scheduled?cron=0+3+*+*+*`);
      expect([triggered.status, await triggered.text()]).toEqual([200, "Ran scheduled event"]);
    }
    const night = { user_id: "nightly", agent_id: "reporter", tags: ["nightly"] };
    await expect
      .poll(() => request("the-admin", "/api/threads?tag=nightly"))
      .toMatchObject({ threads: [{ ...night, status: "idle", message_count: 2 }] });
  });

  it("A token that the recipe signs identifies its user, and the script of the recipe deletes the threads of this user alone", async () => {
    const sources = readFileSync(path.join(project, "src/sign-token.ts"), "utf8");
    const { code } = await transform(sources, { loader: "ts" });
    const signing = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      signToken: (user: string, secret: string) => string;
    };
    const [anna, ben] = ["anna", "ben"].map((user) => signing.signToken(user, secret));
    expect(await request(anna ?? "", "/api/caller")).toEqual({ user_id: "anna", admin: false });
    for (const token of [anna, anna, ben]) await request(token ?? "", "/api/threads", { agent_id: "assistant" });
    const script = ["node", "scripts/delete-customer.mjs", server?.url ?? "", "anna"] as const;
    const runScript = (token: string): Promise<ProgramResult> =>
      run(script, { cwd: project, env: { ADMIN_TOKEN: token } });
    expect(await runScript(ben ?? "")).toMatchObject({
      code: 1,
      output: expect.stringContaining("not the token of an admin"),
    });
    for (const count of [2, 0]) {
      const output = `Deleted ${count} threads of anna; 0 are deleted in the background.\n`;
      expect(await runScript("the-admin")).toEqual({ code: 0, output });
    }
    expect(await request("the-admin", "/api/threads?user_id=ben")).toMatchObject({ threads: [{ user_id: "ben" }] });
  });
});
