// Keeps V8's compiled code of large CommonJS files, loaded by `node --require`. The tests start wrangler hundreds of times, and each start
// would compile its 12 MB again: half of the processor time of a start. Node 22 has such a cache of its own, Node 20 has none.
//
// In Node 20 code from V8's cache cannot import modules dynamically, so each `import(…)` of such a file becomes a call of a function that
// is not from the cache. Its name is as long as `import`, so positions in stack traces stay the same.

const { createHash } = require("node:crypto");
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

// The methods that compile and find a module are not in the types of Node.
const Module = /** @type {any} */ (require("node:module"));

const folder = path.join(__dirname, "../../.cache/compiled");
/** Characters from which on the code of a file is kept. */
const large = 500_000;
const keptForMs = 24 * 60 * 60 * 1000;
/** The minimum age of a file whose hash is kept under its inode and times. A younger file may be changed while it is read. */
const settledMs = 10_000;
const importer = "imp0rt";

const compile = Module.prototype._compile;
Module.prototype._compile = function compileOnce(source, filename, ...others) {
  if (source.length < large || source.startsWith("#!")) return compile.call(this, source, filename, ...others);
  // V8 compares the length of a source and not its text, so the names have a hash of the text.
  const hash = hashOfText(source, filename);
  const imports = JSON.parse(readOrWrite(`${hash}.imports`, () => JSON.stringify(importPositions(source, filename))));
  if (imports === null) return compile.call(this, source, filename, ...others);
  const cachedData = read(`${hash}.code`);
  const text = withImporter(source, imports);
  const parameters = `exports, require, module, __filename, __dirname, ${importer}`;
  const script = new vm.Script(`(function (${parameters}) { ${text}\n})`, { filename, cachedData });
  const given = [this.exports, Module.createRequire(filename), this, filename, path.dirname(filename)];
  const result = script.runInThisContext().call(this.exports, ...given, importerOf(filename));
  // V8 rejects code of another processor or of other flags.
  if (cachedData === undefined || script.cachedDataRejected === true) write(`${hash}.code`, script.createCachedData());
  return result;
};

/** The hash of a file's text. It takes a tenth of a start, so it is kept under the file's inode and times, which change with the text. */
function hashOfText(source, filename) {
  const make = () => hashOf(process.versions.v8, source);
  const stat = statSync(filename, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || Date.now() - Number(stat.ctimeMs) < settledMs) return make();
  const { dev, ino, size, mtimeNs, ctimeNs } = stat;
  const known = [dev, ino, size, mtimeNs, ctimeNs, source.length, filename].join(" ");
  return readOrWrite(`${hashOf(process.versions.v8, known)}.text`, make);
}

function hashOf(...texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex").slice(0, 32);
}

/** Imports modules for a file. */
function importerOf(filename) {
  const module = new Module(filename);
  module.filename = filename;
  module.paths = Module._nodeModulePaths(path.dirname(filename));
  compile.call(module, "module.exports = (name, options) => import(name, options);", filename);
  return module.exports;
}

/** The positions of `import(…)` in a source; null if it has the importer's name, or is not valid in strict mode, which the parser expects. */
function importPositions(source, filename) {
  if (source.includes(importer)) return null;
  const { module, errors } = require("oxc-parser").parseSync(filename, source);
  return errors.length > 0 ? null : module.dynamicImports.map(({ start }) => start);
}

function withImporter(source, positions) {
  let [text, end] = ["", 0];
  for (const start of positions) {
    text += source.slice(end, start) + importer;
    end = start + importer.length;
  }
  return text + source.slice(end);
}

function readOrWrite(name, make) {
  const known = read(name);
  if (known !== undefined) return known.toString();
  const made = make();
  write(name, made);
  return made;
}

function read(name) {
  try {
    return readFileSync(path.join(folder, name));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  }
}

/** The file is renamed into place as a whole, because other processes read and write it at the same time. */
function write(name, content) {
  mkdirSync(folder, { recursive: true });
  for (const each of readdirSync(folder)) {
    const older = path.join(folder, each);
    const { mtimeMs } = statSync(older, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > keptForMs) rmSync(older, { force: true });
  }
  const temporary = path.join(folder, `${name}.${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, path.join(folder, name));
}
