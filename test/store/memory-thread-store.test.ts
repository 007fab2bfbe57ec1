// The store in memory under the contract of every thread store.

import { createMemoryThreadStore } from "../support/memory-store/memory-thread-store.ts";
import { messageOrderContract } from "./message-order-contract.ts";
import { threadStoreContract, type WithStore } from "./thread-store-contract.ts";

const withStore: WithStore = async (work) => work(createMemoryThreadStore());

threadStoreContract("in memory", withStore);
messageOrderContract("in memory", withStore);
