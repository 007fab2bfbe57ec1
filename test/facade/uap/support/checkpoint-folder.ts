// A folder for checkpoints of a test.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Calls `work` with the path of a folder that does not exist yet, and removes it afterwards. */
export async function withFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const parent = await mkdtemp(path.join(tmpdir(), "threadhold-checkpoints-"));
  try {
    return await work(path.join(parent, "checkpoints"));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
