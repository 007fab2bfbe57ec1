// Crowds of subscribers in a process of their own, and the memory of the runtime that they follow.

import { fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

import { fromRoot } from "../../scripts/lib/paths.mjs";

/**
 * Forks a program that sends its address and that ends with this process.
 * @param {string} file @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startProgram(file) {
  const child = fork(fromRoot(file), { execArgv: [] });
  const url = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  return { url, stop: () => child.disconnect() };
}

/** Starts the process of the subscribers. */
export function startReaders() {
  const child = fork(fromRoot("test/support/crowd-readers/main.mjs"), { execArgv: [], serialization: "advanced" });
  const open = new Map();
  let requests = 0;
  const failAll = (message) => {
    for (const { reject } of open.values()) reject(new Error(message));
    open.clear();
  };
  child.on("message", ({ id, value, failed }) => {
    const request = open.get(id);
    open.delete(id);
    if (failed === undefined) request?.resolve(value);
    else request?.reject(new Error(failed));
  });
  child.once("exit", (code) => failAll(`The process of the subscribers ended with ${code}.`));
  const send = (act, of) =>
    new Promise((resolve, reject) => {
      requests += 1;
      open.set(requests, { resolve, reject });
      child.send({ id: requests, act, of });
    });
  return {
    /** Connects `count` subscribers to a thread's URL. A silent subscriber never acknowledges. */
    async join(thread, count, { silent = false } = {}) {
      const crowd = `${requests} ${thread}`;
      await send("join", { crowd, url: `${thread.replace("http", "ws")}/stream?after=0`, count, silent });
      return {
        /** Resolves when the next run has ended for all of them. */
        ended: () => send("ended", { crowd }),
        stall: () => send("stall", { crowd }),
        leave: () => send("leave", { crowd }),
      };
    },
    stop: () => child.disconnect(),
  };
}

/** The MiB of resident memory of all workerd processes that this process started. */
export function runtimeMemory() {
  const processes = new Map(readdirSync("/proc").flatMap(readProcess));
  const isOwn = (pid) => pid === process.pid || (processes.has(pid) && isOwn(processes.get(pid).parent));
  const kib = [...processes]
    .filter(([pid, { name }]) => name === "workerd" && isOwn(pid))
    .map(([, { resident }]) => resident);
  if (kib.length === 0) throw new Error("There is no workerd process. This bench needs Linux.");
  return kib.reduce((sum, value) => sum + value, 0) / 1024;
}

function readProcess(entry) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8")) ?? [];
    if (name === undefined) return [];
    const [, resident] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${entry}/status`, "utf8")) ?? [];
    return [[Number(entry), { name, parent: Number(parent), resident: Number(resident ?? 0) }]];
  } catch {
    // No process, or one that has ended since the list was read.
    return [];
  }
}
