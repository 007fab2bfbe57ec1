// `create-threadhold` with hostile names and folders: it writes nothing outside of its folder, its files stay valid, and its messages are safe
// to read and to copy into a shell.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";

import { parse as parseToml } from "smol-toml";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { runCreate } from "../../packages/create-threadhold/src/create-command.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../packages/create-threadhold/package.json", import.meta.url), "utf8"),
) as { version: string };
const scratch = mkdtempSync(path.join(tmpdir(), "create-hostile-"));
let [cwd, outside] = ["", ""];
let runs = 0;

beforeEach(() => {
  runs += 1;
  cwd = path.join(scratch, String(runs), "work");
  outside = path.join(scratch, String(runs), "outside");
  for (const folder of [cwd, outside]) mkdirSync(folder, { recursive: true });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function create(...args: string[]) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const code = await runCreate(["--yes", "--no-install", "--no-git", ...args], {
    cwd,
    env: { PATH: process.env["PATH"] },
    input: new PassThrough(),
    output,
    errors,
  });
  const text = (from: PassThrough) => String(from.read() ?? "");
  return { code, output: text(output), errors: text(errors) };
}

const entries = () => readdirSync(path.join(scratch, String(runs)), { recursive: true, encoding: "utf8" }).toSorted();

/** Text without characters that change a terminal. */
const isPlain = (text: string) => /^[^\p{Cc}\p{Cf}]*$/u.test(text.replaceAll("\n", ""));

const names = [
  "..",
  "../..",
  "a b",
  "it's",
  'say"hi"',
  "$(touch pwned)",
  "`touch pwned`",
  "a;touch pwned",
  "a&b",
  "a|b",
  "naïve",
  "проект",
  "a\u202Eb",
  "a\u0000b",
  "a\nb",
  "\u001B[2Jx",
  "x".repeat(64),
  "x".repeat(300),
  "x".repeat(5000),
  "node_modules",
  ".git",
  "con",
  "nul",
  "lpt1",
  "com9",
  "-x",
  "__proto__",
  "CON",
  "a.",
  "a ",
  "%2e%2e",
  "~",
  "*",
  "a:b",
  "a\\b",
  "${HOME}",
  "@scope/a b",
];

describe("hostile names", () => {
  it.each(names.map((name) => [JSON.stringify(name).slice(0, 60), name]))(
    "A name that cannot be that of a project writes nothing and has a message that names the fix: %s",
    async (_shown, name) => {
      const before = entries();
      const { code, output, errors } = await create("--", name);
      expect({ code, output }).toEqual({ code: 2, output: "" });
      expect(errors).toMatch(/Use at most 63|Choose another|Choose a folder/);
      expect(errors).not.toMatch(/^\s+at /m);
      expect(isPlain(errors)).toBe(true);
      expect(entries()).toEqual(before);
    },
  );

  it.each(["constructor", "tostring", "a-b-1", "x".repeat(63), "null", "true", "con1", "console"])(
    "The files of a project with an unusual name are valid: %s",
    async (name) => {
      expect(await create(name)).toMatchObject({ code: 0, errors: "" });
      const read = (file: string) => readFileSync(path.join(cwd, name, file), "utf8");
      expect(JSON.parse(read("package.json"))).toMatchObject({ name });
      expect(parseToml(read("wrangler.toml"))).toMatchObject({ name });
    },
  );
});

describe("hostile folders", () => {
  const parents = [
    "a b",
    "it's",
    'say"hi"',
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "a&touch pwned",
    "a\u202Eb",
    "a\nb",
    "\u001B[2Jx",
    "-x",
    "naïve",
    "!x",
    "~",
    "#a",
    "a\\b",
  ];
  it.each(parents.map((name) => [JSON.stringify(name), name]))(
    "The printed command of a project below a hostile folder opens that folder and does nothing else: %s",
    async (_shown, parent) => {
      const { code, output, errors } = await create("--", `${parent}/shop`);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(isPlain(output)).toBe(true);
      expect(readdirSync(path.join(cwd, parent))).toEqual(["shop"]);
      const line = output.split("\n").find((one) => /^ {2}(?:cd|open the folder) /.test(one)) ?? "";
      if (line.startsWith("  cd ")) {
        const shell = spawnSync("sh", ["-c", `${line.trim()} && pwd`], { cwd, encoding: "utf8" });
        expect(shell.stdout).toBe(`${path.join(cwd, parent, "shop")}\n`);
      }
      expect(readdirSync(cwd)).toEqual([parent]);
      expect(existsSync(path.join(cwd, "pwned"))).toBe(false);
    },
  );

  it.each([".git/shop", "node_modules/shop", "a/node_modules/b/shop", ".GIT/hooks/shop"])(
    "A folder that Git or a package manager owns is refused: %s",
    async (folder) => {
      const { code, errors } = await create(folder);
      expect(code).toBe(2);
      expect(errors).toMatch(/is inside of a folder .* Choose a folder outside of it\.\n$/);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.each(["to a folder", "to nothing", "to a file", "to itself"])(
    "A folder that is a link %s is refused, and nothing is written through the link",
    async (kind) => {
      const target =
        kind === "to a folder" ? outside : kind === "to itself" ? path.join(cwd, "shop") : path.join(outside, "file");
      if (kind === "to a file") writeFileSync(target, "kept");
      symlinkSync(target, path.join(cwd, "shop"));
      const before = entries();
      const { code, errors } = await create("shop");
      expect(code).toBe(2);
      expect(errors).toMatch(/shop is a link\. Name the folder that it leads to, or another one\.\n$/);
      expect(entries()).toEqual(before);
    },
  );

  it("Files and links in a folder are kept, and the project is refused", async () => {
    mkdirSync(path.join(cwd, "shop"));
    symlinkSync(outside, path.join(cwd, "shop/agents"));
    const { code, errors } = await create("shop");
    expect(code).toBe(2);
    expect(errors).toMatch(/shop is not empty\./);
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each([`new/deep/${"x".repeat(300)}/shop`, `new/${"y/".repeat(3000)}shop`, "new/a\u0000b/shop"])(
    "A path that the disk refuses leaves no folder, also none of its parents",
    async (folder) => {
      const { code, errors } = await create(folder);
      expect(code).toBe(2);
      expect(errors).toContain("Choose another folder, or make this one writable.");
      expect(isPlain(errors)).toBe(true);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.skipIf(process.getuid?.() === 0)(
    "A folder that the user may not write to gets a message, and stays as it is",
    async () => {
      chmodSync(cwd, 0o500);
      const { code, errors } = await create("shop");
      chmodSync(cwd, 0o700);
      expect(code).toBe(2);
      expect(errors).toContain("Choose another folder, or make this one writable.");
      expect(readdirSync(cwd)).toEqual([]);
    },
  );
});

describe("hostile options", () => {
  it.each(["a b$(x)", "a#b", "%2e%2e%2f", "..tgz", "-x", "'\""])(
    "The packages in a folder with a hostile name are copied into the project under plain names: %s",
    async (name) => {
      mkdirSync(path.join(outside, name));
      for (const each of ["threadhold", "threadhold-client", "threadhold-cli"])
        writeFileSync(path.join(outside, name, `${each}-${version}.tgz`), each);
      expect(await create("shop", "--threadhold", path.join(outside, name))).toMatchObject({ code: 0 });
      const { dependencies } = JSON.parse(readFileSync(path.join(cwd, "shop/package.json"), "utf8")) as {
        dependencies: Record<string, string>;
      };
      const file = dependencies["threadhold"]?.replace("file:", "") ?? "";
      expect(file).toMatch(/^\w[\w.-]*\.tgz$/);
      expect(readFileSync(path.join(cwd, "shop", file), "utf8")).toBe("threadhold");
    },
  );

  it.each([
    "https://github.com/a/b)](javascript:alert(1))",
    "https://github.com/a/b`x`",
    'https://github.com/a/b"onload=x',
    "https://github.com/a/<script>",
    "https://github.com/a/b%0a%0ax",
    "https://github.com.evil.test/a/b",
    "https://github.com:8443/a/b",
    "javascript://github.com/a/b",
  ])("An address of a repository that is more than owner and name is refused: %s", async (address) => {
    const { code, errors } = await create("shop", "--repository", address);
    expect(code).toBe(2);
    expect(errors).toContain("is not the plain address of a public repository");
    expect(readdirSync(cwd)).toEqual([]);
  });
});
