// Writes the declarations of the package. TypeScript emits one file for each module of `src`. Only those that an entry reaches are kept, and
// their imports become relative paths to `.js`, which every module resolution of TypeScript follows.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { parseSync } from "oxc-parser";

import { fromRoot, root } from "../paths.mjs";
import { quickTypescript, tools } from "../tools.mjs";

/**
 * @param {string[]} entries source files, such as `src/client/index.ts`
 * @param {string} folder the declarations of `src/a/b.ts` become `a/b.d.ts` below it
 */
export async function writeDeclarations(entries, folder) {
  mkdirSync(fromRoot(".cache"), { recursive: true });
  const work = mkdtempSync(fromRoot(".cache/declarations-"));
  try {
    const errors = await emit(entries, work);
    const done = new Set();
    const open = entries.map((entry) => path.posix.relative("src", entry).replace(/\.tsx?$/, ""));
    for (let module = open.pop(); module !== undefined; module = open.pop()) {
      if (done.has(module)) continue;
      done.add(module);
      const { text, imports } = rewritten(module, path.join(work, "out"));
      const target = path.join(folder, `${module}.d.ts`);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
      open.push(...imports);
    }
    // The other modules are only the Worker's implementation, whose types no declaration names.
    const relevant = errors.filter(({ file }) => done.has(path.posix.relative("src", file).replace(/\.tsx?$/, "")));
    if (relevant.length > 0) throw new Error(`Declarations:\n${relevant.map(({ line }) => line).join("\n")}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
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
function rewritten(module, emitted) {
  const source = readFileSync(path.join(emitted, `${module}.d.ts`), "utf8");
  const { program, errors } = parseSync(`${module}.d.ts`, source);
  if (errors.length > 0) throw new Error(`The declarations of ${module} cannot be parsed: ${errors[0]?.message}`);
  /** @type {{ start: number, end: number, value: string }[]} */
  const specifiers = [];
  visit(program, (node) => {
    const found = node.type === "TSImportType" ? (node.source ?? node.argument?.literal) : node.source;
    if (found?.type === "Literal" && /^[.#]/.test(found.value)) specifiers.push(found);
  });
  const imports = [];
  let text = source;
  for (const { start, end, value } of specifiers.sort((one, other) => other.start - one.start)) {
    const target = value.startsWith("#") ? value.slice(1) : path.posix.join(path.posix.dirname(module), value);
    const plain = target.replace(/\.tsx?$/, "");
    // In a type that TypeScript infers, it may name the folder of an index module.
    const name = existsSync(path.join(emitted, `${plain}.d.ts`)) ? plain : `${plain}/index`;
    imports.push(name);
    const relative = path.posix.relative(path.posix.dirname(module), name);
    const specifier = `${relative.startsWith(".") ? relative : `./${relative}`}.js`;
    text = text.slice(0, start) + JSON.stringify(specifier) + text.slice(end);
  }
  return { text, imports };
}

function visit(value, each) {
  if (Array.isArray(value)) for (const entry of value) visit(entry, each);
  else if (value !== null && typeof value === "object") {
    if (typeof value.type === "string") each(value);
    for (const entry of Object.values(value)) visit(entry, each);
  }
}
