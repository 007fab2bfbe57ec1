// The two thread stores compared: the same operations on both give the same results.

import fc from "fast-check";
import { expect, test } from "vitest";

import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { createMemoryThreadStore } from "../support/memory-store/memory-thread-store.ts";
import { withStorage } from "./bare-storage.ts";
import { threadRecord } from "./records.ts";
import { operations, play } from "./store-operations.ts";

/** Milliseconds: enough to shrink a failure and print it. */
const timeoutMs = 30_000;

test(
  "Random operations have the same results on the store in memory and the one on SQLite",
  async () => {
    // A failure prints the seed and the shortest operations that reproduce it.
    await fc.assert(
      fc.asyncProperty(operations, async (given) => {
        const memory = createMemoryThreadStore();
        memory.create(threadRecord());
        const fromSqlite = await withStorage((storage) => {
          const store = createSqliteThreadStore(storage);
          store.create(threadRecord());
          return play(store, given);
        });
        expect(fromSqlite).toEqual(play(memory, given));
      }),
      { numRuns: 100 },
    );
  },
  timeoutMs,
);

test(
  "Reads of a thread's store before and after an eviction return the same",
  async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (given) => {
        const [before, after] = await withStorage((storage) => {
          const store = createSqliteThreadStore(storage);
          store.create(threadRecord());
          play(store, given);
          return [store, createSqliteThreadStore(storage)].map((each) => [
            each.readThread(),
            each.messagesAfter("main", ""),
          ]);
        });
        expect(after).toEqual(before);
      }),
      { numRuns: 30 },
    );
  },
  timeoutMs,
);
