// Ends all programs that a command or a server started, also those that left its process group (`setsid`, job control of a shell). Each
// of them inherits an environment variable with a mark. Linux shows the variables of a process to its user; on other systems only the
// process group is ended.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** The programs that inherited one mark. */
export interface MarkedProcesses {
  /** The variable to start the first program with. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills the programs. */
  kill(): Promise<void>;
  /** Asks the programs to end (SIGTERM), and kills those that continue after so many milliseconds. */
  end(graceMs: number): Promise<void>;
}

/** The name of the variable. */
const variable = "THREADHOLD_PROCESS_MARK";

/** While it is ended, a program may start another one. So the search is repeated, at most this many times. */
const mostSearches = 20;

/** Milliseconds until the second search. A process that is starting another program shows no variables for a moment. */
const startMs = 20;

/** Milliseconds between two checks whether programs have ended. */
const checkMs = 50;

/** Creates a new mark. */
export function markedProcesses(): MarkedProcesses {
  const mark = `${variable}=${crypto.randomUUID()}`;
  const kill = async () => {
    if (process.platform !== "linux") return;
    await signalAll(mark, "SIGKILL");
    await wait(startMs);
    for (let search = 0; search < mostSearches; search += 1) {
      if ((await signalAll(mark, "SIGKILL")) === 0) return;
    }
  };
  return {
    env: { [variable]: mark.slice(variable.length + 1) },
    kill,
    async end(graceMs) {
      if ((await signalAll(mark, "SIGTERM")) === 0) return;
      for (let waited = 0; waited < graceMs; waited += checkMs) {
        await wait(checkMs);
        if ((await signalAll(mark, 0)) === 0) return;
      }
      await kill();
    },
  };
}

/** Sends a signal to each program with the mark and returns their number. */
async function signalAll(mark: string, signal: NodeJS.Signals | 0): Promise<number> {
  if (process.platform !== "linux") return 0;
  const ids = (await readdir("/proc")).map(Number).filter((id) => id > 0 && id !== process.pid);
  const found = await Promise.all(ids.map(async (id) => ((await hasMark(id, mark)) ? id : 0)));
  return found.filter((id) => id > 0 && isSignalled(id, signal)).length;
}

async function hasMark(id: number, mark: string): Promise<boolean> {
  try {
    const variables = await readFile(`/proc/${id}/environ`, "utf8");
    return variables.split("\0").includes(mark);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}

function isSignalled(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    // The process has ended.
    return false;
  }
}
