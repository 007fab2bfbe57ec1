// The store in memory under the suite that every thread store keeps.

import { createMemoryThreadStore } from "../support/memory-store/memory-thread-store.ts";
import { messageOrderContract } from "./message-order-contract.ts";
import { threadStoreContract, type WithStore } from "./thread-store-contract.ts";

const withStore: WithStore = async (work) => work(createMemoryThreadStore());

threadStoreContract("in memory", withStore);
messageOrderContract("in memory", withStore);
