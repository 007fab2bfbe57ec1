// Plays one hostile text of `hostile-texts.mjs`, and prints its processor time and its memory. `hostile.mjs` starts this program for each.

import { setImmediate as nextTask } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { cases } from "./hostile-texts.mjs";

const [bundle = "", name = ""] = process.argv.slice(2);
const inputs = await import(pathToFileURL(bundle).href);
const play = await cases[name](inputs);

const before = process.memoryUsage().rss;
const begun = process.cpuUsage();
let piece = 0;
let isOver = false;
let outcome = "read";
/** Measures each turn of the event loop. */
const watch = async () => {
  for (let last = process.cpuUsage(); !isOver; last = process.cpuUsage()) {
    await nextTask();
    piece = Math.max(piece, process.cpuUsage(last).user);
  }
};
const watching = watch();
try {
  const result = await play();
  if (typeof result === "string") outcome = result.slice(0, 90);
} catch (thrown) {
  outcome = `refused: ${String(thrown?.message ?? thrown).slice(0, 90)}`;
}
// The last turn ends after the work.
await nextTask();
isOver = true;
await watching;
const milliseconds = (microseconds) => Math.round(microseconds / 1000);
console.log(
  JSON.stringify({
    pieceMs: milliseconds(piece),
    totalMs: milliseconds(process.cpuUsage(begun).user),
    mebibytes: Math.max(0, Math.round(process.resourceUsage().maxRSS / 1024 - before / 1024 / 1024)),
    outcome,
  }),
);
process.exit(0);
