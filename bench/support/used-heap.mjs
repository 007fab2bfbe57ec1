// The heap of this process.

import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** The bytes of the heap that are in use after a collection. */
export async function usedHeap() {
  // Objects that a finalizer releases are collected one collection later.
  for (let collected = 0; collected < 3; collected += 1) {
    await nextTurn();
    collect();
  }
  return process.memoryUsage().heapUsed;
}
