// Lets one build of a folder run at a time. Wrangler starts a build for each changed file and ends none, and bundles the Worker after the
// build that it started last. So the newest build waits, and a build that waited before ends without work: the newest build reads the files
// after it has the lock, so it has every change that the other one was started for.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { lockHolder, ownerText, readText, retire, runningOwner, takeLock } from "./process-lock.ts";

/** How often a waiting build looks whether it may start. */
const pollMs = 25;

/** After this time a waiting build names the one that it waits for: a definition that computes without end also ends no build. */
const patienceMs = 15_000;

const files = (root: string) => {
  const folder = join(root, ".cache/build");
  return { folder, lock: join(folder, "lock"), waiting: join(folder, "waiting"), replaced: join(folder, "replaced") };
};

/** Runs a build that has to run, for example for a deploy. It waits for each build that runs before it, and `onWait` gets the first pid. */
export async function buildAfterOthers<T>(
  root: string,
  build: () => Promise<T>,
  onWait: (pid: number) => void = () => undefined,
): Promise<T> {
  const { lock } = files(root);
  for (let hasWaited = false; ; hasWaited = true) {
    const taken = takeLock(lock);
    if ("release" in taken) {
      try {
        return await build();
      } finally {
        taken.release();
      }
    }
    if (!hasWaited) onWait(taken.heldBy);
    while (lockHolder(lock) !== undefined) await delay(pollMs);
  }
}

interface ReplaceableBuild<T> {
  /** Compiles the newest files. `isReplaced` returns whether a newer build waits for this one. */
  build: (isReplaced: () => boolean) => Promise<T>;
  /**
   * Called after the last build if a build ended without work. If the processes did not start in the order in which wrangler started them,
   * wrangler has bundled the Worker after that build, without the output of this one.
   */
  onLast: () => void;
  /** Called once with the pid of the build that runs, after this one has waited for `patience` milliseconds. */
  onLongWait: (pid: number) => void;
  patience?: number;
}

/**
 * Runs a build when no other one runs, or returns undefined without a build if a newer one waits.
 *
 * The file `waiting` contains the text of the build that waits, and it stays there while that build runs. A killed process leaves its text.
 */
export async function buildUnlessReplaced<T>(
  root: string,
  { build, onLast, onLongWait, patience = patienceMs }: ReplaceableBuild<T>,
): Promise<T | undefined> {
  const { folder, lock, waiting, replaced } = files(root);
  mkdirSync(folder, { recursive: true });
  const text = ownerText();
  /** The text of another build that waits or was killed while it waited. */
  const other = (): string | undefined => {
    const found = readText(waiting);
    return found === text ? undefined : found;
  };
  const isReplaced = (): boolean => runningOwner(other()) !== undefined;
  const removeKilled = (): boolean => {
    const isKilled = other() !== undefined && !isReplaced();
    if (isKilled) rmSync(waiting, { force: true });
    return isKilled;
  };
  let taken = takeIfFree(lock);
  try {
    let waitUntil = Date.now() + patience;
    for (let isWaiting = false; taken === undefined; taken = takeIfFree(lock)) {
      if (isWaiting && isReplaced()) {
        writeFileSync(replaced, "");
        return undefined;
      }
      if (readText(waiting) !== text) writeAtomically(waiting, text);
      isWaiting = true;
      const holder = Date.now() < waitUntil ? undefined : lockHolder(lock);
      if (holder !== undefined) {
        waitUntil = Infinity;
        onLongWait(holder);
      }
      await delay(pollMs);
    }
    removeKilled();
    let result = await build(isReplaced);
    // The build that was killed had replaced others, or was started for a change that this one has not read.
    while (removeKilled()) result = await build(isReplaced);
    if (!isReplaced() && existsSync(replaced)) {
      rmSync(replaced);
      onLast();
    }
    return result;
  } finally {
    if (readText(waiting) === text) rmSync(waiting, { force: true });
    retire(text);
    taken?.release();
  }
}

/** Takes a lock. It is read first, because a waiting build tries again and again, and taking a lock writes files. */
function takeIfFree(lock: string): { release: () => void } | undefined {
  const taken = lockHolder(lock) === undefined ? takeLock(lock) : { heldBy: 0 };
  return "release" in taken ? taken : undefined;
}

function writeAtomically(file: string, text: string): void {
  const draft = `${file}.${String(process.pid)}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
