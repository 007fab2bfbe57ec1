// The garbage collector of Node, for tests of objects to which only weak references refer.

import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Runs the garbage collector in several turns of the event loop, because a weak reference keeps its object until its turn ends. */
export async function collectGarbage(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn();
    collect();
  }
}
