// Measures hostile texts at the inputs of docs/design/untrusted-input.md: the longest time in one piece, in which no other thread of the
// isolate is served, and the memory. Each text is played in a process of its own. Times are processor time, because the load of the machine
// changes the others.
//
//   npm run bench -- hostile [--only mcp]

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "esbuild";

import { fromRoot } from "../scripts/lib/paths.mjs";
import { cases } from "./support/hostile-texts.mjs";
import { report } from "./support/report.mjs";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
/** Aims: milliseconds in one piece, and MiB. */
const [longestPiece, mostMemory] = [250, 64];

const player = fileURLToPath(new URL("./support/play-hostile.mjs", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "threadhold-hostile-"));
const bundle = path.join(folder, "inputs.mjs");
let code = 1;
try {
  await build({
    stdin: {
      contents: [
        `export { parseJson } from "./http/input/parse-json.ts";`,
        `export { ServerSession } from "./tools/mcp/server-session.ts";`,
        `export { systemClock } from "./lib/system-clock.ts";`,
        `export { readDocument } from "./tools/openapi/api-document.ts";`,
        `export { AnswerLines } from "./models/answer-lines.ts";`,
        `export { ChatRepair } from "./models/chat-repair.ts";`,
        `export { createModelPort } from "./models/create-model-port.ts";`,
        `export { RawText } from "./models/raw-text.ts";`,
        `export { Answer, parseArguments } from "./core/model/answer.ts";`,
        `export { pageText } from "./tools/web/page-text.ts";`,
        `export { skillFrontmatter } from "./lib/untrusted/skill-frontmatter.ts";`,
      ].join("\n"),
      resolveDir: fromRoot("src"),
      loader: "ts",
    },
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    logLevel: "error",
  });
  const rows = Object.keys(cases)
    .filter((name) => name.includes(values.only))
    .flatMap((name) => {
      const played = spawnSync(process.execPath, [player, bundle, name], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
        timeout: 120_000,
      });
      if (played.status !== 0) throw new Error(`The text "${name}" was not played to its end.`);
      const { pieceMs, totalMs, mebibytes, outcome } = JSON.parse(played.stdout);
      return [
        { what: name, measured: pieceMs, unit: "ms", limit: longestPiece, runs: 1, comparison: `${totalMs} ms in all` },
        { what: `${name}: memory`, measured: mebibytes, unit: "MiB", limit: mostMemory, runs: 1, comparison: outcome },
      ];
    });
  code = report("hostile", rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
