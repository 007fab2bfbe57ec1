// Sessions as files when the process that saves them is killed at each of its steps.

import { spawn } from "node:child_process";
import { mkdir, readFile, utimes } from "node:fs/promises";
import path from "node:path";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { fileSessions, loadSession, saveSession } from "#facade/phi/session/node/index.ts";

import { bundled } from "../../session/support/plain-node.ts";
import type { Program } from "../../session/support/plain-node.ts";
import { withFolder } from "../uap/support/checkpoint-folder.ts";
import { sessionOf } from "./support/session-events.ts";

// A program is bundled, and started for each step of a save, on a machine that is also used by other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let program: Program | undefined;

/**
 * Saves a session, and kills its own process at a step: before the step, in its middle if it writes, or after it. Each call of the file system is a step.
 */
const text = `
  import promises from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  import { saveSession } from "#facade/phi/session/node/index.ts";
  const [dir, json, at, when] = process.argv.slice(2);
  let steps = 0;
  const isKilled = (now) => steps === Number(at) && now === when;
  const kill = () => process.kill(process.pid, "SIGKILL");
  const step = (work, half = async () => undefined) => async (...args) => {
    steps += 1;
    if (isKilled("before")) kill();
    if (isKilled("middle")) { await half(...args); kill(); }
    const result = await work(...args);
    if (isKilled("after")) kill();
    return result;
  };
  const handled = (handle) => {
    const { writeFile, sync, close } = handle;
    handle.writeFile = step(writeFile.bind(handle), (data) => writeFile.call(handle, data.slice(0, data.length / 2)));
    handle.sync = step(sync.bind(handle));
    handle.close = step(close.bind(handle));
    return handle;
  };
  for (const name of ["mkdir", "rename", "rm", "readdir", "stat", "readFile"]) promises[name] = step(promises[name]);
  const open = step(promises.open);
  promises.open = async (...args) => handled(await open(...args));
  syncBuiltinESMExports();
  await saveSession(JSON.parse(json), dir);
  console.log("saved after " + steps);
`;

beforeAll(async () => {
  program = await bundled(text);
});

afterAll(() => program?.remove());

/** Runs a save that is killed at a step. Returns what it printed; an empty text if it was killed. */
async function save(dir: string, json: string, at: number, when: string): Promise<string> {
  const args = [program?.file ?? "", dir, json, String(at), when];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (printed += piece));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on("close", (_code, name) => resolve(name));
    child.on("error", reject);
  });
  expect(printed === "" ? signal : null).toBe(printed === "" ? "SIGKILL" : null);
  return printed;
}

/** Lets five seconds pass for a lock in which the killed process did not write its name. A written lock is taken over at once. */
async function expireUnwritten(lock: string): Promise<void> {
  const text = await readFile(lock, "utf8").catch(() => null);
  if (text === null || text.endsWith("}")) return;
  const past = new Date(Date.now() - 6_000);
  await utimes(lock, past, past);
}

const older = sessionOf("s", { metadata: "old ".repeat(1000) });
const newer = sessionOf("s", { metadata: "new ".repeat(5000) });

it.each([
  ["before", "before"],
  ["in the middle of", "middle"],
  ["after", "after"],
])(
  "A process that is killed %s each step of a save leaves the old or the new session, and the next save succeeds",
  (_when, when) =>
    withFolder(async (dir) => {
      const outcomes: string[] = [];
      for (let at = 1; ; at += 1) {
        const folder = path.join(dir, String(at));
        await mkdir(folder, { recursive: true });
        await saveSession(older, folder);
        const printed = await save(folder, JSON.stringify(newer), at, when);
        const session = await loadSession("s", folder);
        expect([JSON.stringify(older), JSON.stringify(newer)]).toContain(JSON.stringify(session));
        outcomes.push(JSON.stringify(session) === JSON.stringify(older) ? "old" : "new");
        await expireUnwritten(path.join(folder, "s.json.lock"));
        await fileSessions({ dir: folder, lockWaitMs: 0 }).save(older);
        expect(await loadSession("s", folder)).toEqual(older);
        if (printed !== "") break;
      }
      // The session is replaced at one step, and the steps are more than a few.
      expect(outcomes.join(" ")).toMatch(/^(?:old )+(?:new ?)+$/);
      expect(outcomes.length).toBeGreaterThan(10);
    }),
);
