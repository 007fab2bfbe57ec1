// Counts circles of imports in `src`: files that import each other, directly or through others. `npm run check` runs it.
// A circle of values can read a name before it has a value, so there is none. A circle of types compiles, and makes files that can only be
// understood together: one may have at most six. It also counts imports that go up a floor inside a layer (`lib/floors.mjs`).

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { parseSync } from "oxc-parser";

import { checkFloors, floors } from "./lib/floors.mjs";
import { fromRoot } from "./lib/paths.mjs";

/** The most files of a circle of types. */
const mostFiles = 6;

const files = readdirSync(fromRoot("src"), { recursive: true, encoding: "utf8" })
  .map((file) => path.posix.join("src", file.split(path.sep).join("/")))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));
const known = new Set(files);

/** What a file imports: the files of its imports of values, and those of all its imports. */
function importsOf(file) {
  const { module } = parseSync(file, readFileSync(fromRoot(file), "utf8"));
  const [values, all] = [new Set(), new Set()];
  const add = (specifier, isType) => {
    const target = specifier.startsWith("#")
      ? specifier.replace("#", "src/")
      : specifier.startsWith(".")
        ? path.posix.join(path.posix.dirname(file), specifier)
        : "";
    if (!known.has(target) || target === file) return;
    all.add(target);
    if (!isType) values.add(target);
  };
  for (const { moduleRequest, entries } of module.staticImports)
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries) if (moduleRequest !== null) add(moduleRequest.value, isType);
  return { values: [...values], all: [...all] };
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/**
 * The circles of a graph: its strongly connected components of more than one file (Tarjan's algorithm), the largest first.
 *
 * @param {(file: string) => string[]} next
 * @returns {string[][]}
 */
function circlesOf(next) {
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const visited = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const circles = [];
  /** @param {string} file */
  const visit = (file) => {
    const own = { index: visited.size, low: visited.size, isOpen: true };
    visited.set(file, own);
    stack.push(file);
    for (const target of next(file)) {
      const known = visited.get(target);
      if (known === undefined) own.low = Math.min(own.low, visit(target));
      else if (known.isOpen) own.low = Math.min(own.low, known.index);
    }
    if (own.low !== own.index) return own.low;
    const circle = stack.splice(stack.indexOf(file));
    for (const member of circle) /** @type {{ isOpen: boolean }} */ (visited.get(member)).isOpen = false;
    if (circle.length > 1) circles.push(circle.toSorted());
    return own.low;
  };
  for (const file of files) if (!visited.has(file)) visit(file);
  return circles.toSorted((one, other) => other.length - one.length);
}

const valuesOf = (file) => imports.get(file)?.values ?? [];
const allOf = (file) => imports.get(file)?.all ?? [];
const ofValues = circlesOf(valuesOf);
const ofTypes = circlesOf(allOf);
const tooLarge = ofTypes.filter((circle) => circle.length > mostFiles);
for (const circle of ofValues) console.log(`A circle of values:\n${circle.map((file) => `  ${file}\n`).join("")}`);
for (const circle of tooLarge) {
  console.log(`A circle of ${circle.length} files, of at most ${mostFiles}:`);
  for (const file of circle) {
    const within = allOf(file).filter((target) => circle.includes(target));
    console.log(
      `  ${file} → ${within.map((target) => path.posix.relative(path.posix.dirname(file), target)).join(", ")}`,
    );
  }
}

const imported = new Map(files.map((file) => [file, allOf(file)]));
const checked = floors.map((layer) => checkFloors(layer, imported));
const wrongFloors = checked.flatMap(({ problems }) => problems);
if (wrongFloors.length > 0) for (const arrow of checked.flatMap(({ upward }) => upward)) console.log(arrow);
for (const problem of wrongFloors) console.log(problem);

console.log(
  `${files.length} files, ${ofValues.length} circles of values, ${ofTypes.length} circles of types, the largest with ${ofTypes[0]?.length ?? 0} files, ` +
    floors.map(({ layer }, at) => `${checked[at]?.upward.length} imports up a floor in ${layer}`).join(", "),
);
process.exit(ofValues.length + tooLarge.length + wrongFloors.length === 0 ? 0 : 1);
