// Stands between the dev command and wrangler inside wrangler's process group. If the dev command dies without a word
// (SIGKILL), its end of the pipe closes, and the whole group is ended: wrangler's workerd would otherwise go on,
// holding the port and firing alarms on the same files.

import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });

// The signals reach wrangler on its own, since it is in the same group; here they only must not end us before it.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => {});

process.stdin.on("end", () => process.kill(-process.pid, "SIGKILL"));
process.stdin.on("error", () => process.kill(-process.pid, "SIGKILL"));
process.stdin.resume();

child.on("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on("exit", (code) => process.exit(code ?? 1));
