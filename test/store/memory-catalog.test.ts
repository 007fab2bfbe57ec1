// The catalog in memory under the contract of every catalog.

import { createMemoryCatalog } from "../support/memory-store/memory-catalog.ts";
import { catalogContract } from "./catalog-contract.ts";
import { catalogListContract } from "./catalog-list-contract.ts";

const make = () => Promise.resolve(createMemoryCatalog());

catalogContract("in memory", make);
catalogListContract("in memory", make);
