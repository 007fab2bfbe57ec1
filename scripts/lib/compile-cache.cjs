// Keeps large CommonJS files and V8's compiled code of them, loaded by `node --require`. The tests start wrangler hundreds of times, and each
// start would read and compile its 12 MB again: more than half of the processor time of a start. Node 22 has a cache of compiled code, Node
// 20 has none.
//
// In Node 20 code from V8's cache cannot import modules dynamically, so each `import(…)` of such a file becomes a call of a function that
// is not from the cache. Its name is as long as `import`, so positions in stack traces stay the same. A text with one character outside
// Latin-1 takes twice the memory, so such a character becomes an escape. A program sees that only in the source of a function or of a
// pattern and in the raw text of a template, and positions after an escape in the same line change.

const { createHash } = require("node:crypto");
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

// The methods that load, compile and find a module are not in the types of Node.
const Module = /** @type {any} */ (require("node:module"));

const folder = path.join(__dirname, "../../.cache/compiled");
/** Minimum size of a file whose code is kept: bytes of the file, and characters of its text. */
const large = 500_000;
const keptForMs = 24 * 60 * 60 * 1000;
/** The minimum age of a file whose hash is kept under its inode and times. A younger file may be changed while it is read. */
const settledMs = 10_000;
const importer = "imp0rt";
/** What the kept files depend on besides the source: V8, and this file. */
const version = process.versions.v8 + readFileSync(__filename, "utf8");

const load = Module._extensions[".js"];
Module._extensions[".js"] = function loadKept(module, filename) {
  const hash = keptHash(filename);
  const text = hash === undefined ? undefined : readText(`${hash}.js`);
  if (text !== undefined && text !== "") run(module, filename, hash, text);
  else load.call(this, module, filename);
};

const compile = Module.prototype._compile;
Module.prototype._compile = function compileOnce(source, filename, ...others) {
  if (source.length < large || source.startsWith("#!")) return compile.call(this, source, filename, ...others);
  const hash = hashOf(version, source);
  const text = readText(`${hash}.js`) ?? keepFunction(hash, source, filename);
  if (text === "") return compile.call(this, source, filename, ...others);
  keepHash(filename, source, hash);
  return run(this, filename, hash, text);
};

/** Runs the function of a file. V8 compares the length of a source and not its text, so the name of the code has a hash of the text. */
function run(module, filename, hash, text) {
  const cachedData = read(`${hash}.code`);
  const script = new vm.Script(text, { filename, cachedData });
  const given = [module.exports, Module.createRequire(filename), module, filename, path.dirname(filename)];
  const result = script.runInThisContext().call(module.exports, ...given, importerOf(filename));
  // V8 rejects code of another processor or of other flags.
  if (cachedData === undefined || script.cachedDataRejected === true) write(`${hash}.code`, script.createCachedData());
  return result;
}

/** The hash of a file's text if it is kept under the file's inode and times, which change with the text. */
function keptHash(filename) {
  const stat = statSync(filename, { bigint: true, throwIfNoEntry: false });
  return stat === undefined || stat.size < large ? undefined : readText(nameOf(filename, stat));
}

/** Keeps the hash of a text that is as long as its file, so that no other loader has changed it. */
function keepHash(filename, source, hash) {
  const stat = statSync(filename, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || Date.now() - Number(stat.ctimeMs) < settledMs) return;
  if (BigInt(Buffer.byteLength(source)) === stat.size) write(nameOf(filename, stat), hash);
}

function nameOf(filename, { dev, ino, size, mtimeNs, ctimeNs }) {
  return `${hashOf(version, [dev, ino, size, mtimeNs, ctimeNs, filename].join(" "))}.text`;
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

function keepFunction(hash, source, filename) {
  const text = functionOf(source, filename);
  write(`${hash}.js`, text, "latin1");
  return text;
}

/** The text of a function with the source as its body. Empty if there is none, so that Node compiles the source itself. */
function functionOf(source, filename) {
  // Unicode's line separators end a line of code, and their escapes do not.
  if (source.includes(importer) || /[\u2028\u2029]/.test(source)) return "";
  const { module, errors } = require("oxc-parser").parseSync(filename, source);
  // The parser reports errors also for code that is valid only outside of strict mode.
  if (errors.length > 0) return "";
  const positions = module.dynamicImports.map(({ start }) => start);
  const parameters = `exports, require, module, __filename, __dirname, ${importer}`;
  const text = escaped(`(function (${parameters}) { ${withImporter(source, positions)}\n})`);
  return isScript(text) ? text : "";
}

/** Whether V8 accepts a text. It accepts no escape in place of a space, or of a part of some names. */
function isScript(text) {
  try {
    return new vm.Script(text) instanceof vm.Script;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function withImporter(source, positions) {
  let [text, end] = ["", 0];
  for (const start of positions) {
    text += source.slice(end, start) + importer;
    end = start + importer.length;
  }
  return text + source.slice(end);
}

/** Escapes each UTF-16 code unit that is not in Latin-1. A backslash that already escapes it is left out. */
function escaped(text) {
  return text.replaceAll(/(\\*)([\u0100-\uffff])/g, (_, slashes, unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `${slashes.slice(slashes.length % 2)}\\u${code}`;
  });
}

function readText(name) {
  return read(name)?.toString("latin1");
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
function write(name, content, encoding) {
  mkdirSync(folder, { recursive: true });
  for (const each of readdirSync(folder)) {
    const older = path.join(folder, each);
    const { mtimeMs } = statSync(older, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > keptForMs) rmSync(older, { force: true });
  }
  const temporary = path.join(folder, `${name}.${process.pid}`);
  writeFileSync(temporary, content, encoding);
  renameSync(temporary, path.join(folder, name));
}
