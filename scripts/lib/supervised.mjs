// Runs between the dev command and wrangler, in wrangler's process group. If the dev command is killed (SIGKILL), its end of the pipe
// closes, and the whole group is ended. Otherwise wrangler's workerd would continue, keep the port and run alarms on the same files.

import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });

// Signals reach wrangler directly, since it is in the same group. This process only must not end before wrangler does.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => {});

process.stdin.on("end", () => process.kill(-process.pid, "SIGKILL"));
process.stdin.on("error", () => process.kill(-process.pid, "SIGKILL"));
process.stdin.resume();

child.on("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on("exit", (code) => process.exit(code ?? 1));
