// The store of a thread in its object's SQLite. Every write is one row (architecture §6), or two for a new message whose position differs
// from its id, and every read is a lookup by primary key or a read of a key range. Each table has its own module; they are combined here.

import { noFaults } from "#core/ports/faults.ts";
import type { Faults } from "#core/ports/faults.ts";

import type { MeteredStorage } from "../meter.ts";
import type { ManagedThreadStore } from "../thread-lifecycle.ts";
import { branchRows } from "./branch-rows.ts";
import { eventRows } from "./event-rows.ts";
import { keyRows } from "./key-rows.ts";
import { logRows } from "./log-rows.ts";
import { messageRows } from "./message-rows.ts";
import { messageWindow } from "./message-window.ts";
import { runRows } from "./run-table.ts";
import { threadRow } from "./thread-row.ts";
import { threadSchema } from "./thread-schema.ts";

/** Options of a store. */
interface ThreadStoreOptions {
  faults?: Faults;
  /** Removes secrets from the texts of problems in log rows. */
  redact?: (text: string) => string;
}

/** Creates the store of one object, without access to the storage. */
export function createSqliteThreadStore(
  storage: MeteredStorage,
  { faults = noFaults, redact = (text) => text }: ThreadStoreOptions = {},
): ManagedThreadStore {
  const schema = threadSchema(storage);
  const thread = threadRow(storage);
  const branches = branchRows(storage);

  /** Whether the thread is known to exist, which saves a read of `sqlite_master` before each read of the thread's row. */
  let created = false;
  const exists = () => (created ||= schema.exists());
  const forget = () => {
    created = false;
    branches.forget();
  };
  const transaction = <T>(work: () => T): T => {
    try {
      return storage.transactionSync(work);
    } catch (error) {
      // The caches may contain rows that the rollback has removed.
      forget();
      throw error;
    }
  };

  return {
    transaction,
    exists,
    create: (record) =>
      transaction(() => {
        schema.build();
        thread.insert(record, schema.latest);
        const { branch: id, created_at } = record;
        branches.insert({ id, parent_branch: null, fork_position: null, created_at });
      }),
    beginImport: (threadId) =>
      transaction(() => {
        schema.build();
        thread.mark(threadId, schema.latest);
      }),
    importing: () => (exists() ? thread.marked() : null),
    migrate: () => schema.migrate(),
    async destroy() {
      const gone = storage.deleteAll();
      forget();
      await faults.at("destroy.rows");
      await gone;
      // After the rows: while rows exist, an alarm exists that repeats an interrupted deletion.
      await faults.at("destroy.alarm");
      await storage.deleteAlarm();
    },

    readThread: () => (exists() ? thread.read() : null),
    writeThread: (record) => thread.write(record),
    insertBranch: (branch) => branches.insert(branch),
    branch: (id) => branches.find(id),
    branches: () => branches.all(),
    ...messageRows(storage, (id) => branches.find(id) !== null),
    ...messageWindow(storage, {
      path: (branch) => branches.path(branch),
      ids: () => branches.all().map(({ id }) => id),
    }),
    ...runRows(storage),
    ...logRows(storage, redact),
    ...eventRows(storage),
    ...keyRows(storage),
  };
}
