// Writes the declarations of the package. TypeScript emits one file for each module of `src`. Only those that an entry reaches are kept, and
// their imports become relative paths to `.js`, which every module resolution of TypeScript follows.

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { parseSync } from "oxc-parser";

import { fromRoot, root } from "../paths.mjs";
import { quickTypescript, tools } from "../tools.mjs";

/** @typedef {{ entries: string[], folder: string, elsewhere?: Record<string, string>, isSmall?: boolean }} Declarations
 * `entries`: source files, such as `src/client/index.ts`. `folder`: the declarations of `src/a/b.ts` become `a/b.d.ts` below it. `elsewhere`:
 * the packages that export modules, such as `@threadhold/client` for `client/index`. `isSmall`: the declarations of zod become part of the
 * package, so that its types need no installation of zod, and lines are indented by tabs. */

/** @param {Declarations[]} packages */
export async function writeDeclarations(packages) {
  mkdirSync(fromRoot(".cache"), { recursive: true });
  const work = mkdtempSync(fromRoot(".cache/declarations-"));
  try {
    const errors = await emit([...new Set(packages.flatMap(({ entries }) => entries))], work);
    const done = new Set(packages.flatMap((each) => writeReached(each, path.join(work, "out"))));
    // The other modules are only the Worker's implementation, whose types no declaration names.
    const relevant = errors.filter(({ file }) => done.has(moduleOf(file)));
    if (relevant.length > 0) throw new Error(`Declarations:\n${relevant.map(({ line }) => line).join("\n")}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const moduleOf = (file) => path.posix.relative("src", file).replace(/\.tsx?$/, "");

/** Writes the declarations that the entries of a package reach, and returns the names of their modules. */
function writeReached({ entries, folder, elsewhere = {}, isSmall = false }, emitted) {
  const done = new Set();
  const open = entries.map(moduleOf);
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (done.has(module)) continue;
    done.add(module);
    const exporter = elsewhere[module];
    const { text, imports } =
      exporter !== undefined && entries.map(moduleOf).includes(module)
        ? { text: `export * from ${JSON.stringify(exporter)};\n`, imports: [] }
        : rewritten(module, emitted, { elsewhere, isSmall });
    const target = path.join(folder, `${module}.d.ts`);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, isSmall ? text.replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4)) : text);
    open.push(...imports);
  }
  if (isSmall) copyZod(path.join(folder, "zod"));
  return [...done];
}

/** Copies the declarations of zod, which those of the contract name, without the texts of its errors in other languages. */
function copyZod(folder) {
  const zod = fromRoot("node_modules/zod");
  const open = ["index.d.ts"];
  const done = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = readFileSync(path.join(zod, file), "utf8").replaceAll(/^.*"[./]*\/locales\/.*\n?/gm, "");
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
    for (const [, name = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g))
      open.push(`${path.posix.join(path.posix.dirname(file), name)}.d.ts`);
  }
  cpSync(path.join(zod, "LICENSE"), path.join(folder, "LICENSE"));
}

/**
 * Lets TypeScript write the declarations of all modules that the entries reach.
 *
 * @returns {Promise<{ file: string, line: string }[]>} the errors that TypeScript found
 */
function emit(entries, work) {
  const config = {
    extends: fromRoot("tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: path.join(work, "out"),
      rootDir: fromRoot("src"),
      lib: ["es2024", "dom", "dom.iterable"],
      jsx: "react-jsx",
    },
    files: [...entries, "src/store/sql-module.d.ts"].map(fromRoot),
    include: [],
  };
  const file = path.join(work, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  const args = [fromRoot(tools.tsc), "-p", file, ...quickTypescript];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 24 }, (error, stdout) => {
      // TypeScript ends with an exit code if it finds errors, and has written the declarations then too.
      if (error && typeof error.code !== "number")
        return reject(new Error("TypeScript could not be run.", { cause: error }));
      const lines = stdout.split("\n").flatMap((line) => {
        const found = /^(\S+?)\(\d+,\d+\): error /.exec(line)?.[1];
        return found === undefined ? [] : [{ file: found, line }];
      });
      resolve(lines);
    });
  });
}

/** The declarations of a module with relative imports, and the modules that they name. `emitted` is the folder of all declarations. */
function rewritten(module, emitted, { elsewhere, isSmall }) {
  const source = readFileSync(path.join(emitted, `${module}.d.ts`), "utf8");
  const { program, errors } = parseSync(`${module}.d.ts`, source);
  if (errors.length > 0) throw new Error(`The declarations of ${module} cannot be parsed: ${errors[0]?.message}`);
  /** @type {{ start: number, end: number, value: string }[]} */
  const specifiers = [];
  visit(program, (node) => {
    const found = node.type === "TSImportType" ? (node.source ?? node.argument?.literal) : node.source;
    if (found?.type === "Literal" && (/^[.#]/.test(found.value) || (isSmall && found.value === "zod")))
      specifiers.push(found);
  });
  const imports = [];
  let text = source;
  for (const { start, end, value } of specifiers.sort((one, other) => other.start - one.start)) {
    if (value === "zod") {
      const relative = path.posix.relative(path.posix.dirname(module), "zod/index.js");
      text =
        text.slice(0, start) + JSON.stringify(relative.startsWith(".") ? relative : `./${relative}`) + text.slice(end);
      continue;
    }
    const target = value.startsWith("#") ? value.slice(1) : path.posix.join(path.posix.dirname(module), value);
    const plain = target.replace(/\.tsx?$/, "");
    // In a type that TypeScript infers, it may name the folder of an index module.
    const name = existsSync(path.join(emitted, `${plain}.d.ts`)) ? plain : `${plain}/index`;
    const exporter = elsewhere[name];
    if (exporter !== undefined) {
      text = text.slice(0, start) + JSON.stringify(exporter) + text.slice(end);
      continue;
    }
    imports.push(name);
    const relative = path.posix.relative(path.posix.dirname(module), name);
    const specifier = `${relative.startsWith(".") ? relative : `./${relative}`}.js`;
    text = text.slice(0, start) + JSON.stringify(specifier) + text.slice(end);
  }
  // The types of `threadhold` are `any` for a program that has no such package, which `src/client/registered.ts` handles.
  if (isSmall) text = text.replaceAll(/^(?=import .* from "threadhold";$)/gm, "// @ts-ignore\n");
  return { text, imports };
}

function visit(value, each) {
  if (Array.isArray(value)) for (const entry of value) visit(entry, each);
  else if (value !== null && typeof value === "object") {
    if (typeof value.type === "string") each(value);
    for (const entry of Object.values(value)) visit(entry, each);
  }
}
