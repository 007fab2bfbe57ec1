// What an installation of each package brings, in folders that have nothing else: packages, bytes, native builds, and types.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { root, run, type ProgramResult } from "./run.ts";

const { threadhold, cliTarball, clientTarball } = inject("packed");
const scratch = mkdtempSync(path.join(tmpdir(), "threadhold-weight-"));
const tsc = path.join(root, "node_modules/.bin/tsc");

afterAll(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));

const install = (folder: string, ...packages: string[]): Promise<ProgramResult> =>
  run(["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", ...packages], { cwd: folder });

function newFolder(name: string): string {
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  return folder;
}

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; os?: string[]; cpu?: string[] }>;
}

/** The packages that are installed in a folder, by their places, as npm recorded them. */
function installedIn(folder: string): Lock["packages"] {
  const lock = JSON.parse(readFileSync(path.join(folder, "node_modules/.package-lock.json"), "utf8")) as Lock;
  return lock.packages;
}

/** All files of a folder with their sizes in bytes. */
function filesOf(folder: string): { file: string; size: number }[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return { file, size: statSync(file).size };
  });
}

const bytesOf = (folder: string): number => filesOf(folder).reduce((sum, { size }) => sum + size, 0);

describe("the package threadhold alone", () => {
  let folder = "";

  beforeAll(async () => {
    folder = newFolder("threadhold-alone");
    expect(await install(folder, threadhold, clientTarball, "zod")).toMatchObject({ code: 0 });
  });

  it("WEIGHT1 The package threadhold brings at most 45 packages, no native build and no script that runs at installation", () => {
    const packages = Object.entries(installedIn(folder));
    console.log(`threadhold: ${String(packages.length)} packages, ${String(Math.round(bytesOf(folder) / 1e6))} MB`);
    expect(packages.length).toBeLessThanOrEqual(45);
    const native = packages.filter(([, { hasInstallScript, os, cpu }]) => hasInstallScript ?? os ?? cpu);
    expect(native.map(([place]) => place)).toEqual([]);
    expect(filesOf(folder).filter(({ file }) => /\.(?:node|exe|dll|so|dylib|gyp)$/.test(file))).toEqual([]);
  });

  it("WEIGHT2 Without the command line, the program threadhold names the command that installs it, in its version", async () => {
    const { version } = JSON.parse(readFileSync(path.join(folder, "node_modules/threadhold/package.json"), "utf8")) as {
      version: string;
    };
    const { code, output } = await run(["threadhold", "check"], { cwd: folder });
    expect([code, output]).toEqual([
      2,
      `The command line is the package @threadhold/cli, which is not installed. Run: npm install --save-dev @threadhold/cli@${version}\n`,
    ]);
  });

  it("A program in Node uses the entries for models, agents and loops without the command line", async () => {
    const entries = ["upp", "agents", "loop", "loop/sessions", "session", "client", "tools/files", "tools/mcp"];
    const program = `for (const entry of ${JSON.stringify(entries)}) await import("threadhold/" + entry);\nconsole.log("loaded");\n`;
    writeFileSync(path.join(folder, "load.mjs"), program);
    expect(await run(["node", "load.mjs"], { cwd: folder })).toEqual({ code: 0, output: "loaded\n" });
  });
});

describe("the command line", () => {
  it("WEIGHT3 The command line in another version than threadhold is refused with the command that installs the same version", async () => {
    const folder = newFolder("other-version");
    const flags = ["--ignore-scripts", "--legacy-peer-deps"];
    expect(await install(folder, ...flags, threadhold, clientTarball, cliTarball)).toMatchObject({ code: 0 });
    expect(await run(["threadhold", "--version"], { cwd: folder })).toMatchObject({ code: 0 });
    const ofPackage = await run(["node", "node_modules/@threadhold/cli/dist/bin.js", "--help"], { cwd: folder });
    expect([ofPackage.code, ofPackage.output]).toEqual([0, expect.stringContaining("Usage: threadhold")]);

    const file = path.join(folder, "node_modules/@threadhold/cli/package.json");
    const manifest = JSON.parse(readFileSync(file, "utf8")) as { version: string };
    writeFileSync(file, JSON.stringify({ ...manifest, version: "9.9.9" }));
    const { code, output } = await run(["threadhold", "--version"], { cwd: folder });
    const { version } = manifest;
    expect([code, output]).toEqual([
      2,
      `threadhold is ${version}, and @threadhold/cli is 9.9.9. Install the same version: npm install --save-dev @threadhold/cli@${version}\n`,
    ]);
  });
});

describe("the client alone", () => {
  let folder = "";

  beforeAll(async () => {
    folder = newFolder("client-alone");
    expect(await install(folder, clientTarball)).toMatchObject({ code: 0 });
  });

  it("WEIGHT4 The package @threadhold/client installs nothing else, and has at most 1 MB", () => {
    expect(Object.keys(installedIn(folder))).toEqual(["node_modules/@threadhold/client"]);
    expect(bytesOf(path.join(folder, "node_modules/@threadhold/client"))).toBeLessThanOrEqual(1_000_000);
  });

  it("WEIGHT5 The types of the client are complete without zod and without threadhold, also if TypeScript checks libraries", async () => {
    const program = `import { ThreadholdClient } from "@threadhold/client";
const client = new ThreadholdClient({ url: "http://localhost:8787" });
const thread = client.thread(await client.threads.create({ agent_id: "any name" }));
const text: string | null = (await thread.send("Hello")).text;
for await (const event of thread.events()) if (event.type === "text_delta") event.delta satisfies string;
// @ts-expect-error A wrong type is found: the types are not \`any\`.
const wrong: number = (await thread.send("Hello")).text;
// @ts-expect-error A field that does not exist is found.
await client.threads.create({ agent: "x" });
export { text, wrong };
`;
    writeFileSync(path.join(folder, "use.mts"), program);
    const options = ["--module", "nodenext", "--target", "es2022", "--lib", "es2024,dom,dom.iterable", "--types", ""];
    const checked = await run([tsc, "--noEmit", "--strict", ...options, "use.mts"], { cwd: folder });
    expect(checked).toEqual({ code: 0, output: "" });
  });

  it("WEIGHT6 The entries threadhold/client and threadhold/react export the modules of @threadhold/client", async () => {
    const both = newFolder("both");
    expect(await install(both, "--ignore-scripts", threadhold, clientTarball, "zod", "react@19")).toMatchObject({
      code: 0,
    });
    const program = `import * as one from "threadhold/client";
import * as other from "@threadhold/client";
import * as hooks from "threadhold/react";
import * as otherHooks from "@threadhold/client/react";
console.log(one.ThreadholdClient === other.ThreadholdClient, hooks.useThread === otherHooks.useThread);
`;
    writeFileSync(path.join(both, "same.mjs"), program);
    expect(await run(["node", "same.mjs"], { cwd: both })).toEqual({ code: 0, output: "true true\n" });
  });
});
