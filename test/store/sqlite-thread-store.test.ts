// The store on a Durable Object's SQLite under the contract of every thread store.

import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { withStorage } from "./bare-storage.ts";
import { messageOrderContract } from "./message-order-contract.ts";
import { threadStoreContract, type WithStore } from "./thread-store-contract.ts";

const withStore: WithStore = (work) => withStorage((storage) => work(createSqliteThreadStore(storage)));

threadStoreContract("on SQLite", withStore);
messageOrderContract("on SQLite", withStore);
