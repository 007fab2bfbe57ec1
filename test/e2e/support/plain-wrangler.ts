// Wrangler without our own command, in a copy of the project and in a process group of its own.

import path from "node:path";

import { nextFreePort } from "#cli/dev/free-port.ts";
import { startGroup } from "#cli/dev/process-group.ts";
import { waitUntilHealthy } from "#cli/dev/wait-until-healthy.ts";

import { fromRoot } from "../../../scripts/lib/paths.mjs";
import { tools, wranglerEnvironment } from "../../../scripts/lib/tools.mjs";
import { timeoutMs, within } from "../../support/http-client/deadline.ts";
import type { ProjectCopy } from "./project-copy.ts";

/** A running wrangler. */
export interface Wrangler {
  output: () => string;
  ended: Promise<number>;
  /** Ends wrangler and waits for its end. */
  stop: () => Promise<void>;
}

/** Runs `npx wrangler` with these arguments. */
export function runWrangler(project: Pick<ProjectCopy, "root">, ...args: string[]): Wrangler {
  const command = [process.execPath, path.join(project.root, tools.wrangler), ...args];
  const run = startGroup([process.execPath, fromRoot("scripts/threadhold.mjs"), "supervise", "--", ...command], {
    cwd: project.root,
    env: { ...process.env, ...wranglerEnvironment },
  });
  let output = "";
  for (const stream of [run.stdout, run.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  return {
    output: () => output,
    ended: run.ended,
    async stop() {
      run.signal("SIGTERM");
      await within(timeoutMs, () => `wrangler's end:\n${output}`, run.ended);
    },
  };
}

/** Runs `npx wrangler dev` until it answers. */
export async function startPlainServer(project: ProjectCopy): Promise<Wrangler & { url: string }> {
  const port = await nextFreePort(20_000 + ((process.pid * 7919) % 9_000));
  // A state folder without applied migrations.
  const state = path.join(project.root, "plain-state");
  const run = runWrangler(project, "dev", "--port", String(port), "--inspector-port", "0", "--persist-to", state);
  const url = `http://localhost:${String(port)}`;
  const stopped = new AbortController();
  try {
    const ready = waitUntilHealthy(`${url}/healthz`, stopped.signal);
    await within(timeoutMs, () => `wrangler dev to be healthy:\n${run.output()}`, ready);
  } catch (error) {
    await run.stop();
    throw error;
  } finally {
    stopped.abort();
  }
  return { ...run, url };
}
