// The file system's contract over the real SQLite of a real object.

import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { withStorage } from "../bare-storage.ts";
import { threadRecord } from "../records.ts";
import { fileBytesContract } from "./file-bytes-contract.ts";
import { fileEditsContract } from "./file-edits-contract.ts";
import { fileNamesContract } from "./file-names-contract.ts";
import type { WithRows } from "./file-stage.ts";
import { fileStreamsContract } from "./file-streams-contract.ts";

const withRows: WithRows = (work) =>
  withStorage(async (storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    await work(sqliteFileRows(storage, () => false));
  });

fileNamesContract("SQLite", withRows);
fileBytesContract("SQLite", withRows);
fileStreamsContract("SQLite", withRows);
fileEditsContract("SQLite", withRows);
