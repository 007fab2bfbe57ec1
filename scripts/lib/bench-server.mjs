// Runs the bench's Worker in a real `wrangler dev` with a temporary state folder.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { nextFreePort, startSupervised } from "./supervised-group.mjs";
import { tools, wranglerEnvironment } from "./tools.mjs";

/**
 * Starts the server and resolves when it answers requests.
 * @returns {Promise<{ url: string, group: number | undefined, stop: () => Promise<void> }>} `group` is the id of its processes' group
 */
export async function startBenchServer() {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-bench-"));
  const port = await nextFreePort(19_787);
  const url = `http://localhost:${port}`;
  const args = ["dev", "--config", fromRoot("bench/worker/wrangler.jsonc"), "--port", String(port)];
  const options = ["--inspector-port", "0", "--persist-to", folder, "--show-interactive-dev-session=false"];
  const group = await startSupervised(
    [process.execPath, fromRoot(tools.wrangler), ...args, ...options],
    wranglerEnvironment,
  );
  let output = "";
  await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output = `${output}${chunk}`.slice(-20_000);
      if (output.includes("Ready on")) resolve(undefined);
    };
    group.stdout.on("data", read);
    group.stderr.on("data", read);
    void group.ended.then(() => reject(new Error(`The server did not start:\n${output}`)));
  });
  return {
    url,
    group: group.pid,
    async stop() {
      group.signal("SIGTERM");
      await group.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
