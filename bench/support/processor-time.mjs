// The processor time of the workerd processes that this process started, from Linux's statistics of their threads.

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The ids of the processes below a process, with their names. @param {number} parent */
function below(parent) {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))
    .map((name) => {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const end = stat.lastIndexOf(")");
      return {
        pid: Number(name),
        name: stat.slice(stat.indexOf("(") + 1, end),
        parent: Number(stat.slice(end + 4).split(" ")[0]),
      };
    });
  /** @type {{ pid: number, name: string }[]} */
  const found = [];
  const open = [parent];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const one of processes) {
      if (one.parent !== next) continue;
      found.push(one);
      open.push(one.pid);
    }
  }
  return found;
}

/** Returns a function that reads the milliseconds of processor time that workerd has used; null if the system has no such statistics. */
export function workerdProcessor() {
  if (!existsSync("/proc/self/schedstat")) return null;
  const pids = below(process.pid).flatMap(({ pid, name }) => (name === "workerd" ? [pid] : []));
  return () => {
    let nanoseconds = 0;
    for (const pid of pids) {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
      }
    }
    return nanoseconds / 1e6;
  };
}
