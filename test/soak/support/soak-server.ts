// A server of a soak: the dev command on a state folder that survives it, and the process group of wrangler and its
// workerd. SIGKILL to that group is the power cut of these suites.

import { readdirSync, readFileSync } from "node:fs";

import { cutPower, type DevServer, startDevServer } from "../../e2e/dev-server.ts";

/** A running server. */
export interface SoakServer extends DevServer {
  /** Sends SIGKILL to wrangler's process group and to the dev command; resolves when the port is free. */
  kill: () => Promise<void>;
}

/** How a server is started. */
export interface SoakStart {
  /** The state folder. */
  state: string;
  /** Arguments of the dev command. */
  variables: string[];
  /** Root of the project that is served. */
  project: string;
}

/** Starts it and resolves when it is ready. */
export async function startSoakServer({ state, variables, project }: SoakStart): Promise<SoakServer> {
  const server = await startDevServer(state, variables, { root: project, storedBundle: true });
  const group = groupUnder(server.process.pid ?? 0);
  return {
    ...server,
    async kill() {
      // On systems other than Linux the group ends by itself when the dev command is gone.
      if (group !== null) killGroup(group);
      await cutPower(server);
    },
  };
}

/** Sends SIGKILL to a process group, which may have ended already. */
function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The process group that the dev command made for wrangler; null on a system without /proc. */
function groupUnder(dev: number): number | null {
  if (process.platform !== "linux") return null;
  for (const entry of readdirSync("/proc")) {
    const [, parent, group] = /^\d+ \(.*\) \S (\d+) (\d+) /s.exec(readProcess(`/proc/${entry}/stat`)) ?? [];
    if (Number(parent) === dev && group === entry) return Number(group);
  }
  throw new Error(`The dev command ${String(dev)} has no process group of wrangler's under it`);
}

/** Reads a file under /proc; empty if the process has ended since it was listed. */
function readProcess(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
