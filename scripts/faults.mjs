// Checks that the names of fault points are unique in the sources. The lint rule threadhold/fault-before-await requires the points, and
// test/thread/every-fault.test.ts proves that each is reached and survived.
// `node scripts/faults.mjs [folder]` checks another folder, as its tests do.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { readFaultPoints } from "./lib/fault-points.mjs";
import { root } from "./lib/paths.mjs";

const tree = path.resolve(process.argv[2] ?? root);
const sources = readdirSync(path.join(tree, "src"), { recursive: true, encoding: "utf8" })
  .map((name) => path.posix.join("src", name.split(path.sep).join("/")))
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .map((file) => ({ path: file, text: readFileSync(path.join(tree, file), "utf8") }));

const { points, problems } = readFaultPoints(sources);
for (const problem of problems) console.log(problem);
console.log(`${points.length} fault points, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
