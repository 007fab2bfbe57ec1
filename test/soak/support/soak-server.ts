// A server of a soak on a state folder that survives it. SIGKILL to each of its processes, with workerd, is the power cut of these suites.
// The first server is the dev command, which builds the project and migrates the catalog in the state folder. The servers after it serve the
// same bundle in the same runtime without wrangler, which takes a processor second to start.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { cutPower, freePort, startDevServer, untilPortIsFree } from "../../e2e/dev-server.ts";
import { directOptions } from "../../e2e/support/direct-server.ts";
import { timeoutMs, within } from "../../support/http-client/deadline.ts";

const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

/** A running server. */
export interface SoakServer {
  url: string;
  /** The output so far, of both streams. */
  output: () => string;
  /** Sends SIGKILL to the server and its runtime; resolves when the port is free. */
  kill: () => Promise<void>;
}

/** How a server is started. */
export interface SoakStart {
  /** The state folder. */
  state: string;
  /** Variables of the Worker, besides those of the project. */
  variables: Record<string, string>;
  /** Root of the project that is served. */
  project: string;
}

/** The options of the servers after the first one, by the project, the state folder and the variables. */
const prepared = new Map<string, object>();

/** Starts a server and resolves when it is ready. */
export async function startSoakServer(start: SoakStart): Promise<SoakServer> {
  const key = JSON.stringify(start);
  const options = prepared.get(key);
  if (options === undefined) {
    const server = await startDevCommand(start);
    prepared.set(key, directOptions(start.project, start.state, start.variables));
    return server;
  }
  const settings = JSON.stringify({ ...options, port: await freePort() });
  const child = spawn(process.execPath, [program, settings], { detached: true });
  const end = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = /^ready on (\S+)\n/m.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => reject(new Error(`The server ended:\n${text}`)));
  });
  const url = await within(timeoutMs, () => `the server's ready line:\n${text}`, ready).catch((error: unknown) => {
    end();
    throw error;
  });
  return {
    url,
    output: () => text,
    async kill() {
      end();
      await within(timeoutMs, () => `the end of the server:\n${text}`, ended);
      await untilPortIsFree(url);
    },
  };
}

/**
 * Runs the dev command. It serves until the suite kills it, because threads of an earlier server continue as soon as it is ready. When the
 * command is killed, its process group ends itself by SIGKILL.
 */
async function startDevCommand({ state, variables, project }: SoakStart): Promise<SoakServer> {
  const given = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const server = await startDevServer(state, given, { root: project, storedBundle: true });
  return { url: server.url, output: server.output, kill: () => cutPower(server) };
}

/** Sends SIGKILL to a process group, which may have ended already. */
function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
