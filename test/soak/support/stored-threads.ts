// Threads that an older build started, stored in the repository: its state folder, and the memory of the external servers.
// So this build can be tested against an older one if the git history is missing, and against one that becomes older with
// every commit. `SOAK_STORE=1 npm run soak -- builds` stores those of the previous commit, or of the one that SOAK_FROM
// names.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Turn } from "./actor.ts";
import type { Look } from "./begun-threads.ts";
import type { EffectMemory } from "./effect-desk.ts";
import type { FollowerMemory } from "./follower.ts";
import type { ModelMemory } from "./model-desk.ts";
import { must } from "./program.ts";
import type { Soak } from "./soak.ts";

const archive = fileURLToPath(new URL("../fixtures/begun-threads.tgz", import.meta.url));
const memoryFile = "memory.json";
/** The parts of the state folder that contain threads. */
const kept = ["v3/do", "v3/d1", "threadhold-migrations"];

interface Memory {
  before: Look;
  actors: { name: string; id: string; turns: Turn[]; follower: FollowerMemory }[];
  models: ModelMemory;
  effects: EffectMemory;
}

/** Stores the threads that a build started. */
export function storeThreads(soak: Soak, before: Look): void {
  const state = soak.project.state("soak");
  const memory: Memory = {
    before,
    actors: soak.actors.map(({ name, id, turns, follower }) => ({ name, id, turns, follower: follower.memory() })),
    models: soak.models.memory(),
    effects: soak.effects.memory(),
  };
  writeFileSync(path.join(state, memoryFile), JSON.stringify(memory));
  mkdirSync(path.dirname(archive), { recursive: true });
  must("tar", ["-czf", archive, "--owner=0", "--group=0", "--exclude=*-shm", memoryFile, ...kept], state);
}

/** Restores them for the next server. Returns what the older build's API showed of the idle thread. */
export function restoreThreads(soak: Soak): Look {
  const state = soak.project.state("soak");
  mkdirSync(state, { recursive: true });
  must("tar", ["-xzf", archive], state);
  const memory = JSON.parse(readFileSync(path.join(state, memoryFile), "utf8")) as Memory;
  soak.isOld = true;
  soak.models.recall(memory.models);
  soak.effects.recall(memory.effects);
  for (const { name, id, turns, follower } of memory.actors) {
    const actor = soak.actors.find((one) => one.name === name);
    if (actor === undefined) throw new Error(`No thread is called ${name}`);
    actor.id = id;
    actor.turns.push(...turns);
    actor.follower.recall(follower);
  }
  return memory.before;
}
